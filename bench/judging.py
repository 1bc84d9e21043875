"""What the policies say about the rows of a case set. Nothing is run."""

import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from bench.case_sets import Row
from synaptic.engine.check import Checker, summarize_decision
from synaptic.engine.runtime import PoliciesOnly
from synaptic.model.call import Call, Request
from synaptic.model.home import Home
from synaptic.policies.base import Policy, load_policies
from synaptic.policies.cases import find_mismatch, load_cases
from synaptic.policies.facts import Facts

HOME_FOLDER = re.compile(r"/(?:home|Users)/[^/]+|/root")
ELSEWHERE_HOME = "/home/dev"
PROGRESS_STEP = 100
ALARMS = ("deny", "ask")


class MiddleOfSession(PoliciesOnly):
    """Of the sessions in which they were typed nothing else is known: gates that wait for research are not asked."""

    async def gather_facts(self, call: Call, needs: frozenset[str]) -> Facts:
        facts = await super().gather_facts(call, needs)
        if facts.command is None or not facts.state.known:
            return facts
        return msgspec.structs.replace(facts, state=msgspec.structs.replace(facts.state, known=False))


class Judged(msgspec.Struct, frozen=True):
    """A row with what the policies said."""

    row: Row
    decision: str
    policy: str | None = None

    @property
    def right(self) -> bool:
        """A rewrite is no refusal: it stops the danger and lets the work go on."""
        if self.row.expect == "block":
            return self.decision != "allow"
        return self.decision in ("allow", "rewrite")

    @property
    def is_alarm(self) -> bool:
        return self.decision in ALARMS

    @property
    def is_wrong_by_eye(self) -> bool:
        """An alarm, or another command in its place, where somebody looked and found it wrong."""
        return self.row.verdict_by_eye == "wrong" and self.decision != "allow"

    @property
    def is_lost(self) -> bool:
        """No alarm where somebody looked and found one right."""
        return self.row.verdict_by_eye == "right" and self.decision == "allow"

    @property
    def is_unseen(self) -> bool:
        """An alarm that nobody has looked at: counted as wrong until somebody has."""
        return self.is_alarm and not self.row.verdict_by_eye


class PolicyCases(msgspec.Struct, frozen=True):
    """What one policy made of its own case file."""

    policy: str
    preset: str
    fires: int
    quiet: int
    failed: tuple[str, ...] = ()


async def judge(rows: Iterable[Row], cwd: str, preset: str = "essentials", name: str = "") -> list[Judged]:
    """What the policies of a user say who has one preset and nothing else."""
    with tempfile.TemporaryDirectory(prefix="syn-accuracy-") as folder:
        home = Home(Path(folder))
        home.config.write_text(f'presets = ["{preset}"]\n', encoding="utf-8")
        checker, judged = Checker(home), []
        for row in rows:
            judged.append(await _judge_row(checker, row, row.cwd or cwd))
            _show_progress(name, len(judged))
        _show_progress(name, 0)
        return judged


async def _judge_row(checker: Checker, row: Row, cwd: str) -> Judged:
    question = {"tool_name": "Bash", "tool_input": {"command": row.cmd}, "cwd": cwd}
    home = HOME_FOLDER.match(cwd)
    # `~` is the home of whoever typed it, so that a project below it is in its place.
    env = {"HOME": home[0] if home else ELSEWHERE_HOME}
    request = Request(agent="claude", event="PreToolUse", stdin=msgspec.json.encode(question), id="check", env=env)
    answer = summarize_decision(await checker.engine.judge(request, MiddleOfSession))
    return Judged(row, str(answer["decision"]), str(answer["policy"]) if answer["policy"] else None)


def judge_policy_cases() -> list[PolicyCases]:
    """Every policy against its own case file."""
    return [_judge_cases(policy) for policy in load_policies().values()]


def _judge_cases(policy: type[Policy]) -> PolicyCases:
    cases = load_cases(policy)
    wrong = ((case.name, find_mismatch(policy, case)) for case in cases)
    failed = tuple(f"{name}: {what}" for name, what in wrong if what)
    quiet = sum(case.want == "none" for case in cases)
    return PolicyCases(policy.id, policy.preset, len(cases) - quiet, quiet, failed)


def count_right(judged: Sequence[Judged], expect: str) -> tuple[int, int]:
    """How many rows of a kind were judged right, and how many there are."""
    rows = [one for one in judged if one.row.expect == expect]
    return sum(one.right for one in rows), len(rows)


def _show_progress(name: str, count: int) -> None:
    """On a terminal alone; 0 wipes the line."""
    if name and sys.stderr.isatty() and count % PROGRESS_STEP == 0:
        sys.stderr.write(f"\r\x1b[K{name}: {count:,}" if count else "\r\x1b[K")
        sys.stderr.flush()
