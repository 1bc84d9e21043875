"""Hooks that behave badly: the chain goes on, what must be stopped is stopped, nothing is left of them."""

from tests.faults.kind import kind
from tests.faults.step import Step

HOSTILE = {
    "silent": ("exec 1>&- 2>&-\nexit 0", "It closes its output and says nothing."),
    "noisy": ("i=0; while [ $i -lt 2000 ]; do echo noise >&2; i=$((i+1)); done", "It fills its error output."),
    "huge": ("head -c 20000000 /dev/zero | tr '\\0' x", "It prints twenty megabytes."),
    "forking": ("sleep 0.7 &\nsleep 0.7 &\nexit 0", "It leaves children that hold its output."),
    "daemonizing": ("setsid sh -c 'sleep 0.7' </dev/null >/dev/null 2>&1 &\nexit 0", "It leaves a daemon of its own."),
    "invalid-json": ('printf \'{"action": "blo\'', "It prints half of a decision."),
    "binary": ("head -c 5000 /dev/urandom", "It prints random bytes."),
    "deep-json": ("head -c 200000 /dev/zero | tr '\\0' '['", "It prints a list in lists in lists."),
    "deaf": ("exec 0<&-\nsleep 0.05", "It does not read what it is given."),
    "self-killing": ("kill -9 $$", "It ends itself."),
    "self-removing": ('rm -f "$0"', "It removes its own script."),
    "closing-late": ("(sleep 0.2; echo late) &\nexit 0", "It prints after its end."),
    "bomb": ("for i in 1 2 3 4 5 6 7 8 9 10; do (sleep 0.5 & sleep 0.5 &) ; done", "It starts many that start others."),
}


def enter_hostile(name: str, body: str, note: str) -> None:
    def inject(step: Step) -> None:
        step.write_hook(f"#!/bin/sh\n{body}\n")
        step.volley(2, ("grep",))
        step.finish()
        step.mix(1)

    inject.__doc__ = note
    kind(f"hook.{name}", "hooks")(inject)


for _name, (_body, _note) in HOSTILE.items():
    enter_hostile(_name, _body, _note)


@kind("hook.slow", "hooks", rare=2)
def run_slow_hook(step: Step) -> None:
    """It takes longer than it may."""
    step.write_hook("#!/bin/sh\nsleep 20\n")
    step.start("grep")
    step.mix(2)


@kind("hook.ignoring-signals", "hooks", rare=2)
def run_stubborn_hook(step: Step) -> None:
    """It takes longer than it may and ignores every signal that can be ignored."""
    step.write_hook("#!/bin/sh\ntrap '' TERM INT HUP PIPE\nsleep 20\nsleep 20\n")
    step.start("grep")
    step.mix(2)


@kind("hook.exit-code", "hooks")
def run_odd_exits(step: Step) -> None:
    """It ends with some exit code."""
    for _ in range(3):
        step.write_hook(f"#!/bin/sh\nexit {step.random.randrange(256)}\n")
        step.call("grep")


@kind("hook.guard-exit-code", "hooks")
def run_failing_guard(step: Step) -> None:
    """A guard whose failure means no ends with some exit code other than 0."""
    step.write_hook(f"#!/bin/sh\nexit {step.random.randrange(1, 256)}\n", "guard")
    step.call("guarded")


@kind("hook.guard-killed", "hooks")
def run_dying_guard(step: Step) -> None:
    """A guard whose failure means no is ended while it thinks."""
    step.write_hook("#!/bin/sh\nkill -SEGV $$\n", "guard")
    step.volley(2, ("guarded",))


@kind("hook.guard-missing", "hooks")
def lose_guard(step: Step) -> None:
    """The script of a guard whose failure means no is gone."""
    step.world.locate_script(step.world.projects["main"], "guard").unlink()
    step.call("guarded")


@kind("hook.guard-not-executable", "hooks")
def make_guard_unusable(step: Step) -> None:
    """The script of a guard whose failure means no cannot be executed."""
    step.world.locate_script(step.world.projects["main"], "guard").chmod(0o600)
    step.call("guarded")


@kind("hook.kills-parent", "hooks", "unheard")
def kill_parent(step: Step) -> None:
    """It ends the process that has started it: the daemon, or the engine in its place."""
    marker = step.world.base / f"shot-{step.number}"
    # Once: the engine that takes over runs the same hook, and the call shall come to an end.
    step.write_hook(f"#!/bin/sh\n[ -e {marker} ] && exit 0\n: > {marker}\nkill -9 $PPID\nexit 0\n")
    step.volley(2, ("grep", "glob"))
    step.call("grep")
    marker.unlink(missing_ok=True)


@kind("hook.stops-parent", "hooks", "traces", rare=8)
def stop_parent(step: Step) -> None:
    """It stops the process that has started it."""
    marker = step.world.base / f"shot-{step.number}"
    step.write_hook(f"#!/bin/sh\n[ -e {marker} ] && exit 0\n: > {marker}\nkill -STOP $PPID\nexit 0\n")
    step.call("grep")
    marker.unlink(missing_ok=True)


@kind("hook.background-huge", "hooks")
def run_huge_background(step: Step) -> None:
    """One that nobody waits for prints twenty megabytes."""
    step.write_hook("#!/bin/sh\nhead -c 20000000 /dev/zero | tr '\\0' x\n", "note")
    step.volley(2, ("glob",))
    step.finish()
    step.mix(1)


@kind("hook.background-fails", "hooks")
def run_failing_background(step: Step) -> None:
    """One that nobody waits for ends itself, or prints nonsense."""
    step.write_hook(
        f"#!/bin/sh\n{step.random.choice(('kill -9 $$', 'exit 3', 'echo nonsense', 'exec 1>&-'))}\n", "note"
    )
    step.volley(3, ("glob",))
    step.finish()


@kind("hook.background-kills-parent", "hooks")
def kill_parent_from_background(step: Step) -> None:
    """One that nobody waits for ends the daemon."""
    marker = step.world.base / f"shot-{step.number}"
    step.write_hook(f"#!/bin/sh\n[ -e {marker} ] && exit 0\n: > {marker}\nkill -9 $PPID\n", "note")
    step.call("glob")
    step.mix(2)
    marker.unlink(missing_ok=True)


@kind("hook.background-lingers", "hooks", rare=2)
def leave_background_children(step: Step) -> None:
    """One that nobody waits for leaves children behind."""
    step.write_hook("#!/bin/sh\nsleep 0.7 &\nexit 0\n", "note")
    step.call("glob")
    step.mix(1)


@kind("hook.large-input")
def give_large_input(step: Step) -> None:
    """Hooks that read nothing are given half a megabyte."""
    step.write_hook("#!/bin/sh\nexit 0\n")
    step.call("grep", extra="x" * 500_000)
    step.call("reset", extra="x" * 500_000)
