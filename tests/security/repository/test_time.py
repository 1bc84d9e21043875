"""A repository that wants to buy time: declarations, files and folders that take long to read."""

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from synaptic.files.snapshot import MAX_NAMES
from synaptic.hooks.catalog import HookCatalogs
from synaptic.model.call import Answer
from tests.daemon.setting import Setting

PATIENCE = 15.0
"""Seconds; far above what a reading may take, far below what these files took."""
YAML_HOOK = "id: h{n}\nevent_type: PreToolUse\nhandler: {{kind: command, command: 'true'}}\n"


def _write(setting: Setting, name: str, text: str) -> None:
    path = setting.project / ".synaptic" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _write_yaml(setting: Setting, count: int, text: Callable[[int], str]) -> None:
    folder = setting.project / ".system" / "hooks"
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / f"h{number:05}.yaml").write_text(text(number))


def _registry(text: str) -> Callable[[Setting], None]:
    return lambda setting: _write(setting, "hooks/registry.toml", text)


def _config(text: str) -> Callable[[Setting], None]:
    return lambda setting: _write(setting, "config.toml", text)


def _hook(**keys: object) -> str:
    entry = {"event": "PreToolUse", "command": "true", **keys}
    return "[[hook]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in entry.items())


HOSTILE: dict[str, Callable[[Setting], None]] = {
    "dotted key in config": _config(".".join(["a"] * 200_000) + " = 1\n"),
    "dotted key in config below the size limit": _config(".".join(["a"] * 30_000) + " = 1\n"),
    "quoted dotted key": _config(".".join(['"a"'] * 20_000) + " = 1\n"),
    "dotted key with blanks": _config(" . ".join(["a"] * 20_000) + " = 1\n"),
    "dotted table name in registry": _registry("[" + ".".join(["a"] * 100_000) + "]\n"),
    "dotted key in an inline table": _config("a = {" + ".".join(["a"] * 30_000) + " = 1}\n"),
    "dotted key in env.toml": lambda setting: _write(setting, "env.toml", ".".join(["a"] * 30_000) + " = 1\n"),
    "many unknown policies": _config("".join(f"[policies.git-force-pusj{n}]\n" for n in range(40_000))),
    "unknown policies below the size limit": _config("".join(f"[policies.git{n}]\n" for n in range(6_000))),
    "unknown options": _config('[policies."git.force-push"]\n' + "".join(f"protectee{n}=1\n" for n in range(7_000))),
    "unknown keys": _config("".join(f"preset{n}=1\n" for n in range(9_000))),
    "unknown presets": _config(f"presets = {json.dumps([f'essentialz{n}' for n in range(7_000)])}\n"),
    "one hook of many mistyped events": _registry(_hook(event=[f"PreTolUse{n}" for n in range(90_000)])),
    "one hook of events nobody knows": _registry(_hook(event=[f"zzz{n}" for n in range(30_000)])),
    "many hooks of a mistyped event": _registry("".join(_hook(event=f"PreTolUse{n}") for n in range(9_000))),
    "many hooks with mistyped keys": _registry("".join(_hook(priorityy=n, timeoutt=1, skil="x") for n in range(5_000))),
    "many hooks": _registry("".join(_hook(id=f"h{n}") for n in range(90_000))),
    "deep arrays": _config("a = " + "[" * 50_000),
    "deep inline tables": _config("a = " + "{a=" * 40_000),
    "2,000 YAML files": lambda setting: _write_yaml(setting, 2_000, lambda n: YAML_HOOK.format(n=n)),
    "large YAML files": lambda setting: _write_yaml(setting, 200, lambda n: "x: 1\n" + "- [a, b, c]\n" * 5_000),
    "YAML with many keys": lambda setting: _write_yaml(
        setting, 100, lambda n: "".join(f"evnt_type{k}: 1\n" for k in range(3_500))
    ),
    "YAML with a base-60 number": lambda setting: _write_yaml(setting, 30, lambda n: "x: 1" + ":59" * 20_000),
    "more names than are listed": lambda setting: _make_names(setting.project / ".system" / "hooks"),
    "backtracking matcher": _registry(_hook(matcher="(a+)+$")),
    "optional letters in a matcher": _registry(_hook(matcher="a?" * 200 + "a" * 200)),
    "alternatives in a matcher": _registry(_hook(matcher="(?:a|a)" * 90 + "b")),
    "many matchers": _registry("".join(_hook(id=f"m{n}", matcher=f"(.?){{90}}{n}x") for n in range(1_500))),
    "nested repeats in a matcher": _registry(_hook(matcher="((a{99}){99}){99}")),
    "a bracket that never ends": lambda setting: _write_yaml(
        setting, 1, lambda n: YAML_HOOK.format(n=n) + f"match:\n  file_patterns: ['{'[' * 60_000}']\n"
    ),
    "backtracking glob": lambda setting: _write_yaml(
        setting, 1, lambda n: YAML_HOOK.format(n=n) + f"match:\n  file_patterns: ['{'**a' * 90}b']\n"
    ),
    "many globs": lambda setting: _write_yaml(
        setting, 90, lambda n: YAML_HOOK.format(n=n) + f"match:\n  file_patterns: {json.dumps(['*a*a*a*b'] * 5_000)}\n"
    ),
    "a path that never ends": lambda setting: _write_yaml(
        setting, 9, lambda n: f"id: h{n}\nevent_type: Stop\nhandler: {{kind: command, command: './{'a/' * 30_000}'}}\n"
    ),
    "many items in a tightened list": _config(
        f'[policies."git.force-push"]\nprotected = {json.dumps([f"*{n}*a*a*" for n in range(10_000)])}\n'
    ),
    "a pipe as config": lambda setting: os.mkfifo(setting.project / ".synaptic" / "config.toml"),
    "a pipe as registry": lambda setting: os.mkfifo(setting.hooks / "registry.toml"),
    "an endless device as registry": lambda setting: (setting.hooks / "registry.toml").symlink_to("/dev/zero"),
    "an endless device as config": lambda setting: (setting.project / ".synaptic" / "config.toml").symlink_to(
        "/dev/zero"
    ),
    "a terminal as config": lambda setting: (setting.project / ".synaptic" / "config.toml").symlink_to("/dev/tty"),
    "a sparse file as registry": lambda setting: _make_sparse(setting.hooks / "registry.toml"),
    "a loop of links": lambda setting: (setting.hooks / "registry.toml").symlink_to("registry.toml"),
    "a folder as registry": lambda setting: (setting.hooks / "registry.toml").mkdir(),
    "a file of the kernel as registry": lambda setting: (setting.hooks / "registry.toml").symlink_to("/proc/self/mem"),
    "a pipe as env.toml": lambda setting: os.mkfifo(setting.project / ".synaptic" / "env.toml"),
    "a pipe as YAML file": lambda setting: _make_pipe(setting.project / ".system" / "hooks" / "a.yaml"),
}


