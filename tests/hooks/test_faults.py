"""Why a declared hook does not run."""

from pathlib import Path

import pytest

from synaptic.hooks.catalog import HookCatalogs
from synaptic.hooks.faults import find_faults, find_switched_off
from synaptic.model.home import Home
from synaptic.model.hook import Command, Hook, PythonFunction


def hook(handler: Command | PythonFunction) -> Hook:
    return Hook(id="mine", events=("Stop",), handler=handler)


@pytest.mark.parametrize(
    ("text", "mode", "fault"),
    [
        (None, 0, "is missing"),
        ("#!/bin/sh\n", 0o644, "is not executable"),
        ("#!/no/such/program -x\n", 0o755, "asks for /no/such/program"),
        ("#!/usr/bin/env -S A=b no-such-program\n", 0o755, "asks for no-such-program"),
        ("#!/usr/bin/env sh\n", 0o755, ""),
        ("no first line", 0o755, ""),
    ],
)
def test_a_script_that_cannot_run_says_why(tmp_path: Path, text: str | None, mode: int, fault: str):
    script = tmp_path / "run.sh"
    if text is not None:
        script.write_text(text)
        script.chmod(mode)
    found = list(find_faults(hook(Command(argv=(str(script),)))))
    assert [fault in one for one in found] == ([True] if fault else [])


def test_a_program_and_a_python_file_have_to_be_there(tmp_path: Path):
    assert list(find_faults(hook(Command(argv=("sh", "-c", "true"))))) == []
    assert "on PATH" in next(find_faults(hook(Command(argv=("no-such-program",)))))
    assert "is missing" in next(find_faults(hook(PythonFunction(str(tmp_path / "none.py"), "run"))))


def test_what_is_switched_off_is_told_with_its_file(tmp_path: Path):
    home, root = Home(tmp_path / "home"), tmp_path / "project"
    home.registry.parent.mkdir(parents=True)
    home.registry.write_text('[[hook]]\nid = "a"\nevent = "Stop"\nscript = "/bin/true"\nenabled = false\n')
    folder = root / ".system" / "hooks"
    folder.mkdir(parents=True)
    handler = "handler: {kind: script, command: ./x.sh}\n"
    (folder / "off.yaml").write_text(f"id: quiet\nevent_type: SessionStart\nenabled: false\n{handler}")
    found = dict(find_switched_off(home, str(root), HookCatalogs(home).get(str(root))))
    assert found == {
        "a": f"`enabled = false` in {home.registry}: hook 1",
        "quiet": f"`enabled: false` in {folder / 'off.yaml'}",
    }
