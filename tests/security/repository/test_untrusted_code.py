"""Code that nobody has agreed to: missing scripts, links, swapped files, forged agreements."""

import os
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from synaptic.engine.recollection import make_trust
from synaptic.hooks.catalog import HookCatalogs
from synaptic.store import trust as store_trust
from synaptic.store.db import Store
from tests.security.repository.hostile import Repository

EVENTS = ("SessionStart", "PreToolUse")


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize(
    "script",
    ["/proc/self/cwd/evil.sh", "/proc/thread-self/cwd/evil.sh", "/dev/fd/../../cwd/evil.sh",
     "/proc/self/root{root}/evil.sh", "{root}/evil.sh", "{root}/link.sh", "{root}/sub/../evil.sh",
     "/proc/self/cwd/./evil.sh"],
)  # fmt: skip
def test_a_script_by_any_path_does_not_run_before_it_is_trusted(repository: Repository, script: str, event: str):
    repository.write("evil.sh", repository.note_script("EVIL"))
    (repository.path / "link.sh").symlink_to("evil.sh")
    repository.declare(event=event, script=script.format(root=repository.root))
    repository.happens(event)
    assert repository.notes == []


@pytest.mark.parametrize("how", ["created", "link filled", "link moved", "folder linked"])
def test_a_script_that_comes_later_does_not_run(repository: Repository, how: str):
    """The agreement was given while there was nothing."""
    target = repository.path / "late" / "x.sh"
    if how == "link filled":
        target.parent.mkdir()
        target.symlink_to(repository.path / "nothing.sh")
    repository.declare(script=str(target))
    repository.trust(uncovered=True)
    repository.happens()
    evil = repository.write("nothing.sh", repository.note_script("EVIL"))
    if how == "created":
        repository.write("late/x.sh", repository.note_script("EVIL"))
    if how == "link moved":
        target.parent.mkdir()
        target.symlink_to(evil)
    if how == "folder linked":
        (repository.path / "real").mkdir()
        evil.rename(repository.path / "real" / "x.sh")
        target.parent.symlink_to(repository.path / "real")
    repository.happens()
    assert repository.notes == []


@pytest.mark.parametrize(
    "keys",
    [
        {"command": "sh evil.sh"},
        {"command": "./evil.sh"},
        {"command": ". ./evil.sh"},
        {"command": "echo EVIL >> {ran}"},
        {"python": "{root}/evil.py:run"},
        {"script": "{root}/evil.sh", "blocking": False},
        {"command": "sh evil.sh", "blocking": False},
        {"python": "{root}/evil.py:run", "blocking": False},
        {"script": "{root}/evil.sh", "skill": "formatter"},
        {"script": "{root}/evil.sh", "scope": "global"},
        {"script": "{root}/evil.sh", "on_error": "deny"},
    ],
    ids=lambda keys: " ".join(f"{key}={value}" for key, value in keys.items()),
)
def test_no_form_of_a_hook_runs_before_it_is_trusted(repository: Repository, keys: dict[str, object]):
    repository.write("evil.sh", repository.note_script("EVIL"))
    repository.write("evil.py", f"{repository.note_python('EVIL')}def run(event): ...\n")
    said = {key: value.format(root=repository.root, ran=repository.ran) if isinstance(value, str) else value
            for key, value in keys.items()}  # fmt: skip
    repository.declare(**said)
    repository.happens()
    time.sleep(0.05)
    assert repository.notes == []


def test_a_yaml_hook_does_not_run_before_it_is_trusted(repository: Repository):
    repository.write("evil.sh", repository.note_script("EVIL"))
    text = "id: x\nevent_type: PreToolUse\nblocking: true\nhandler: {kind: script, command: ./evil.sh}\n"
    repository.write(".system/hooks/x.yaml", text)
    repository.write(".synaptic/hooks/y.yaml", text.replace("id: x", "id: y"))
    repository.happens()
    assert repository.notes == []


