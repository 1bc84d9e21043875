import asyncio
import json

import pytest

from synaptic.daemon import rpc, work_methods
from synaptic.engine.walk import open_engine
from synaptic.model import sane
from synaptic.store import mirror
from synaptic.store.db import Store
from tests.daemon.setting import Setting
from tests.daemon.test_methods import Service


def call(setting: Setting, name: str, **params: object) -> object:
    async def one() -> object:
        engine = open_engine(setting.home)
        try:
            return await rpc.call_method(Service(engine), name, {"root": str(setting.project), **params})
        finally:
            await engine.close()

    return asyncio.run(one())


def test_get_set_update_reset_over_the_socket(setting: Setting) -> None:
    """S1-141"""
    assert work_methods.METHODS is rpc.METHODS
    assert call(setting, "state.get", section="edits") == sane.default_section(sane.EDITS)
    call(setting, "state.set", section="edits", key="count", value=2)
    after = call(setting, "state.update", section="edits", add={"count": 3}, append={"unique_files": "a.py"})
    assert after == {"count": 5, "unique_files": ["a.py"], "last_file": None}
    assert call(setting, "state.get", section="edits", key="count") == 5
    assert call(setting, "state.reset", section="edits") == sane.default_section(sane.EDITS)


def test_the_list_tells_the_standing(setting: Setting) -> None:
    call(setting, "state.set", section="edits", key="count", value=2)
    found = call(setting, "state.list")
    assert {"section": "edits", "standing": "genuine"} in found["sections"]
    assert found["quarantine"] == []


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("state.get", {"section": "nonsense"}),
        ("state.get", {"section": "edits", "key": "nonsense"}),
        ("state.get", {}),
        ("state.set", {"section": "edits", "key": "count", "value": "two"}),
        ("state.update", {"section": "edits", "add": {"count": 0.5}}),
        ("state.reset", {"section": "nonsense"}),
    ],
)
def test_what_cannot_be_is_a_validation_error(setting: Setting, name: str, params: dict) -> None:
    with pytest.raises(rpc.RpcError) as wrong:
        call(setting, name, **params)
    assert wrong.value.code == "VALIDATION_ERROR"


def test_a_mirror_that_is_there_follows(setting: Setting) -> None:
    file = setting.project / ".claude/state.json"
    store = Store.open(setting.home)
    mirror.write_mirror(store, str(setting.project))
    store.close()
    call(setting, "state.set", section="edits", key="count", value=2)
    assert json.loads(file.read_text())["edits"]["count"] == 2


def test_the_daemon_offers_them(running: Setting) -> None:
    from synaptic.daemon.client import call_rpc as ask

    assert "state.update" in ask(running.home, "rpc.methods", {})
    assert ask(running.home, "state.get", {"root": "/p", "section": "saneloop", "key": "max_iterations"}) == 20
