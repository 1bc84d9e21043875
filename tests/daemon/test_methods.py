import asyncio

import pytest

from synaptic.daemon import methods, rpc
from synaptic.engine.walk import open_engine
from tests.daemon.setting import BLOCK, Setting, without_handle


class Service:
    """What the methods see of a daemon."""

    def __init__(self, engine) -> None:
        self.engine = engine
        self.version = "1"
        self.started = 0.0
        self.answered = 0
        self.busy: set[object] = set()
        self.succession = None
        self.http = type("Http", (), {"port": 0})()
        self.stopped = False

    def stop(self) -> None:
        self.stopped = True


def call(setting: Setting, *calls: tuple[str, dict]) -> list:
    async def all_calls() -> list:
        engine = open_engine(setting.home)
        service = Service(engine)
        try:
            await engine.answer(setting.request())
            return [await rpc.call_method(service, name, params) for name, params in calls] + [service]
        finally:
            await engine.close()

    return asyncio.run(all_calls())


def test_the_journal_can_be_read(setting: Setting) -> None:
    setting.register("guard", BLOCK)
    last, one, after, _ = call(
        setting,
        ("journal.last", {"n": 5, "filters": {"kind": "deny"}}),
        ("journal.get", {"id": 1}),
        ("journal.after", {}),
    )
    assert last == [one] == after
    assert without_handle(one["decision"]["reason"]) == "Banned command pattern detected."
    assert one["answer"]["exit"] == 0


def test_what_is_not_there_is_said_so(setting: Setting) -> None:
    with pytest.raises(rpc.RpcError) as missing:
        call(setting, ("journal.get", {"id": 99}))
    assert missing.value.code == "NOT_FOUND"
    with pytest.raises(rpc.RpcError) as wrong:
        call(setting, ("journal.last", {"filters": {"nonsense": "x"}}))
    assert wrong.value.code == "VALIDATION_ERROR"


def test_the_catalog_of_a_project_is_listed_in_order(setting: Setting) -> None:
    setting.register("b", priority=20)
    setting.register("a", priority=10)
    listed, _ = call(setting, ("catalog.list", {"root": str(setting.project)}))
    assert [hook["id"] for hook in listed["hooks"] if hook["scope"] == "project"] == ["a:a.sh", "b:b.sh"]


def test_status_and_stop(setting: Setting) -> None:
    status, stopping, service = call(setting, ("daemon.status", {}), ("daemon.stop", {}))
    assert status["version"] == "1"
    assert stopping == {"stopping": True}
    assert service.stopped
    assert "rpc.methods" in rpc.METHODS
    assert methods.entry_to_json is not None
