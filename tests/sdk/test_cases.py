"""Cases of policies of one's own."""

import pytest

from synaptic.sdk import Facts, Policy, PreToolUse, State, Verdict, deny, fact, keep, record
from synaptic.sdk.cases import read_cases, run_case_file
from synaptic.sdk.load import PolicyFileError


class Seen(State):
    """What was seen."""

    count: int = 0


@fact
def is_frozen(event: PreToolUse, facts: Facts) -> bool:
    return False


class Trial(Policy):
    """A trial."""

    id = "acme.trial"
    events = (PreToolUse,)
    tools = ("Bash",)
    needs = ("git", is_frozen)
    remembers = (Seen,)

    most: int = 3

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        seen = facts.recall(Seen).count
        if facts.read(is_frozen) or seen >= self.most:
            return deny(f"enough on {facts.git.branch}")
        return record(keep(Seen(count=seen + 1))) if facts.command and "make" in facts.command.programs else None


POLICIES = {"acme.trial": Trial}
CASES = """
[given.frozen]
own = { is_frozen = true }

[[case]]
name = "frozen"
bash = "ls"
given = "frozen"
facts = { git = { branch = "main" } }
want = "deny"
reason = "enough on main"

[[case]]
name = "remembered"
bash = "ls"
facts = { remembered = { Seen = { count = 2 } } }
options = { most = 2 }
want = "deny"

[[case]]
name = "noted"
policy = "acme.trial"
bash = "make"
want = "none"
effects = ["Change own:Seen True {'count': 1}"]

[[case]]
name = "another tool"
tool = "Read"
input = { file_path = "a" }
want = "none"
"""


def test_facts_of_ones_own_state_and_options_are_given():
    (result,) = run_case_file(POLICIES, CASES)
    assert (result.policy, result.passed, result.failed) == ("acme.trial", 4, ())


@pytest.mark.parametrize(
    ("case", "text"),
    [
        ('bash = "ls"\nwant = "ask"', "wanted ask, got none"),
        ('event = "Stop"\nwant = "none"', "no policy of this file listens to Stop"),
        ('bash = "ls"\nwant = "none"\npolicy = "acme.trial"\noptions = { most = "x" }', "Expected `int`"),
    ],
)
def test_a_case_that_is_not_met_is_explained(case: str, text: str):
    (result,) = run_case_file(POLICIES, f'[[case]]\nname = "it"\n{case}\n')
    assert text in result.failed[0]


def test_some_case_must_fire_and_some_stay_quiet():
    (result,) = run_case_file(POLICIES, '[[case]]\nname = "quiet"\nbash = "ls"\nwant = "none"\n')
    assert result.failed == ("no case fires",)


@pytest.mark.parametrize(
    "text", ["[[case", "[[case]]\nnme = 1", '[[case]]\nname="x"\nbash="ls"\nwant="none"\ngiven="y"']
)
def test_a_file_that_is_none_is_refused(text: str):
    with pytest.raises(PolicyFileError, match="the file of cases cannot be used"):
        read_cases(text)
