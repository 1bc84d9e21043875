import asyncio
import json

import msgspec
import pytest

from synaptic.daemon import rpc
from synaptic.model.errors import LayerError, StoreError


class Sum(msgspec.Struct, frozen=True):
    a: int
    b: int = 1


@pytest.fixture(autouse=True)
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rpc, "METHODS", {})

    @rpc.register_method("math.sum")
    async def add(service: object, params: Sum) -> object:
        return params.a + params.b

    @rpc.register_method("math.group.fail")
    async def fail(service: object, params: Sum) -> object:
        raise ZeroDivisionError("no")

    @rpc.register_method("env.show")
    async def show(service: object, params: msgspec.Struct) -> object:
        await asyncio.sleep(0.001)
        return dict(rpc.request_environment())

    @rpc.register_method("layer.fail")
    async def gone(service: object, params: msgspec.Struct) -> object:
        raise LayerError("NOT_FOUND", "there is no session 7")

    @rpc.register_method("math.stuck")
    async def stuck(service: object, params: Sum) -> object:
        raise StoreError("the disk is full")

    @rpc.register_method("text.odd")
    async def odd(service: object, params: Sum) -> object:
        if params.a:
            raise LayerError("NOT_FOUND", "there is no \udcef")
        return {"name \udcef": ["\udcef"]}


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


def test_a_line_may_be_a_json_rpc_document() -> None:
    assert line(b'{"jsonrpc":"2.0","id":5,"method":"math.sum","params":{"a":2}}') == {
        "jsonrpc": "2.0",
        "id": 5,
        "result": 3,
    }


def test_what_the_layers_refuse_has_their_word_for_it() -> None:
    """S3-044"""
    assert line(b'{"cmd":"layer.fail"}')["error"] == "NOT_FOUND"
    assert document(b'{"method":"layer.fail","id":1}')["error"]["data"]["code"] == "NOT_FOUND"


def test_a_request_brings_its_environment_as_far_as_it_is_known() -> None:
    """S3-046"""
    given = {"AGENT_ID": "a", "CWD": "/x", "AGENT_PARENT": "lead", "LD_PRELOAD": "/evil.so"}
    known = {"AGENT_ID": "a", "CWD": "/x", "AGENT_PARENT": "lead"}
    assert line(json.dumps({"cmd": "env.show", "env": given}).encode())["data"] == known
    assert document(json.dumps({"method": "env.show", "env": given}).encode())["result"] == known
    for bad in (None, 3, "x", ["AGENT_ID"], {"AGENT_ID": 7}):
        assert line(json.dumps({"cmd": "env.show", "env": bad}).encode())["data"] == {}


def test_requests_at_the_same_time_have_an_environment_each() -> None:
    """S3-046, S3-D07"""

    async def both() -> list[dict]:
        requests = [json.dumps({"cmd": "env.show", "env": {"AGENT_ID": str(n)}}).encode() for n in range(20)]
        return [json.loads(answer) for answer in await asyncio.gather(*(rpc.answer_line(None, r) for r in requests))]

    assert [answer["data"]["AGENT_ID"] for answer in asyncio.run(both())] == [str(n) for n in range(20)]
    assert rpc.request_environment() == {}


@pytest.mark.parametrize("number", [0, 1])
def test_a_text_that_utf8_cannot_hold_is_told_without_it(number: int) -> None:
    """A file's name may be such a text: the reply is one all the same, and no traceback is logged."""
    told = line(b'{"cmd":"text.odd","args":{"a":%d}}' % number)
    assert told["message"] == "there is no ?" if number else told["data"] == {"name ?": ["?"]}
    replied = document(b'{"jsonrpc":"2.0","id":1,"method":"text.odd","params":{"a":%d}}' % number)
    assert replied["error"]["message"] == "there is no ?" if number else replied["result"] == {"name ?": ["?"]}
