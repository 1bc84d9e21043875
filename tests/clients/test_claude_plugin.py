"""The plugin in the real client: valid, installed from this repository, and beside the entries of the settings."""

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.clients.claude import Session
from tests.clients.script import bash, conversation

pytestmark = pytest.mark.client

ROOT = Path(__file__).parents[2]
DENIED = "git push --force origin HEAD:main"


def claude(session: Session, *words: str) -> str:
    command = [str(session.client), *words]
    done = subprocess.run(command, cwd=session.project, env=session._base(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture
def marketplace(session: Session) -> Path:
    """The files of this repository that a marketplace consists of."""
    folder = session.folder / "marketplace"
    for name in (".claude-plugin", "plugin"):
        shutil.copytree(ROOT / name, folder / name)
    return folder


def add_plugin(session: Session, marketplace: Path) -> None:
    claude(session, "plugin", "marketplace", "add", str(marketplace))
    claude(session, "plugin", "install", "synaptic@synaptic")


def test_the_client_finds_nothing_wrong_with_plugin_and_marketplace(session: Session, marketplace: Path) -> None:
    for folder in (marketplace, marketplace / "plugin"):
        report = json.loads(claude(session, "plugin", "validate", "--strict", "--json", str(folder)))
        assert "error" not in json.dumps(report.get("errors", [])).lower(), report
    manifest = json.loads((marketplace / "plugin/.claude-plugin/plugin.json").read_text())
    assert "hooks" not in manifest, "the client reads hooks/hooks.json by itself, and refuses what is named twice"


def test_the_plugin_alone_guards(session: Session, marketplace: Path) -> None:
    session.bootstrap()
    keep_settings_without_ours(session)
    add_plugin(session, marketplace)

    outcome = session.run(conversation(bash(DENIED)))

    assert outcome.result.is_error
    (entry,) = session.journal("PreToolUse")
    assert entry.decision.by == "git.force-push"


def keep_settings_without_ours(session: Session) -> None:
    path = session.home / ".claude" / "settings.json"
    settings = json.loads(path.read_text())
    del settings["hooks"]
    path.write_text(json.dumps(settings))


@pytest.mark.parametrize("daemon", ["start", "stop"])
def test_with_plugin_and_settings_every_event_is_judged_once(armed: Session, marketplace: Path, daemon: str) -> None:
    add_plugin(armed, marketplace)
    armed.synaptic("daemon", daemon, check=False)  # it may be so already

    outcome = armed.run(conversation(bash(DENIED), bash("echo one"), bash("echo two")))

    assert [result.is_error for result in outcome.results] == [True, False, False]
    ran = Counter(line["hook_event"] for line in outcome.hooks("PreToolUse"))
    assert ran["PreToolUse"] == 6, "the client ran both entries"
    counted = Counter(entry.event for entry in armed.journal())
    assert counted["PreToolUse"] == 3
    assert counted["PostToolUse"] == 2
    assert counted["UserPromptSubmit"] == 1
    assert counted["Stop"] == 1
    # Without a daemon two processes begin at once: the first event of all may be judged by both (decision 221).
    assert counted["SessionStart"] in ((1,) if daemon == "start" else (1, 2))


def test_without_an_engine_the_session_says_so_and_goes_on(session: Session, marketplace: Path) -> None:
    add_plugin(session, marketplace)

    outcome = session.run(conversation(bash("echo one")))

    assert outcome.result.text.strip() == "one"
    assert "its engine is not installed" in outcome.stdout


def test_an_engine_without_its_dispatcher_lets_nothing_run(session: Session, marketplace: Path) -> None:
    session.bootstrap()
    keep_settings_without_ours(session)
    add_plugin(session, marketplace)
    session.synaptic_home.dispatch.unlink()

    outcome = session.run(conversation(bash("echo one")))

    assert outcome.result.is_error
    assert "could not be checked" in outcome.result.text


def test_a_repository_that_moves_home_leads_the_plugin_nowhere(session: Session, marketplace: Path) -> None:
    session.bootstrap()
    keep_settings_without_ours(session)
    add_plugin(session, marketplace)
    fake = session.project / "home" / ".synaptic" / "bin" / "dispatch"
    fake.parent.mkdir(parents=True)
    fake.write_text("#!/bin/sh\nexit 0\n")
    fake.chmod(0o755)
    session.project_settings({"env": {"HOME": str(session.project / "home")}})

    outcome = session.run(conversation(bash(DENIED)))

    assert outcome.result.is_error
    assert session.journal("PreToolUse")