@pytest.mark.parametrize("form", ["script", "sh", "env bash", "python", "shell text", "background"])
def test_a_racing_process_gets_no_untrusted_content_run(repository: Repository, form: str):
    """Content is exchanged all the time; whatever runs is what was agreed to."""
    good, evil = repository.note_script("good"), repository.note_script("EVIL")
    name = "x.sh"
    if form == "env bash":
        good, evil = (text.replace("#!/bin/sh", "#!/usr/bin/env bash") for text in (good, evil))
    if form == "python":
        name, good, evil = (
            "x.py",
            "def run(event): ...\n" + repository.note_python("good"),
            repository.note_python("EVIL"),
        )
    script = repository.write(name, good)
    keys: dict[str, dict[str, object]] = {
        "python": {"python": f"{script}:run"},
        "sh": {"command": f"sh {name}"},
        "shell text": {"command": f'"$SYNAPTIC_PROJECT_ROOT"/{name}'},
        "background": {"script": str(script), "blocking": False},
    }
    repository.declare(**keys.get(form, {"script": str(script)}))
    assert repository.trust()
    ended = threading.Event()

    def race() -> None:
        fresh = repository.path / "fresh"
        while not ended.is_set():
            for text in (evil, good):
                fresh.write_text(text)
                fresh.chmod(0o755)
                fresh.rename(script)

    racer = threading.Thread(target=race)
    racer.start()
    try:
        for _ in range(12):
            repository.happens()
    finally:
        ended.set()
        racer.join()
    assert "EVIL" not in repository.notes


@pytest.mark.parametrize("forgery", ["unsigned", "wrong signature", "copied from another project", "another digest"])
def test_an_agreement_that_was_written_past_us_does_not_count(repository: Repository, forgery: str):
    repository.declare(script=str(repository.write("evil.sh", repository.note_script("EVIL"))))
    (item,) = repository.list_items()
    store = Store.open(repository.setting.home)
    store_trust.remember_trust(store, "/elsewhere", [store_trust.TrustedContent(item.digest, "x")])
    store_trust.remember_trust(store, repository.root, [store_trust.TrustedContent("0" * 80, "x")])
    store.close()
    database = sqlite3.connect(repository.setting.home.database)
    macs = dict(database.execute("SELECT root, mac FROM trust").fetchall())
    mac = {
        "unsigned": b"",
        "wrong signature": os.urandom(32),
        "copied from another project": macs["/elsewhere"],
        "another digest": macs[repository.root],
    }[forgery]
    row = (repository.root, item.digest, "x", time.time(), mac)
    database.execute("INSERT OR REPLACE INTO trust (root, digest, label, at, mac) VALUES (?, ?, ?, ?, ?)", row)
    database.commit()
    database.close()
    repository.happens()
    assert repository.notes == []
    told = repository.happens("SessionStart")
    assert b"do not carry the signature" in told.stdout + told.stderr


def test_a_trusted_hook_runs(repository: Repository):
    """The tests above would all pass if nothing ever ran."""
    repository.declare(script=str(repository.write("x.sh", repository.note_script("good"))))
    assert repository.trust()
    repository.happens()
    assert repository.notes == ["good"]


@pytest.mark.parametrize("script", ["/proc/self/cwd/x.sh", "{root}/x.sh", "{root}/missing.sh"])
def test_list_says_what_the_engine_does(repository: Repository, script: str):
    repository.write("x.sh", repository.note_script("EVIL"))
    repository.declare(script=script.format(root=repository.root))
    catalog = HookCatalogs(repository.setting.home).get(repository.root)
    store = Store.open(repository.setting.home)
    refusals = [make_trust(catalog, store).explain_refusal(hook) for hook in catalog.hooks if hook.scope == "project"]
    store.close()
    assert refusals[0]
    repository.happens()
    assert repository.notes == []


def test_bytes_of_a_script_are_not_read_from_a_pipe(repository: Repository):
    os.mkfifo(repository.path / "pipe.sh")
    repository.declare(script=f"{repository.root}/pipe.sh")
    repository.trust(uncovered=True)
    repository.happens()
    assert Path(repository.root, "pipe.sh").is_fifo()
