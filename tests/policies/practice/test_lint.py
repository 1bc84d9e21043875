"""What the linter's end means: feedback, and a breaker."""

from synaptic.model.decision import Kind
from synaptic.model.effect import WriteFile
from synaptic.model.errand import ErrandResult
from synaptic.model.event import PostToolUse
from synaptic.model.project import TargetFile, Tooling
from synaptic.model.state import Change, State, apply_change
from synaptic.policies.facts import Facts
from synaptic.policies.practice.lint import Lint
from synaptic.policies.practice.sections import LINT

EVENT = PostToolUse(hook_event_name="PostToolUse", tool_name="Write", tool_input={"file_path": "/p/a.py"})


class World:
    """The breaker's section from event to event."""

    def __init__(self) -> None:
        self.section: dict[str, object] = {}
        self.files: dict[str, str] = {}
        self.now = 1000.0

    def facts(self) -> Facts:
        return Facts(
            root="/p",
            now=self.now,
            target=TargetFile(path="/p/a.py", exists=True, folder=True, text="x"),
            linter=Tooling(name="ruff", argv=("/v/ruff", "check", "/p/a.py"), cwd="/p"),
            state=State({LINT: self.section}),
        )

    def lints(self, ended: ErrandResult) -> tuple[str, str]:
        """What came of one write: `feedback`, `quiet`, or the advice instead of a run."""
        verdict = Lint().check(EVENT, self.facts())
        assert verdict is not None
        if verdict.errand is None:
            return "advice", verdict.context[0]
        said = Lint().conclude(EVENT, self.facts(), ended)
        for effect in said.effects if said else ():
            if isinstance(effect, Change):
                self.section = apply_change(self.section, effect)
            elif isinstance(effect, WriteFile):
                self.files[effect.path.rpartition("/")[2]] = effect.text
        return ("feedback" if said and said.says is Kind.DENY else "quiet"), said.reason if said else ""


BAD = ErrandResult(exit=1, output="a.py:1: F401 unused\n")
GOOD = ErrandResult()


def test_errors_are_feedback_with_the_linter_and_the_file():
    """S4-003, S4-111"""
    assert World().lints(BAD) == ("feedback", "Lint errors (ruff) in /p/a.py:\na.py:1: F401 unused")
    assert World().lints(GOOD) == ("quiet", "")


def test_the_command_runs_on_the_one_file():
    """S4-110"""
    verdict = Lint().check(EVENT, World().facts())
    assert verdict and verdict.errand and verdict.errand.argv == ("/v/ruff", "check", "/p/a.py")
    assert verdict.errand.timeout == 10


def test_three_failures_open_the_breaker_and_a_trial_follows():
    """S4-113"""
    world = World()
    assert [world.lints(BAD)[0] for _ in range(3)] == ["feedback"] * 3
    assert world.files[".lint-breaker"] == "open|3|1000\n"
    assert "OPEN" in world.lints(BAD)[1]
    world.now += 299
    assert world.lints(GOOD)[0] == "advice"
    world.now += 1
    assert world.lints(BAD)[0] == "feedback"
    assert world.files[".lint-breaker"] == "open|4|1300\n"
    assert world.lints(GOOD)[0] == "advice"
    world.now += 300
    assert world.lints(GOOD)[0] == "quiet"
    assert world.files[".lint-breaker"] == "closed|0|1600\n"
    assert world.lints(BAD)[0] == "feedback"
    assert world.files[".lint-breaker"] == "closed|1|1600\n"


def test_a_success_starts_the_count_anew():
    """S4-113"""
    world = World()
    for ended in (BAD, BAD, GOOD, BAD, BAD):
        assert world.lints(ended)[0] != "advice"
    assert world.files[".lint-breaker"] == "closed|2|1000\n"


def test_which_linter_was_used_is_written_per_language():
    """S4-112"""
    world = World()
    world.section = {"languages": {"javascript": "eslint"}}
    world.lints(GOOD)
    assert world.files[".lint-cache"] == "javascript|eslint\npython|ruff\n"


def test_a_linter_that_could_not_run_is_a_warning_and_no_failure():
    said = Lint().conclude(EVENT, World().facts(), ErrandResult(trouble="gave no answer within 10 s and was stopped"))
    assert said and said.says is Kind.NONE
    assert said.warnings == ("practice.lint: ruff gave no answer within 10 s and was stopped",)
    assert not said.effects


def test_a_long_output_is_cut():
    (_, reason) = World().lints(ErrandResult(exit=1, output="x" * 9000))
    assert len(reason) < 4200
    assert reason.endswith("5000 characters more")
