"""What an event leaves to do once it is on disk, and ours: hooks, files, mirrors, test runs and alerts."""

import asyncio
import logging
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec

from synaptic.engine.operator_files import replace_file
from synaptic.engine.promised_runs import promise_runs
from synaptic.engine.recovery import PromisedLines
from synaptic.model.call import Call, Request
from synaptic.model.decision import Failure
from synaptic.model.effect import Effect, UseAbility
from synaptic.model.errand import Alert, RunTests
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.model.hook import Command, Hook
from synaptic.model.layers import LAYER_EFFECTS
from synaptic.model.start_line import build_start_line
from synaptic.runners.base import Invocation
from synaptic.runners.desktop import build_alert_command
from synaptic.runners.execute import HookRunners
from synaptic.runners.spool import FinishedRun, PreparedRun
from synaptic.store import deliveries, mirror, usage
from synaptic.store.db import Store
from synaptic.store.record import Delivery, LinePromise

log = logging.getLogger(__name__)

TEST_RUN = build_start_line("synaptic.engine.suite")
SPARE_SECONDS = 30.0
"""Beyond a run's own time, before it is called lost."""


class LeftToDo(msgspec.Struct, frozen=True):
    """What a call leaves to do that is in the journal, and ours."""

    call: Call
    effects: tuple[Effect, ...] = ()
    runs: tuple[PreparedRun, ...] = ()
    """Hooks that nobody waits for."""
    promise: LinePromise | None = None


class SideEffects:
    """The effects of events that are in the journal, carried out in their order."""

    def __init__(self, home: Home, store: Store, runners: HookRunners) -> None:
        self._home = home
        self._store = store
        self._runners = runners
        self._lines = PromisedLines(home, store)
        self._waiting: list[LeftToDo] = []

    def promise_lines(self, effects: tuple[Effect, ...]) -> LinePromise | None:
        """What is written with a call, so that its lines are not lost if we are."""
        return self._lines.promise(effects) if effects else None

    def promise_runs(self, request: Request, runs: Sequence[PreparedRun]) -> None:
        """Leave a call where the next daemon finds it, so that its hooks are not lost if we are."""
        promise_runs(self._runners, request, runs)

    def withdraw_runs(self, runs: Sequence[PreparedRun]) -> None:
        """Take that back: the call is not ours."""
        for run in runs:
            self._runners.withdraw(run)

    def begin(self, left: LeftToDo) -> None:
        """Launch its hooks now, before anybody is answered; the rest waits for the next turn of the event loop."""
        for run in left.runs:
            if failure := self._runners.launch(run):
                self._tell_failure(run, failure)
        if all(isinstance(effect, LAYER_EFFECTS) for effect in left.effects):
            return  # most events: these were written with the event itself
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self.carry_out)
        self._waiting.append(left)

    def carry_out(self) -> None:
        """Carry out all queued effects, after what dead processes have left: those lines are older."""
        # By promise: projects that keep different things are written one after another, and the mark only goes forward.
        waiting, self._waiting = sorted(self._waiting, key=_get_promised_number), []
        self.recover_lines()
        for left in waiting:
            try:
                for warning in self._carry_out(left):
                    log.warning("%s", warning)
            except Exception:
                log.exception("what call %s left to do failed", left.call.id)  # the next one's is done all the same

    def recover_lines(self) -> None:
        """Write the lines that dead processes have promised."""
        try:
            for warning in self._lines.look_for_left():
                log.warning("%s", warning)
        except Exception:
            log.exception("lines that a dead process left could not be written")

    def collect_background(self) -> int:
        """Take in what background hooks have answered, for their sessions' next event; how many there were."""
        finished = self._runners.collect()
        for one in finished:
            if text := _describe_finished(one):
                deliveries.add_delivery(self._store, _make_delivery(one, text))
            self._runners.forget(one)
        return len(finished)

    def close(self) -> None:
        """Do what is left, and forget what is done."""
        self.carry_out()
        self._lines.close()

    def _carry_out(self, left: LeftToDo) -> tuple[str, ...]:
        call, effects = left.call, left.effects
        return (
            *self._lines.write(call.root, effects, left.promise),
            *mirror.update_mirror(self._store, call.root, effects),
            *_show_usage(self._store, call.root, effects),
            *start_background(self._runners, self._home, call, effects),
        )

    def _tell_failure(self, run: PreparedRun, failure: Failure) -> None:
        """Tell the session that a hook could not be started: the call it was for is decided and written."""
        log.warning("%s", failure.message)
        call, hook = run.invocation.call, run.invocation.hook.id
        event = call.event
        told = FinishedRun(
            id="",
            call=call.id,
            hook=hook,
            event=event.hook_event_name,
            session=event.session_id,
            agent_id=event.agent_id,
            outcome=failure,
        )
        with suppress(StoreError):
            deliveries.add_delivery(self._store, _make_delivery(told, _describe_finished(told)))


def start_background(runners: HookRunners, home: Home, call: Call, effects: Iterable[Effect]) -> tuple[str, ...]:
    """Launch the runs that effects ask for; returns a warning for each that could not be started."""
    wanted = (_make_background_hook(effect, home, call) for effect in effects if isinstance(effect, RunTests | Alert))
    failures = (runners.start(Invocation(hook, call, {}, hook.timeout)) for hook in wanted if hook)
    return tuple(failure.message for failure in failures if failure)


def _make_background_hook(effect: RunTests | Alert, home: Home, call: Call) -> Hook | None:
    if isinstance(effect, RunTests):
        words = (*TEST_RUN, str(home.root), call.root, msgspec.json.encode(effect).decode())
        seconds = effect.debounce + effect.cooldown + effect.timeout + SPARE_SECONDS
        return _make_hook("practice.test-runner", Command(argv=words, cwd=call.root), seconds)
    if sys.platform != "darwin":
        return None
    return _make_hook("practice.notify", Command(argv=build_alert_command(effect, {}, sys.platform)), 5.0)


def _make_hook(name: str, handler: Command, seconds: float) -> Hook:
    return Hook(
        id=name,
        events=(),
        handler=handler,
        blocking=False,
        awaited=False,
        timeout=seconds,
        protocol="native",
        source="built in",
    )


def _show_usage(store: Store, root: str, effects: Iterable[Effect]) -> tuple[str, ...]:
    """The files that show how often abilities were called; a warning for each that could not be written."""
    files = dict.fromkeys(effect.file for effect in effects if isinstance(effect, UseAbility) and effect.file)
    return tuple(warning for file in files if (warning := _show_usage_in(store, root, file)))


def _show_usage_in(store: Store, root: str, file: str) -> str:
    try:
        usage.export_usage(store, root, lambda counts: replace_file(root, file, _format_counts(counts)))
    except (OSError, ValueError, StoreError) as error:
        return f"{file} was not written: {error}"
    return ""


def _format_counts(counts: dict[str, object]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(counts), indent=2) + b"\n"


def _get_promised_number(left: LeftToDo) -> int:
    return left.promise.number if left.promise else 0


def _describe_finished(finished: FinishedRun) -> str:
    """What a background hook wants the model to know; its failure is worth knowing too."""
    outcome = finished.outcome
    if isinstance(outcome, Failure):
        return f"background hook {finished.hook}: {outcome.fault}: {outcome.message}"
    return "\n".join(outcome.context + outcome.messages) if outcome else ""


def _make_delivery(finished: FinishedRun, text: str) -> Delivery:
    return Delivery(
        call=finished.call,
        hook=finished.hook,
        session=finished.session,
        agent_id=finished.agent_id,
        text=text,
        at=time.time(),
    )
