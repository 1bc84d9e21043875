"""Packages from a registry to the real client: published, installed from two channels, run in order, removed."""

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from tests.clients.claude import Session
from tests.clients.script import bash, conversation, write
from tests.packages.authoring import write_package

pytestmark = pytest.mark.client

PACKAGES = Path(__file__).parents[2] / "packages"
OURS = ("env-injector", "policy-guard", "audit-logger", "preflight")
NAMES = "PROJECT_ROOT ROOT SHARED SKILLS CHANNEL AGENTS"
DUMP = """#!/usr/bin/env python3
import json, os
names = [name for name in os.environ if name.startswith(("SYNAPTIC_", "HOOK_"))]
with open(os.environ["SYNAPTIC_ROOT"] + "/logs/seen", "a") as out:
    out.write(json.dumps({"who": "WHO", **{name: os.environ[name] for name in names}}) + "\\n")
"""
HOOK = '\n[[hooks]]\nevent = "PreToolUse"\nmatcher = "Bash"\nscript = "hooks/look.py"\npriority = %d\nblocking = true\n'


@pytest.fixture
def shop(session: Session) -> Session:
    """Our four packages and two that look around, on every channel; one of these is newer on develop."""
    session.synaptic("registry", "init")
    folders = [PACKAGES / name for name in OURS]
    folders += [looking(session, "early", "1.0.0", 5), looking(session, "late", "1.0.0", 45)]
    for folder in folders:
        session.synaptic("package", "import", str(folder))
        for channel in ("beta", "main"):
            session.synaptic("package", "promote", folder.name, "--from", "develop", "--to", channel)
    session.synaptic("package", "import", str(looking(session, "late", "2.0.0", 46)))
    return session


def looking(session: Session, name: str, version: str, priority: int) -> Path:
    """A package whose hook writes down the variables it was given."""
    folder = session.folder / "authored" / name
    files = {"hooks/look.py": DUMP.replace("WHO", f"{name} {version}")}
    return write_package(folder, name, version, files, HOOK % priority)


def project(session: Session, name: str) -> Path:
    folder = session.folder / name
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    session.project = folder
    return folder


def seen(folder: Path) -> list[dict[str, str]]:
    path = folder / ".synaptic" / "logs" / "seen"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def settings_hash(session: Session) -> str:
    return hashlib.sha256((session.home / ".claude" / "settings.json").read_bytes()).hexdigest()


def test_packages_from_two_channels_run_in_priority_order_and_leave_the_settings_alone(shop: Session) -> None:
    """S0-004, S0-008, S0-026, S0-028, S0-030, S0-062, S0-065, S0-084, S0-086"""
    first = shop.project
    shop.synaptic("install", *OURS, "late", "early", "--yes")
    settings = settings_hash(shop)
    second = project(shop, "second")
    shop.synaptic("install", *OURS, "late", "early", "--channel", "develop", "--yes")

    for folder, channel, version in ((first, "main", "1.0.0"), (second, "develop", "2.0.0")):
        shop.project = folder
        outcome = shop.run(conversation(bash("echo hello")))
        assert outcome.result.text == "hello"
        looks = seen(folder)
        order = dict.fromkeys(look.pop("who") for look in looks)  # who ran before a rewrite looks again after it
        assert list(order) == ["early 1.0.0", f"late {version}"]
        for look in looks:
            assert {f"SYNAPTIC_{name}" for name in NAMES.split()} | {"HOOK_EVENT", "HOOK_TOOL", "HOOK_INPUT"} <= set(
                look
            )
            assert (look["SYNAPTIC_PROJECT_ROOT"], look["SYNAPTIC_CHANNEL"]) == (str(folder), channel)
            assert (look["HOOK_EVENT"], look["HOOK_TOOL"]) == ("PreToolUse", "Bash")
        assert json.loads(looks[0]["HOOK_INPUT"])["command"] == "echo hello"

    shop.project = first
    others = (first / ".synaptic" / "hooks" / "registry.toml").read_text().split("\n\n")
    shop.synaptic("remove", "late", "--yes")
    left = (first / ".synaptic" / "hooks" / "registry.toml").read_text().split("\n\n")
    assert [part.strip() for part in others if 'skill = "late"' not in part] == [part.strip() for part in left]
    known = len(seen(first))
    shop.run(conversation(bash("echo again")))
    assert {look["who"] for look in seen(first)[known:]} == {"early 1.0.0"}
    shop.synaptic("verify")
    assert settings_hash(shop) == settings


def test_our_own_packages_do_what_they_promise(shop: Session) -> None:
    shop.synaptic("install", *OURS, "--yes")
    target = shop.project / "note.txt"
    outcome = shop.run(conversation(bash("echo root=$SYNAPTIC_ROOT"), bash("cat /etc/hostname"), write(target, "hi")))
    injected, blocked, written = outcome.results
    assert injected.text == f"root={shop.project}/.synaptic"
    assert blocked.is_error
    assert "policy-guard: /etc/hostname is outside the project" in blocked.text
    assert not written.is_error
    audit = (shop.project / ".synaptic" / "logs" / "audit.log").read_text()
    assert "[Write]" in audit
    assert str(target) in audit


def test_a_changed_script_does_not_run_and_is_restored(shop: Session) -> None:
    shop.synaptic("install", "policy-guard", "--yes")
    script = shop.project / ".synaptic" / "skills" / "policy-guard" / "hooks" / "pre-bash.py"
    script.write_text(f"#!/bin/sh\ntouch {shop.folder}/sentinel\n")
    shop.run(conversation(bash("echo hello")))
    assert not (shop.folder / "sentinel").exists()
    assert "synaptic verify policy-guard" in str(shop.journal("PreToolUse")[-1].decision)
    shop.synaptic("doctor", "--fix", check=False)
    shop.synaptic("verify")
    assert shop.run(conversation(bash("cat /etc/hostname"))).result.is_error


def test_the_slash_command_is_known_to_the_client_and_hides_no_other(shop: Session) -> None:
    commands = shop.home / ".claude" / "commands"
    commands.mkdir()
    (commands / "mine.md").write_text("a command of my own, $ARGUMENTS\n")
    shop.synaptic("bootstrap", "--slash")
    outcome = shop.run(conversation(), prompts=("/skill install policy-guard",))
    assert "synaptic skill plan install policy-guard" in outcome.heard
    assert "a command of my own, really" in shop.run(conversation(), prompts=("/mine really",)).heard


def test_the_client_finds_commands_and_skills_of_a_package_until_it_is_removed(session: Session) -> None:
    files = {
        "commands/greet.md": "Say hello to $ARGUMENTS in Klingon.\n",
        "SKILL.md": "---\nname: greeter\ndescription: greets people in Klingon\n---\n# Greeter\n",
    }
    folder = write_package(session.folder / "authored" / "greeter", "greeter", "1.0.0", files, more="")
    session.synaptic("registry", "init")
    session.synaptic("package", "import", str(folder))
    session.synaptic("install", "greeter", "--channel", "develop", "--yes")
    outcome = session.run(conversation(), prompts=("/greet Bob",))
    assert "Say hello to Bob in Klingon." in outcome.heard
    assert "greets people in Klingon" in json.dumps(outcome.requests[-1])

    session.synaptic("remove", "greeter", "--yes")
    assert not (session.project / ".claude" / "commands").exists()
    outcome = session.run(conversation(), prompts=("/greet Bob",))
    assert "in Klingon" not in json.dumps(outcome.requests[-1:])