def _make_names(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "first").touch()
    for number in range(MAX_NAMES):
        (folder / f"{number}.yaml").hardlink_to(folder / "first")


def _make_sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def _make_pipe(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


@pytest.mark.parametrize("name", HOSTILE)
def test_declarations_that_take_long_cost_the_repository_and_not_the_guard(setting: Setting, name: str) -> None:
    HOSTILE[name](setting)
    payload = setting.payload(
        tool_name="Bash", tool_input={"command": "git reset --hard"}, files_touched=["a" * 4000, "b/" * 1000]
    )
    started = time.monotonic()
    answer = setting.answer(setting.raw("PreToolUse", json.dumps(payload).encode()))
    assert time.monotonic() - started < PATIENCE
    assert json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_project_over_its_budget_is_told_and_not_read_again(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("synaptic.hooks.catalog.READING_SECONDS", 0.05)
    HOSTILE["many hooks with mistyped keys"](setting)
    _write(setting, "config.toml", 'presets = ["strict"]\n')
    catalogs = HookCatalogs(setting.home)
    first = catalogs.get(str(setting.project))
    assert "count as absent" in first.problems[0]
    assert first.config.presets == ("essentials",)
    assert first.root == str(setting.project)
    assert catalogs.get(str(setting.project)) is first
    _write(setting, "hooks/registry.toml", "")
    _write(setting, "config.toml", 'presets = ["strict"]  # smaller\n')
    assert "strict" in catalogs.get(str(setting.project)).config.presets


@pytest.mark.parametrize("name", ["many hooks with mistyped keys", "YAML with many keys", "many matchers"])
def test_other_sessions_are_answered_while_a_hostile_project_is_read(running: Setting, name: str) -> None:
    """The hostile project itself is judged too, by the user's own policies."""
    HOSTILE[name](running)
    other = running.project.parent / "other"
    (other / ".git").mkdir(parents=True)
    running.daemon(running.request(cwd=str(other)))
    answers: list[Answer] = []
    hostile = running.request(tool_input={"command": "git reset --hard"})
    reading = threading.Thread(target=lambda: answers.append(running.daemon(hostile)))
    reading.start()
    waits = []
    while reading.is_alive():
        started = time.monotonic()
        running.daemon(running.request(cwd=str(other)))
        waits.append(time.monotonic() - started)
    reading.join()
    print(name, len(waits), f"{max(waits):.3f}", f"{sorted(waits)[len(waits) // 2]:.4f}")
    assert max(waits) < PATIENCE
    assert b'"deny"' in answers[0].stdout


def test_the_next_event_of_a_hostile_project_is_answered_at_once(running: Setting) -> None:
    HOSTILE["YAML with many keys"](running)
    running.daemon(running.request())
    started = time.monotonic()
    for _ in range(5):
        running.daemon(running.request())
    assert time.monotonic() - started < PATIENCE
