"""Tell a new session the state of the project."""

from synaptic.model.decision import Verdict, advise
from synaptic.model.effect import Effect, RemoveFile
from synaptic.model.event import SessionStart
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.lines import findings, git_line, main_warning, on_protected, plan_line
from synaptic.policies.practice.records import PRESERVED as PRESERVED_FILE
from synaptic.policies.practice.records import record_path
from synaptic.policies.practice.sections import FINDINGS, PRESERVED, TESTS, test_status


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
        lines = [*_preserved(facts), *_git(facts), plan_line(facts), *self._stale(facts), *_unread(event, facts)]
        return advise("\n".join(lines), *_taken(facts))

    def _stale(self, facts: Facts) -> list[str]:
        if not facts.plan.exists or facts.plan_commits < self.stale_commits:
            return []
        return [f"WARNING: {facts.plan_commits} commits since the plan was changed; read it with care and update it."]


def _git(facts: Facts) -> list[str]:
    if not facts.git.known:
        return []
    lines = [git_line(facts)]
    if on_protected(facts.git):
        lines.append(main_warning(facts))
    lines += (f"  worktree: {path}" for path in facts.git.worktrees)
    return lines


def _unread(event: SessionStart, facts: Facts) -> list[str]:
    lines = []
    if stale := [name for name in facts.leftovers if not event.session_id or event.session_id not in name]:
        lines.append(f"{len(stale)} file(s) of other sessions in .claude: {', '.join(stale[:3])}")
    if unresolved := findings(facts):
        lines.append("Unresolved findings:\n" + "\n".join(f"  {item}" for item in unresolved))
    status = test_status(facts)
    if status and not status.passed:
        lines.append(f"WARNING: the last test run failed ({status.failures} failure(s)).")
    return lines


def _preserved(facts: Facts) -> list[str]:
    text = facts.state.text(PRESERVED, "text")
    return [f"Preserved before the compaction:\n{text}"] if text else []


def _taken(facts: Facts) -> tuple[Effect, ...]:
    if not facts.state.text(PRESERVED, "text"):
        return ()
    return (Change(section=PRESERVED, clear=True), RemoveFile(record_path(facts.root, PRESERVED_FILE)))
