"""The loop of a big task, as pure steps of its section: start, check, log, complete, cancel."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from synaptic.model.errors import SynapticError
from synaptic.model.sane import MAX_ITERATIONS, SANELOOP, defaults

Loop = dict[str, Any]
"""The section `saneloop`. While a loop runs it also holds `promise` and `log`; `archive` has the ended ones."""
KEEP_ENDED = 20
WARN_AT = (0.7, 0.9)
STATUS = "type: synaptic loop status"


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be reached, and how one will know."""

    task: str
    promise: str
    criteria: Sequence[str]
    max_iterations: int = MAX_ITERATIONS


def start(loop: Mapping[str, Any], plan: Plan, now: str) -> Loop:
    """A new loop. Raises SynapticError while another one runs, and for a plan that lacks something."""
    if loop.get("active"):
        raise SynapticError(f"a loop is already running: {loop.get('task')}", hint="synaptic loop complete, or cancel")
    lacking = [name for name in ("task", "promise") if not getattr(plan, name).strip()]
    if not plan.criteria or not all(text.strip() for text in plan.criteria):
        lacking.append("criterion")
    if lacking:
        raise SynapticError(f"a loop needs a {' and a '.join(lacking)}", hint="synaptic loop start --help")
    if plan.max_iterations < 1:
        raise SynapticError("a loop needs at least one iteration", hint="--max-iterations 20")
    criteria = [{"num": num, "text": text, "checked": False} for num, text in enumerate(plan.criteria, 1)]
    return {
        **defaults(SANELOOP),
        "active": True,
        "task": plan.task,
        "max_iterations": plan.max_iterations,
        "acceptance_criteria": criteria,
        "started_at": now,
        "promise": plan.promise,
        "log": [],
        "archive": loop.get("archive", []),
    }


def check(loop: Mapping[str, Any], num: int) -> Loop:
    """One criterion is met."""
    _running(loop)
    criteria = loop["acceptance_criteria"]
    if not any(one["num"] == num for one in criteria):
        raise SynapticError(f"there is no criterion {num}", hint=f"1 to {len(criteria)}; {STATUS}")
    met = [{**one, "checked": one["checked"] or one["num"] == num} for one in criteria]
    return {**loop, "acceptance_criteria": met}


def log(loop: Mapping[str, Any], text: str, now: str) -> Loop:
    """One iteration is done. One more than the limit ends the loop: `exhausted` says so."""
    _running(loop)
    if not text.strip():
        raise SynapticError("say what was done and what came of it", hint='synaptic loop log "tests pass now"')
    iteration = int(loop["iteration"]) + 1
    entry = {"num": iteration, "text": text, "time": now}
    return {
        **loop,
        "active": iteration <= loop["max_iterations"],
        "iteration": iteration,
        "log": [*loop.get("log", []), entry],
    }


def exhausted(loop: Mapping[str, Any]) -> bool:
    """The loop was ended by its limit."""
    return not loop["active"] and loop["iteration"] > loop["max_iterations"]


def warning(loop: Mapping[str, Any]) -> str:
    """What to say about the limit after an iteration; nothing while it is far."""
    iteration, limit = loop["iteration"], loop["max_iterations"]
    if exhausted(loop):
        return f"the loop has used its {limit} iterations and is stopped: report what is missing and ask the user"
    crossed = [share for share in WARN_AT if iteration - 1 < share * limit <= iteration]
    if iteration == limit:
        return f"iteration {iteration} of {limit}: this was the last one, the next ends the loop"
    return f"iteration {iteration} of {limit}: {limit - iteration} left" if crossed else ""


def complete(loop: Mapping[str, Any], now: str) -> Loop:
    """The promise is kept. Raises SynapticError that lists what is not met yet."""
    _running(loop)
    if unmet := [one for one in loop["acceptance_criteria"] if not one["checked"]]:
        listed = "; ".join(f"{one['num']}. {one['text']}" for one in unmet)
        raise SynapticError(f"not met yet: {listed}", hint="synaptic loop check N")
    return _ended(loop, "complete", now)


def cancel(loop: Mapping[str, Any], now: str) -> Loop:
    """The loop ends without its promise; also one that its limit has stopped."""
    if not loop.get("active") and not exhausted(loop):
        raise SynapticError("no loop is running", hint="synaptic loop start --help")
    return _ended(loop, "stopped by its limit" if exhausted(loop) else "cancelled", now)


def _ended(loop: Mapping[str, Any], outcome: str, now: str) -> Loop:
    """No loop runs; what this one was is kept with how it ended."""
    left_out = ("active", "archive")
    kept = {**{key: value for key, value in loop.items() if key not in left_out}, "outcome": outcome, "ended_at": now}
    return {**defaults(SANELOOP), "archive": [*loop.get("archive", []), kept][-KEEP_ENDED:]}


def _running(loop: Mapping[str, Any]) -> None:
    if not loop.get("active"):
        stopped = exhausted(loop)
        what = f"the loop was stopped after {loop['max_iterations']} iterations" if stopped else "no loop is running"
        raise SynapticError(what, hint="synaptic loop cancel" if stopped else "synaptic loop start --help")
