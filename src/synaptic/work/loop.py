"""The loop of a big task: each command is a pure step of its section, taken on what is stored then."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from synaptic.model.errors import SynapticError
from synaptic.model.sane import MAX_ITERATIONS, SANELOOP, default_section
from synaptic.store import sections
from synaptic.work.command import CommandContext, RootCommand
from synaptic.work.state import ChangedSection, SectionCommand, change_section

Loop = dict[str, Any]
"""The section `saneloop`. While a loop runs it also holds `promise` and `log`; `archive` has the ended ones."""
KEEP_ENDED = 20
WARN_SHARES = (0.7, 0.9)
STATUS_HINT = "type: synaptic loop status"


class LoopCommand(SectionCommand, frozen=True, kw_only=True):
    """One step of the loop of a project."""

    section: str = SANELOOP

    def take_step(self, loop: Mapping[str, Any], now: str) -> Loop:
        """The loop after this step. Raises SynapticError for one that cannot be taken."""
        raise TypeError(f"{type(self).__name__} takes no step")

    def run(self, context: CommandContext) -> ChangedSection:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return change_section(context, self, lambda loop: self.take_step(loop, now))


class StartLoop(LoopCommand, frozen=True, kw_only=True):
    """A new loop; refused while another one runs, and for a plan that lacks something."""

    task: str
    """What is to be done."""
    promise: str
    """What will be true at the end."""
    criteria: tuple[str, ...]
    """How one will know."""
    max_iterations: int = MAX_ITERATIONS
    """Steps before the loop is stopped."""

    def take_step(self, loop: Mapping[str, Any], now: str) -> Loop:
        if loop.get("active"):
            what = f"a loop is already running: {loop.get('task')}"
            raise SynapticError(what, hint="synaptic loop complete, or cancel")
        self._check_plan()
        criteria = [{"num": num, "text": text, "checked": False} for num, text in enumerate(self.criteria, 1)]
        return {
            **default_section(SANELOOP),
            "active": True,
            "task": self.task,
            "max_iterations": self.max_iterations,
            "acceptance_criteria": criteria,
            "started_at": now,
            "promise": self.promise,
            "log": [],
            "archive": loop.get("archive", []),
        }

    def _check_plan(self) -> None:
        lacking = [name for name in ("task", "promise") if not getattr(self, name).strip()]
        if not self.criteria or not all(text.strip() for text in self.criteria):
            lacking.append("criterion")
        if lacking:
            raise SynapticError(f"a loop needs a {' and a '.join(lacking)}", hint="synaptic loop start --help")
        if self.max_iterations < 1:
            raise SynapticError("a loop needs at least one iteration", hint="--max-iterations 20")


class CheckCriterion(LoopCommand, frozen=True, kw_only=True):
    """One criterion is met."""

    num: int
    """Its number, from 1."""

    def take_step(self, loop: Mapping[str, Any], now: str) -> Loop:
        _require_running(loop)
        criteria = loop["acceptance_criteria"]
        if not any(one["num"] == self.num for one in criteria):
            raise SynapticError(f"there is no criterion {self.num}", hint=f"1 to {len(criteria)}; {STATUS_HINT}")
        met = [{**one, "checked": one["checked"] or one["num"] == self.num} for one in criteria]
        return {**loop, "acceptance_criteria": met}


class LogIteration(LoopCommand, frozen=True, kw_only=True):
    """One iteration is done. One more than the limit ends the loop: `is_exhausted` says so."""

    text: str
    """What was done and what came of it."""

    def take_step(self, loop: Mapping[str, Any], now: str) -> Loop:
        _require_running(loop)
        if not self.text.strip():
            raise SynapticError("say what was done and what came of it", hint='synaptic loop log "tests pass now"')
        iteration = int(loop["iteration"]) + 1
        entry = {"num": iteration, "text": self.text, "time": now}
        return {
            **loop,
            "active": iteration <= loop["max_iterations"],
            "iteration": iteration,
            "log": [*loop.get("log", []), entry],
        }


class CompleteLoop(LoopCommand, frozen=True, kw_only=True):
    """The promise is kept; refused with a list of what is not met yet."""

    def take_step(self, loop: Mapping[str, Any], now: str) -> Loop:
        _require_running(loop)
        if unmet := [one for one in loop["acceptance_criteria"] if not one["checked"]]:
            listed = "; ".join(f"{one['num']}. {one['text']}" for one in unmet)
            raise SynapticError(f"not met yet: {listed}", hint="synaptic loop check N")
        return _end_loop(loop, "complete", now)


class CancelLoop(LoopCommand, frozen=True, kw_only=True):
    """The loop ends without its promise; also one that its limit has stopped."""

    def take_step(self, loop: Mapping[str, Any], now: str) -> Loop:
        if not loop.get("active") and not is_exhausted(loop):
            raise SynapticError("no loop is running", hint="synaptic loop start --help")
        return _end_loop(loop, "stopped by its limit" if is_exhausted(loop) else "cancelled", now)


class ShowLoop(RootCommand[Loop], frozen=True, kw_only=True):
    """The loop as it stands."""

    def run(self, context: CommandContext) -> Loop:
        found = sections.get_section(context.store, self.require_root(context), SANELOOP)
        return found if isinstance(found, dict) else {}


def is_exhausted(loop: Mapping[str, Any]) -> bool:
    """Whether the loop was ended by its limit."""
    return not loop["active"] and loop["iteration"] > loop["max_iterations"]


def warn_of_limit(loop: Mapping[str, Any]) -> str:
    """What to say about the limit after an iteration; nothing while it is far."""
    iteration, limit = loop["iteration"], loop["max_iterations"]
    if is_exhausted(loop):
        return f"the loop has used its {limit} iterations and is stopped: report what is missing and ask the user"
    crossed = [share for share in WARN_SHARES if iteration - 1 < share * limit <= iteration]
    if iteration == limit:
        return f"iteration {iteration} of {limit}: this was the last one, the next ends the loop"
    return f"iteration {iteration} of {limit}: {limit - iteration} left" if crossed else ""


def _end_loop(loop: Mapping[str, Any], outcome: str, now: str) -> Loop:
    """End the loop and move it to the archive, with how it ended."""
    left_out = ("active", "archive")
    kept = {**{key: value for key, value in loop.items() if key not in left_out}, "outcome": outcome, "ended_at": now}
    return {**default_section(SANELOOP), "archive": [*loop.get("archive", []), kept][-KEEP_ENDED:]}


def _require_running(loop: Mapping[str, Any]) -> None:
    if not loop.get("active"):
        stopped = is_exhausted(loop)
        what = f"the loop was stopped after {loop['max_iterations']} iterations" if stopped else "no loop is running"
        raise SynapticError(what, hint="synaptic loop cancel" if stopped else "synaptic loop start --help")
