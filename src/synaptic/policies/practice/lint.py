"""What the project's linter says about a file that was just written."""

from synaptic.model.decision import Verdict, advise, deny, record
from synaptic.model.effect import Effect, WriteFile
from synaptic.model.errand import Ended, Errand
from synaptic.model.event import PostToolUse
from synaptic.model.state import Change
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.practice.records import BREAKER, LINT_CACHE, record_path
from synaptic.policies.practice.sections import LINT
from synaptic.policies.practice.tooling import language
from synaptic.policies.source_files import is_skippable, is_source, local

LONGEST = 4000
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
        path = local(event.tool.text("file_path"), facts.root)
        if not is_source(path) or is_skippable(path) or not facts.target.exists or not facts.linter.argv:
            return None
        waited = int(facts.now) - facts.state.number(LINT, "at")
        if facts.state.text(LINT, "state") == "open" and waited < self.pause:
            return advise(
                f"Lint breaker OPEN: {facts.linter.name} failed {self.failures} times in a row and is left alone for "
                f"{int(self.pause - waited)} s more. Run it yourself and fix what it says."
            )
        tool = facts.linter
        return Verdict(errand=Errand(argv=tool.argv, cwd=tool.cwd, timeout=self.timeout, name=tool.name))

    def conclude(self, event: PostToolUse, facts: Facts, ended: Ended) -> Verdict | None:
        # The linter could not be run: that says nothing about the file, and must not count as a failure of it.
        if ended.trouble:
            return Verdict(warnings=(f"{self.id}: {facts.linter.name} {ended.trouble}",))
        if ended.exit == 0:
            effects = self._closed(facts)
            return record(*effects) if effects else None
        text = ended.output.strip() or f"exit {ended.exit} without a word"
        return deny(f"Lint errors ({facts.linter.name}) in {facts.target.path}:\n{_cut(text)}", *self._failed(facts))

    def _closed(self, facts: Facts) -> tuple[Effect, ...]:
        if facts.state.number(LINT, "count") == 0 and facts.state.text(LINT, "state") in ("", "closed"):
            return _cached(facts)
        return (*_breaker("closed", 0, facts), *_cached(facts))

    def _failed(self, facts: Facts) -> tuple[Effect, ...]:
        """One more; the trial after a pause opens the breaker again at once."""
        trial = facts.state.text(LINT, "state") == "open"
        count = int(facts.state.number(LINT, "count")) + 1
        state = "open" if trial or count >= self.failures else "closed"
        return (*_breaker(state, count, facts), *_cached(facts))


def _breaker(state: str, count: int, facts: Facts) -> tuple[Effect, ...]:
    at = int(facts.now)
    return (
        Change(section=LINT, put={"state": state, "count": count, "at": at}),
        WriteFile(record_path(facts.root, BREAKER), f"{state}|{count}|{at}\n"),
    )


def _cached(facts: Facts) -> tuple[Effect, ...]:
    """Which linter is used for which language, for operators."""
    known = facts.state.section(LINT).get("languages")
    before = {str(key): str(value) for key, value in known.items()} if isinstance(known, dict) else {}
    after = {**before, language(facts.target.path): facts.linter.name}
    if after == before:
        return ()
    lines = "".join(f"{name}|{tool}\n" for name, tool in sorted(after.items()))
    return (Change(section=LINT, put={"languages": after}), WriteFile(record_path(facts.root, LINT_CACHE), lines))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n... {len(text) - LONGEST} characters more"
