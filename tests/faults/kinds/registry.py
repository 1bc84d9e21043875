"""Hooks that come, go and change between calls."""

from tests.faults.kind import kind
from tests.faults.step import Step


def add_entries(step: Step, count: int) -> None:
    """Some more hooks in the project's registry, all quiet."""
    main = step.world.projects["main"]
    entry = {"matcher": "Bash", "script": "odd", "blocking": True, "timeout": 5}
    added = "".join(step.world.format_entry(main, {**entry, "id": f"more.{number}"}) for number in range(count))
    step.replace(step.world.registry, step.world.registry.read_bytes() + added.encode())


@kind("registry.added")
def add_hook(step: Step) -> None:
    """One more hook between calls."""
    for _ in range(2):
        add_entries(step, 1)
        step.volley(2, ("echo", "guarded"))
        step.finish()


@kind("registry.many")
def add_many_hooks(step: Step) -> None:
    """A hundred more hooks for another tool."""
    main = step.world.projects["main"]
    entry = {"matcher": "WebFetch", "script": "odd", "blocking": True}
    added = "".join(step.world.format_entry(main, {**entry, "id": f"many.{number}"}) for number in range(100))
    step.replace(step.world.registry, step.world.registry.read_bytes() + added.encode())
    step.mix(3)


@kind("registry.removed", "guarded", "hooks")
def remove_registry(step: Step) -> None:
    """No registry: its hooks are gone with it."""
    step.world.registry.unlink()
    step.mix(3)


@kind("registry.edited")
def edit_script(step: Step) -> None:
    """A script that changes between two calls: the second one runs the new text."""
    seen = step.world.base / "seen"
    for number in range(3):
        step.write_hook(f"#!/bin/sh\necho {number} > {seen}\n")
        step.call("grep")
        if seen.read_text().strip() != str(number):
            raise AssertionError(f"the hook that ran is not the one that was written: {number}")


@kind("registry.in-burst")
def rewrite_registry(step: Step) -> None:
    """A registry that is written again and again, whole, while calls are made."""
    text = step.world.registry.read_bytes()
    for number in range(6):
        step.replace(step.world.registry, text + f"# {number}\n".encode())
        step.volley(2, ("guarded", "reset", "glob"))


@kind("registry.guard-edited")
def edit_guard(step: Step) -> None:
    """A guard that is written again and again, whole: whatever is there, it says no."""
    path = step.world.locate_script(step.world.projects["main"], "guard")
    text = path.read_bytes()
    for number in range(4):
        step.replace(path, text + f"# {number}\n".encode())
        step.volley(2, ("guarded",))
