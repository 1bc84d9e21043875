"""A program asks the engine: the daemon, or the engine in its own process."""

import msgspec

from synaptic.integrations import ask_engine
from synaptic.integrations.ask_engine import EngineDoor, choose_home
from synaptic.model.home import Home
from tests.daemon.setting import BLOCK, Setting, specific


def ask(setting: Setting, **fields: object):
    door = EngineDoor(setting.home)
    request = door.build_request(("claude", "PreToolUse"), setting.payload(**fields), str(setting.project))
    env = {**request.env, "HOME": str(setting.user)}
    return door.ask(msgspec.structs.replace(request, env=env))


def test_the_answer_is_the_same_with_a_daemon_and_without(setting: Setting) -> None:
    setting.register("guard", BLOCK)
    setting.without_daemon()
    alone = ask(setting)
    setting.start()
    asked = ask(setting, session_id="s2")
    assert alone == asked and specific(asked)["permissionDecision"] == "deny"
    assert [entry.decision.kind for entry in setting.entries()] == ["deny", "deny"]


def test_who_finds_no_daemon_starts_the_installed_one(setting: Setting) -> None:
    setting.install()
    ask(setting)
    assert setting.wait_for(setting.home.socket.exists)


def test_another_copy_of_the_engine_becomes_nobodys_daemon(setting: Setting) -> None:
    setting.install()
    lines = setting.home.engine.read_text().splitlines()
    lines = ["python=/usr/bin/other" if line.startswith("python=") else line for line in lines]
    setting.home.engine.write_text("\n".join(lines) + "\n")
    setting.register("guard", BLOCK)
    assert specific(ask(setting))["permissionDecision"] == "deny"
    assert not setting.home.socket.exists()


def test_a_defect_of_ours_is_no_allow(setting: Setting, monkeypatch) -> None:
    def fail(home, request):
        raise RuntimeError("a defect")

    monkeypatch.setattr(ask_engine, "send_request", fail)
    said = specific(ask(setting))
    assert said["permissionDecision"] == "deny" and "a defect" in said["permissionDecisionReason"]


def test_what_cannot_be_written_as_a_character_is_written_as_an_escape(setting: Setting) -> None:
    door = EngineDoor(setting.home)
    assert door.build_request(("claude", "Stop"), {"a": "é"}).stdin == '{"a":"é"}\n'.encode()
    assert door.build_request(("claude", "Stop"), {"a": "\ud800"}).stdin == b'{"a":"\\ud800"}\n'


def test_the_home_is_the_users_unless_one_is_named(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("SYNAPTIC_HOME", str(tmp_path))
    assert choose_home(None) == Home(tmp_path)
    assert choose_home(str(tmp_path / "other")) == choose_home(Home(tmp_path / "other"))
