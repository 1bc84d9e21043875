"""What an event sets off and nobody waits for: test runs and desktop alerts, started after the event is on disk."""

import sys
from collections.abc import Iterable

import msgspec

from synaptic.model.call import Call
from synaptic.model.effect import Effect
from synaptic.model.errand import Alert, RunTests
from synaptic.model.home import Home
from synaptic.model.hook import Command, Hook
from synaptic.runners.base import Invocation
from synaptic.runners.desktop import alert_command
from synaptic.runners.execute import Runners

SUITE = (sys.executable, "-I", "-m", "synaptic.engine.suite")
SPARE = 30.0
"""Seconds beyond a run's own time, before it is called lost."""


def start(runners: Runners, home: Home, call: Call, effects: Iterable[Effect]) -> tuple[str, ...]:
    """Launch what the effects ask for; returns a warning for each that could not be started."""
    wanted = (_hook(effect, home, call) for effect in effects if isinstance(effect, RunTests | Alert))
    failures = (runners.start(Invocation(hook, call, {}, hook.timeout)) for hook in wanted if hook)
    return tuple(failure.message for failure in failures if failure)


def _hook(effect: RunTests | Alert, home: Home, call: Call) -> Hook | None:
    if isinstance(effect, RunTests):
        words = (*SUITE, str(home.root), call.root, msgspec.json.encode(effect).decode())
        seconds = effect.debounce + effect.cooldown + effect.timeout + SPARE
        return _background("practice.test-runner", Command(argv=words, cwd=call.root), seconds)
    if sys.platform != "darwin":
        return None
    words = alert_command(effect, {}, sys.platform)
    return _background("practice.notify", Command(argv=words), 5.0)


def _background(name: str, handler: Command, seconds: float) -> Hook:
    return Hook(
        id=name,
        events=(),
        handler=handler,
        blocking=False,
        timeout=seconds,
        protocol="native",
        source="built in",
    )
