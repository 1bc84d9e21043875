import asyncio
import json

import msgspec
import pytest

from synaptic.daemon import rpc
from synaptic.model.errors import StoreError


class Sum(msgspec.Struct, frozen=True):
    a: int
    b: int = 1


@pytest.fixture(autouse=True)
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rpc, "METHODS", {})

    @rpc.method("math.sum")
    async def add(service: object, params: Sum) -> object:
        return params.a + params.b

    @rpc.method("math.group.fail")
    async def fail(service: object, params: Sum) -> object:
        raise ZeroDivisionError("no")

    @rpc.method("math.stuck")
    async def stuck(service: object, params: Sum) -> object:
        raise StoreError("the disk is full")


def line(text: bytes) -> dict:
    return json.loads(asyncio.run(rpc.answer_line(None, text)))


def document(text: bytes) -> dict:
    return json.loads(asyncio.run(rpc.answer_json_rpc(None, text)))


def test_a_line_names_a_command_and_its_arguments() -> None:
    """S3-041, S3-049"""
    assert line(b'{"cmd":"math.sum","args":{"a":2}}') == {"ok": True, "data": 3}


def test_errors_of_a_line_have_a_code_a_script_can_compare() -> None:
    """S3-043, S3-044, S3-045, S3-066"""
    assert line(b"nope") == {"ok": False, "error": "Invalid JSON request"}
    assert line(b'{"cmd":"no.such"}')["error"] == "UNKNOWN_COMMAND"
    missing = line(b'{"cmd":"math.sum"}')
    assert missing["error"] == "VALIDATION_ERROR"
    assert missing["details"]["issues"][0].startswith("a:")
    wrong = line(b'{"cmd":"math.sum","args":{"a":"x"}}')
    assert wrong["details"]["issues"][0].startswith("a:")
    assert line(b'{"cmd":"math.group.fail","args":{"a":1}}')["error"] == "HANDLER_ERROR"
    assert line(b'{"cmd":"math.stuck","args":{"a":1}}')["message"] == "the disk is full"
    assert line(b'{"cmd":"math.sum","args":{"a":1,"unknown":2}}')["ok"]


def test_json_rpc_has_numbers_and_words() -> None:
    assert document(b'{"jsonrpc":"2.0","id":5,"method":"math.sum","params":{"a":2,"b":2}}') == {
        "jsonrpc": "2.0",
        "id": 5,
        "result": 4,
    }
    assert document(b"nope")["error"]["code"] == -32600
    assert document(b'{"method":"no.such","id":"x"}')["error"]["data"]["code"] == "UNKNOWN_COMMAND"
    assert document(b'{"method":"math.sum","id":1}')["error"]["code"] == -32602
    assert document(b'{"method":"math.stuck","id":1,"params":{"a":1}}')["error"]["message"] == "the disk is full"
