"""The scripted model on loopback, and what others may send it."""

import json
import socket
from contextlib import closing
from http.client import HTTPConnection

import pytest

from synaptic.verification.dialects import Chat, Gemini, Messages, Responses
from synaptic.verification.driver import find_driver, list_driven_agents
from synaptic.verification.model_server import MOST_BYTES, Model
from synaptic.verification.script import DONE, Text

TURNS = {
    Chat: ("/v1/chat/completions", {"tools": [{}], "messages": []}),
    Gemini: ("/v1beta/models/x:streamGenerateContent", {"contents": []}),
    Messages: ("/v1/messages", {"tools": [{}], "messages": []}),
    Responses: ("/v1/responses", {"input": []}),
}


def post(model: Model, path: str, body: bytes) -> tuple[int, bytes]:
    host, port = model.server_address[:2]
    with closing(HTTPConnection(str(host), port, timeout=20)) as connection:
        connection.request("POST", path, body)
        answer = connection.getresponse()
        return answer.status, answer.read()


@pytest.mark.parametrize("dialect", TURNS, ids=lambda dialect: dialect.__name__)
def test_each_dialect_answers_a_turn_with_the_script_and_repeats_the_last_one(dialect):
    path, request = TURNS[dialect]
    with closing(Model(dialect())) as model:
        model.follow(((Text("first words"),), DONE))
        answers = [post(model, path, json.dumps(request).encode())[1] for _ in range(3)]
        assert b"first words" in answers[0]
        assert b"done" in answers[1] and b"done" in answers[2]
        assert len(model.requests) == 3


@pytest.mark.parametrize("agent", list_driven_agents())
def test_every_driver_calls_a_tool_in_its_dialect(agent, tmp_path):
    driver = find_driver(agent)
    path, request = TURNS[type(driver.dialect)]
    for use in (driver.make_shell_call("touch x"), driver.make_write_call(tmp_path / "file", "text\n")):
        with closing(Model(driver.dialect)) as model:
            model.follow(((use,), DONE))
            assert use.name.encode() in post(model, path, json.dumps(request).encode())[1]
    assert driver.name == agent


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\xff\x00 hostile\r\n\r\n",
        b"POST /v1/messages HTTP/1.1\r\ncontent-length: x\r\n\r\n",
        f"POST /v1/messages HTTP/1.1\r\ncontent-length: {MOST_BYTES + 1}\r\n\r\n".encode(),
        b"POST /v1/messages HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        b"POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nffffffffffff\r\n",
        b"POST /v1/messages HTTP/1.1\r\ncontent-length: 3\r\n\r\n{[(",
        b"POST /v1/messages HTTP/1.1\r\ncontent-length: 2\r\n\r\n[]",
        b"CONNECT example.com:443 HTTP/1.1\r\n\r\n",
    ],
)
def test_garbage_gets_no_turn_and_breaks_nothing(sent, capfd):
    with closing(Model(Messages())) as model:
        with closing(socket.create_connection(model.server_address[:2], timeout=20)) as connection:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):
                pass
        path, request = TURNS[Messages]
        assert post(model, path, json.dumps(request).encode())[0] == 200
        assert len(model.requests) == 1
    assert capfd.readouterr().err == ""


def test_as_a_proxy_it_refuses_at_once():
    with (
        closing(Model(Messages())) as model,
        closing(socket.create_connection(model.server_address[:2], timeout=20)) as connection,
    ):
        connection.sendall(b"CONNECT example.com:443 HTTP/1.1\r\n\r\n")
        assert connection.recv(4096).startswith(b"HTTP/1.1 403")
