"""Commands as values: what each is called, which arguments it has, and that every one of them is described."""

from pathlib import Path

import msgspec
import pytest

from synaptic.hooks.schema import read_field_docs
from synaptic.model.errors import LayerError, StoreError
from synaptic.model.home import Home
from synaptic.store.db import Store
from synaptic.work import command
from synaptic.work.command import Caller, CommandContext, find_commands, read_command
from synaptic.work.handover import Dehydrate, FinishSession

ARGUMENTS = {
    "ability.documents": "root intent",
    "ability.follow_ups": "root all?",
    "ability.list": "root",
    "ability.suggest": "root text most?",
    "ability.usage": "root days?",
    "agents.findByEffort": "cwd? effortId?",
    "agents.list": "cwd?",
    "agents.register": "id label? kind? project? effort? status? parent? manages? claims? targetedClaims? pane? note?",
    "agents.updateStatus": "agentId status note?",
    "effort.dehydrate": "cwd? payload",
    "effort.finish": "cwd? effortId? keywords?",
    "effort.list": "cwd? all?",
    "effort.log": "cwd? effortId? text",
    "effort.phase": "cwd? effortId? phase reason? proof?",
    "effort.resume": "cwd? dirPath? agentId? current?",
    "effort.show": "cwd? effortId?",
    "effort.start": "cwd? task skill mode? title? keywords? blockAfter?",
    "effort.updateMetadata": "cwd? effortId? set? remove?",
    "grants.allow": "refusal scope? seconds? like? because? pin?",
    "grants.list": "all?",
    "grants.preview": "refusal like?",
    "grants.revoke": "id? all?",
    "grants.show": "id",
    "inbox.list": "all? since? project? agent? policy?",
    "inbox.show": "cwd? code",
    "inbox.uphold": "cwd? code mark? pin?",
    "messages.list": "cwd? sessionId? limit? newest?",
    "person.agree": "pin?",
    "pin.remove": "pin",
    "pin.set": "pin old?",
    "pin.status": "",
    "policies.setMode": "names mode pin?",
    "refusal.appeal": "cwd? code why",
    "session.finish": "sessionId payload?",
    "session.list": "cwd? effortId? all?",
    "session.show": "sessionId",
    "skills.cache": "cwd? paths?",
    "skills.list": "cwd?",
    "state.get": "root section key?",
    "state.list": "root",
    "state.reset": "root section",
    "state.set": "root section key value",
    "state.update": "root section put? add? append? drop?",
    "task.list": "cwd? all?",
    "task.show": "cwd? dirPath",
}
"""What programs send: a name that changes here breaks them."""


def test_programs_find_every_method_and_every_argument_by_its_name():
    found = {
        name: " ".join(f"{field.encode_name}{'' if field.required else '?'}" for field in msgspec.structs.fields(kind))
        for name, kind in find_commands().items()
    }
    assert found == ARGUMENTS


@pytest.mark.parametrize("kind", find_commands().values(), ids=lambda kind: kind.__name__)
def test_every_command_and_every_argument_is_described(kind: type[command.Command]):
    assert kind.__doc__
    ours = [base for base in kind.__mro__ if base.__module__.startswith("synaptic.")]
    described = {name for base in ours for name in read_field_docs(base)}
    assert described >= {field.name for field in msgspec.structs.fields(kind)}


def test_the_home_folder_and_a_path_of_other_bytes_are_no_projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    store = Store.open(Home(tmp_path / ".synaptic"))
    for root, cwd in (("", str(tmp_path)), ("", ""), ("/p/\udcff", "/p/\udcff"), (str(tmp_path), str(tmp_path))):
        with pytest.raises(LayerError) as caught:
            CommandContext(store, Caller(root=root, cwd=cwd)).require_project()
        assert caught.value.code == "VALIDATION_ERROR"
        assert str(caught.value).isprintable()
    assert CommandContext(store, Caller(root="/p", cwd="/p/src")).require_project() == "/p"
    store.close()


def test_a_store_in_memory_takes_no_orders(tmp_path: Path):
    store = Store.open_in_memory(Home(tmp_path), StoreError("the disk is full"))
    with pytest.raises(StoreError, match="memory only"):
        CommandContext(store).require_durable_store()
    store.close()


def test_an_agent_that_is_called_default_has_no_name():
    """S3-072"""
    assert [command.read_agent_name(environ) for environ in ({}, {"AGENT_ID": "default"}, {"AGENT_ID": "A"})] == [
        "",
        "",
        "A",
    ]


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_an_argument_that_nobody_knows_is_an_error_that_names_the_known_ones(name: str):
    """S3-190: left out in silence, it would be lost with what it says."""
    with pytest.raises(LayerError) as caught:
        read_command(find_commands()[name], {"nobodyKnows": 1})
    assert caught.value.code == "VALIDATION_ERROR"
    assert "`nobodyKnows`" in caught.value.message
    assert all(word.rstrip("?") in caught.value.hint for word in ARGUMENTS[name].split())
    with pytest.raises(msgspec.ValidationError):  # also for whoever converts by hand
        msgspec.convert({"nobodyKnows": 1}, find_commands()[name])


@pytest.mark.parametrize("name", ["payload", "dehydration_payload", "dehydrationPayload"])
def test_a_hand_over_is_known_by_every_name_it_has(name: str):
    """S3-190: as documented, as the answer spells it, and as the argument is called."""
    assert read_command(FinishSession, {"session_id": 3, name: {"a": 1}}) == FinishSession(
        session_id=3, payload={"a": 1}
    )
    assert read_command(Dehydrate, {name: 1}) == Dehydrate(payload=1)


def test_an_argument_given_under_two_names_is_an_error():
    with pytest.raises(LayerError, match="given twice"):
        read_command(FinishSession, {"sessionId": 3, "payload": 1, "dehydration_payload": 2})
