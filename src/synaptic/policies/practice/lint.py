"""What the project's linter says about a file that was just written."""

from synaptic.model.decision import Verdict, advise, deny, record
from synaptic.model.effect import Effect, WriteFile
from synaptic.model.errand import Errand, ErrandResult
from synaptic.model.event import PostToolUse
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.records import BREAKER_FILE, LINT_CACHE_FILE, make_record_path
from synaptic.policies.practice.sections import LINT
from synaptic.policies.practice.tooling import find_language
from synaptic.policies.source_files import is_skippable, is_source, to_project_path
from synaptic.store.redact import cut_text

MAX_LINT_OUTPUT = 4000
"""Characters of a linter's output that the model is told."""


class Lint(Policy):
    """Files that the project's own linter does not accept.

    ## What it does
    After a source file was written, runs the linter that the project is configured for on that one file, with its
    automatic fixes, and hands what is left to the model. After three failures in a row it stays quiet for five
    minutes, then tries once more.
    ## Why
    A fault is cheapest to mend while the file is still in mind. A linter that always fails only costs time.
    ## Known gaps
    Only configurations at the top of the working tree are found. It runs a program of the project, so a project's own
    config cannot switch it on.
    """

    id = "practice.lint"
    events = (PostToolUse,)
    tools = ("Write", "Edit")
    priority = 36
    preset = "practice"
    runs = True
    needs = ("target", "linter", LINT)

    timeout: float = 10.0
    """Seconds the linter may take."""
    failures: int = 3
    """Failures in a row after which it is left alone."""
    pause: int = 300
    """Seconds for which it is left alone."""

    def check(self, event: PostToolUse, facts: Facts) -> Verdict | None:
        path = to_project_path(event.tool.read_text("file_path"), facts.root)
        if not is_source(path) or is_skippable(path) or not facts.target.exists or not facts.linter.argv:
            return None
        waited = int(facts.now) - facts.state.read_number(LINT, "at")
        if facts.state.read_text(LINT, "state") == "open" and waited < self.pause:
            return advise(
                f"Lint breaker OPEN: {facts.linter.name} failed {self.failures} times in a row and is left alone for "
                f"{int(self.pause - waited)} s more. Run it yourself and fix what it says."
            )
        tool = facts.linter
        return Verdict(errand=Errand(argv=tool.argv, cwd=tool.cwd, timeout=self.timeout, name=tool.name))

    def conclude(self, event: PostToolUse, facts: Facts, ended: ErrandResult) -> Verdict | None:
        # The linter could not be run: that says nothing about the file, and must not count as a failure of it.
        if ended.trouble:
            return Verdict(warnings=(f"{self.id}: {facts.linter.name} {ended.trouble}",))
        if ended.exit == 0:
            effects = self._close_breaker(facts)
            return record(*effects) if effects else None
        text = ended.output.strip() or f"exit {ended.exit} without a word"
        return deny(
            f"Lint errors ({facts.linter.name}) in {facts.target.path}:\n{_cut_output(text)}",
            *self._count_failure(facts),
        )

    def _close_breaker(self, facts: Facts) -> tuple[Effect, ...]:
        if facts.state.read_number(LINT, "count") == 0 and facts.state.read_text(LINT, "state") in ("", "closed"):
            return _cache_linter(facts)
        return (*_write_breaker("closed", 0, facts), *_cache_linter(facts))

    def _count_failure(self, facts: Facts) -> tuple[Effect, ...]:
        """One more; the trial after a pause opens the breaker again at once."""
        trial = facts.state.read_text(LINT, "state") == "open"
        count = int(facts.state.read_number(LINT, "count")) + 1
        state = "open" if trial or count >= self.failures else "closed"
        return (*_write_breaker(state, count, facts), *_cache_linter(facts))


def _write_breaker(state: str, count: int, facts: Facts) -> tuple[Effect, ...]:
    at = int(facts.now)
    return (
        Change(section=LINT, put={"state": state, "count": count, "at": at}),
        WriteFile(make_record_path(facts.root, BREAKER_FILE), f"{state}|{count}|{at}\n"),
    )


def _cache_linter(facts: Facts) -> tuple[Effect, ...]:
    """Which linter is used for which language, for operators."""
    known = facts.state.read_section(LINT).get("languages")
    before = {str(key): str(value) for key, value in known.items()} if isinstance(known, dict) else {}
    after = {**before, find_language(facts.target.path): facts.linter.name}
    if after == before:
        return ()
    lines = "".join(f"{name}|{tool}\n" for name, tool in sorted(after.items()))
    return (
        Change(section=LINT, put={"languages": after}),
        WriteFile(make_record_path(facts.root, LINT_CACHE_FILE), lines),
    )


def _cut_output(text: str) -> str:
    return (
        text
        if len(text) <= MAX_LINT_OUTPUT
        else f"{cut_text(text, MAX_LINT_OUTPUT)}\n... {len(text) - MAX_LINT_OUTPUT} characters more"
    )
