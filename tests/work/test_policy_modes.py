"""The mode of policies as a command: what takes a person's yes, what is refused, what is written."""

import time

import msgspec
import pytest

from synaptic.hooks.catalog import HookCatalogs
from synaptic.model.authority import Authority
from synaptic.model.errors import DeclarationError, LayerError
from synaptic.store.pin import write_pin
from synaptic.work.command import CommandContext, read_command
from synaptic.work.policy_modes import SetPolicyModes, change_modes, is_switchable
from tests.work.desk import Desk, code

SURE = Authority(standing="sure", who="pts/3, by sshd")
UNSURE = Authority(standing="unsure", why="it has no terminal")
AGENT = Authority(standing="agent", why="process 4711 above it is claude")
PUSH = ("git.force-push",)


def asked_by(desk: Desk, authority: Authority) -> CommandContext:
    return msgspec.structs.replace(desk.context(), authority=authority)


def test_who_is_sure_may_loosen_and_tighten(desk: Desk) -> None:
    context = asked_by(desk, SURE)
    done = SetPolicyModes(names=PUSH, mode="shadow").run(context)
    assert done.changed and done.file == str(context.home.config)
    assert [hook.id for hook in HookCatalogs(context.home).get("").watched] == ["git.force-push"]
    assert not SetPolicyModes(names=PUSH, mode="shadow").run(context).changed
    assert SetPolicyModes(names=PUSH, mode="enforce").run(context).changed
    assert HookCatalogs(context.home).get("").watched == ()


def test_who_is_unsure_needs_the_pin_to_loosen_and_not_to_tighten(desk: Desk) -> None:
    context = asked_by(desk, UNSURE)
    loosen = SetPolicyModes(names=PUSH, mode="advise")
    before = context.home.config.read_bytes()
    assert code(lambda: loosen.run(context)) == "PIN_MISSING"
    write_pin(desk.store, "4711", time.time())
    assert code(lambda: loosen.run(context)) == "PIN_NEEDED"
    assert code(lambda: msgspec.structs.replace(loosen, pin="4712").run(context)) == "PIN_WRONG"
    assert context.home.config.read_bytes() == before
    assert msgspec.structs.replace(loosen, pin="4711").run(context).changed
    assert SetPolicyModes(names=PUSH, mode="enforce").run(context).changed


def test_an_agent_loosens_nothing_with_whatever_pin(desk: Desk) -> None:
    write_pin(desk.store, "4711", time.time())
    wanted = SetPolicyModes(names=PUSH, mode="shadow", pin="4711")
    assert code(lambda: wanted.run(asked_by(desk, AGENT))) == "FOR_PEOPLE"
    assert SetPolicyModes.people_only and SetPolicyModes.needs_authority


@pytest.mark.parametrize("name", ["self.daemon", "no.such", "@no", "", "acme.own", "git.force-push\0", "@", "../x"])
def test_what_cannot_have_a_mode_is_refused_before_anybody_is_asked_for_a_pin(desk: Desk, name: str) -> None:
    context = asked_by(desk, UNSURE)
    before = context.home.config.read_bytes()
    with pytest.raises(DeclarationError):
        SetPolicyModes(names=("git.reset-hard", name), mode="shadow").run(context)
    assert context.home.config.read_bytes() == before


def test_no_names_and_too_many_are_refused(desk: Desk) -> None:
    for names in ((), PUSH * 201):
        with pytest.raises(LayerError):
            SetPolicyModes(names=names, mode="enforce").run(asked_by(desk, SURE))


def test_the_socket_reads_it_strictly(desk: Desk) -> None:
    assert read_command(SetPolicyModes, {"names": ["git.force-push"], "mode": "advise"}) == SetPolicyModes(
        names=PUSH, mode="advise"
    )
    for given in ({"names": ["a.b"], "mode": "off"}, {"names": "a.b", "mode": "shadow"}, {"mode": "shadow"}):
        with pytest.raises(msgspec.ValidationError):
            read_command(SetPolicyModes, given)
    with pytest.raises(LayerError):
        read_command(SetPolicyModes, {"names": ["a.b"], "mode": "shadow", "root": "/elsewhere"})


def test_ones_own_policies_are_set_in_the_file(desk: Desk) -> None:
    path = asked_by(desk, SURE).home.config
    with pytest.raises(DeclarationError, match=r"policy of your own.*acme\.x"):
        change_modes(path, None, ["acme.x"], "advise", {"acme.x"})
    assert is_switchable("git.force-push")
    assert not is_switchable("self.daemon") and not is_switchable("acme.x")
