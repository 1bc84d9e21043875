"""Telling a person: their program gets the facts and no shell, and whatever it does, it ends."""

import asyncio
import json
import os
import time
from pathlib import Path

import pytest

from synaptic.runners import telling
from synaptic.runners.telling import AskNote, make_alert, tell_person

WHAT = "rm -rf $(touch /nowhere); `id` 'quoted' \"twice\" -- é\n\x1b[2J\u202e"


def note(**fields: object) -> AskNote:
    known = {
        "code": "k7qmd",
        "policy": "infra.provisioning",
        "what": WHAT,
        "reason": "why\nand how",
        "project": "/p/shop",
    }
    return AskNote(**{**known, "agent": "codex", "session": "s", "seconds": 30.0, **fields})


def program(folder: Path, body: str, name: str = "tell me") -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return f"'{path}' first 'second word' '$HOME;id'"


def tell(how: str, given: AskNote | None = None) -> str:
    return asyncio.run(tell_person(given or note(), how, lambda pid: True))


def test_a_program_gets_its_own_words_variables_and_json(tmp_path: Path) -> None:
    line = program(tmp_path, f"cd '{tmp_path}'; printf '%s\\n' \"$@\" > words; cat > facts; env -0 > variables")
    assert tell(line) == ""
    assert (tmp_path / "words").read_text().splitlines() == ["first", "second word", "$HOME;id"]
    facts = json.loads((tmp_path / "facts").read_text())
    assert facts["what"] == WHAT
    assert facts["seconds"] == 30.0
    variables = dict(one.split("=", 1) for one in (tmp_path / "variables").read_text().split("\0") if one)
    assert variables["SYNAPTIC_ASK_CODE"] == "k7qmd"
    assert variables["SYNAPTIC_ASK_WHAT"] == WHAT


def test_no_variable_of_an_event_says_where_programs_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unixexec:path=/bin/false")
    monkeypatch.setenv("LD_PRELOAD_X", "1")
    assert tell(program(tmp_path, f"env > '{tmp_path}/variables'")) == ""
    said = (tmp_path / "variables").read_text()
    assert "unixexec" not in said
    assert "LD_PRELOAD_X" not in said


@pytest.mark.parametrize(
    ("body", "trouble"),
    [
        ("echo the network is down >&2; exit 3", "ended with 3: the network is down"),
        ("head -c 20000000 /dev/zero; exit 4", "ended with 4"),
        ("exec sleep 60", "gave no answer within 0.5 s"),
        ("sleep 60 & sleep 60 & (setsid sleep 60 &) ; sleep 60", "gave no answer within 0.5 s"),
    ],
)
def test_what_goes_wrong_is_told_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, trouble: str
) -> None:
    if "gave no" in trouble:
        monkeypatch.setattr(telling, "TELL_SECONDS", 0.5)
    began = time.monotonic()
    assert trouble in tell(program(tmp_path, body))
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("line", "trouble"),
    [("/nowhere/at-all x", "could not be started"), ("unclosed 'quote", "is no command"), ("  ", "is no command")],
)
def test_a_line_that_is_no_command_is_told(line: str, trouble: str) -> None:
    assert trouble in tell(line)


def test_a_program_that_reads_nothing_keeps_nobody_waiting(tmp_path: Path) -> None:
    assert tell(program(tmp_path, "exit 0"), note(reason="é" * 4000, what="é" * 4000)) == ""


def test_a_desktop_is_shown_plain_lines() -> None:
    alert = make_alert(note(what=WHAT * 20))
    assert "\x1b" not in alert.text + alert.title
    assert "\u202e" not in alert.text
    first, second, third = alert.text.splitlines()
    assert len(first) == telling.MOST_TOLD + 1
    assert second == "infra.provisioning, codex in shop"
    assert third == "synaptic allow k7qmd"


def test_where_there_is_no_desktop_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "_is_own_socket", lambda path: False)
    monkeypatch.setattr("sys.platform", "linux")
    assert "there is no desktop" in tell("desktop")


def test_a_desktop_is_told_by_its_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, f"printf '%s\\n' \"$@\" > '{tmp_path}/told'", "notify-send")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(telling, "_is_own_socket", lambda path: True)
    monkeypatch.setattr("sys.platform", "linux")
    assert tell("desktop") == ""
    assert (tmp_path / "told").read_text().splitlines()[:3] == ["--app-name=synaptic", "--", "Synaptic: may this run?"]
