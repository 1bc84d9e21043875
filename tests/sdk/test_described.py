"""What a file says about its policies, with the options as user and project have set them."""

from typing import Annotated

from synaptic.sdk import LOWER, MORE, Policy, PreToolUse
from synaptic.sdk.described import describe_file


class Trial(Policy):
    """A trial.

    ## Why
    To see.
    """

    id = "acme.trial"
    events = (PreToolUse,)

    names: Annotated[tuple[str, ...], MORE] = ("a",)
    """Some names."""
    most: Annotated[int, LOWER] = 5
    own: int = 1


def describe(user=None, project=None):
    tables = tuple({"acme.trial": table} if table else {} for table in (user, project))
    found = describe_file("/x/acme.py", {"acme.trial": Trial}, tables)
    return {one.name: one.value for one in found.policies[0].options}, found


def test_defaults_docs_and_places():
    values, found = describe()
    assert values == {"names": ("a",), "most": 5, "own": 1}
    (policy,) = found.policies
    assert policy.options[0].about == "Some names."
    assert policy.about == "A trial."
    assert (policy.events, policy.priority, policy.on_error, policy.preset) == (("PreToolUse",), 30, "allow", "")


def test_a_user_sets_and_a_project_tightens():
    values, found = describe({"most": 4, "own": 2}, {"names": ["b"], "most": 3})
    assert (values, found.problems) == ({"names": ("a", "b"), "most": 3, "own": 2}, ())


def test_a_project_loosens_nothing():
    values, found = describe({"most": 4}, {"most": 9, "own": 7})
    assert values == {"names": ("a",), "most": 4, "own": 1}
    assert len(found.problems) == 2 and "would loosen the user's setting" in found.problems[0]


def test_wrong_options_keep_their_defaults():
    values, found = describe({"most": "x", "mots": 1, "enabled": True})
    assert values["most"] == 5
    assert len(found.problems) == 2
