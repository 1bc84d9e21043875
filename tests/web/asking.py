"""Requests to a console as any program could make them, headers and all."""

import http.client
from collections.abc import Mapping
from typing import NamedTuple

from tests.web.console import PATIENCE, WebConsole


class Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    text: str


def ask(console: WebConsole, path: str, method: str = "GET", body: str = "", **headers: str) -> Reply:
    """One request; `Host` and `Origin` are as a browser on this machine sends them unless they are given."""
    connection = http.client.HTTPConnection(console.host, console.port, timeout=PATIENCE)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"Host": f"{console.host}:{console.port}", **named}
        connection.request(method, path, body=body or None, headers=sent)
        answer = connection.getresponse()
        return Reply(answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read().decode())
    finally:
        connection.close()


def enter(console: WebConsole) -> str:
    """The cookie that the console's link gives."""
    link = console.take_link()
    reply = ask(console, link.removeprefix(console.address))
    assert reply.status == 303, reply.text
    return reply.headers["set-cookie"].partition(";")[0]
