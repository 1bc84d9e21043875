"""Words and their other forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.policies.routing.terms import extract_terms, stem_word


@pytest.mark.parametrize(
    "forms",
    [
        "invoice invoices invoicing invoiced",
        "deploy deploys deployment deploying deployed",
        "migrate migration migrations migrating",
        "query queries querying",
        "generate generator generating generation",
        "plan planning planned",
        "secure security",
        "crash crashes crashing",
    ],
)
def test_the_forms_of_a_word_are_one(forms: str):
    assert len({stem_word(word) for word in forms.split()}) == 1


def test_names_are_taken_apart_and_common_words_left_out():
    assert extract_terms("Please run the billing_regression for PaymentService!") == tuple(
        map(stem_word, ["run", "billing", "regression", "payment", "service"])
    )
    assert extract_terms("roll out") == extract_terms("rollout")
    assert extract_terms("") == ()


@given(st.text())
def test_any_text_has_terms_each_once(text: str):
    found = extract_terms(text)
    assert len(found) == len(set(found))
    assert all(found)
