"""Which environment words name."""

import pytest

from synaptic.policies.infra.environments import name_environment


@pytest.mark.parametrize(
    "word",
    [
        "prod",
        "acme-prod",
        "prod-eu1",
        "PROD",
        "production",
        "values.prod.yaml",
        "k8s/production/",
        "ApiProdStack",
        "prod2",
    ],
)
def test_a_word_names_production(word: str):
    assert name_environment([word]) is True


@pytest.mark.parametrize("word", ["product", "products/api", "reproduce", "producer", "main", "web", "approd", ""])
def test_a_word_names_no_environment(word: str):
    assert name_environment([word]) is None


@pytest.mark.parametrize(
    "word", ["preprod", "pre-prod", "non-prod", "not_production", "acme-staging", "envs/dev", "qa2"]
)
def test_a_word_names_another_environment(word: str):
    assert name_environment([word]) is False


def test_production_counts_more_than_what_stands_beside_it():
    assert name_environment(["prod", "dev-cluster"]) is True


def test_a_very_long_word_is_read_quickly_and_in_part():
    assert name_environment(["a-" * 1_000_000 + "prod"]) is None
