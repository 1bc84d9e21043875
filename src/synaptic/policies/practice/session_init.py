"""Tell a new session the state of the project."""

from synaptic.model.decision import Verdict, advise
from synaptic.model.effect import Effect, RemoveFile
from synaptic.model.event import SessionStart
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.lines import (
    format_git_line,
    format_main_warning,
    format_plan_line,
    is_on_protected,
    list_findings,
)
from synaptic.policies.practice.records import PRESERVED_FILE as PRESERVED_FILE
from synaptic.policies.practice.records import make_record_path
from synaptic.policies.practice.sections import FINDINGS, PRESERVED, TESTS, read_test_status


class SessionInit(Policy):
    """A session that does not know where it stands.

    ## What it does
    Tells the model branch, uncommitted changes and worktrees, the state of the plan, files that ended sessions left,
    findings that nobody has read, a failing last test run, and first of all what a compaction preserved.
    ## Why
    A model that knows the state of the work does not begin with the wrong thing.
    ## Known gaps
    Uncommitted changes are not counted where git cannot be run.
    """

    id = "practice.session-init"
    events = (SessionStart,)
    priority = 60
    preset = "practice"
    needs = ("git", "dirty", "plan", "plan_commits", "tests", "leftovers", TESTS, FINDINGS, PRESERVED)

    stale_commits: int = 5
    """Commits since the plan's last change from which on it is called stale."""

    def check(self, event: SessionStart, facts: Facts) -> Verdict | None:
        if not facts.root:
            return None
        lines = [
            *_list_preserved(facts),
            *_list_git_lines(facts),
            format_plan_line(facts),
            *self._warn_stale_plan(facts),
            *_list_unread(event, facts),
        ]
        return advise("\n".join(lines), *_clear_preserved(facts))

    def _warn_stale_plan(self, facts: Facts) -> list[str]:
        if not facts.plan.exists or facts.plan_commits < self.stale_commits:
            return []
        return [f"WARNING: {facts.plan_commits} commits since the plan was changed; read it with care and update it."]


def _list_git_lines(facts: Facts) -> list[str]:
    if not facts.git.is_known:
        return []
    lines = [format_git_line(facts)]
    if is_on_protected(facts.git):
        lines.append(format_main_warning(facts))
    lines += (f"  worktree: {path}" for path in facts.git.worktrees)
    return lines


def _list_unread(event: SessionStart, facts: Facts) -> list[str]:
    lines = []
    if stale := [name for name in facts.leftovers if not event.session_id or event.session_id not in name]:
        lines.append(f"{len(stale)} file(s) of other sessions in .claude: {', '.join(stale[:3])}")
    if unresolved := list_findings(facts):
        lines.append("Unresolved findings:\n" + "\n".join(f"  {item}" for item in unresolved))
    status = read_test_status(facts)
    if status and not status.has_passed:
        lines.append(f"WARNING: the last test run failed ({status.failures} failure(s)).")
    return lines


def _list_preserved(facts: Facts) -> list[str]:
    text = facts.state.read_text(PRESERVED, "text")
    return [f"Preserved before the compaction:\n{text}"] if text else []


def _clear_preserved(facts: Facts) -> tuple[Effect, ...]:
    if not facts.state.read_text(PRESERVED, "text"):
        return ()
    return (Change(section=PRESERVED, clear=True), RemoveFile(make_record_path(facts.root, PRESERVED_FILE)))
