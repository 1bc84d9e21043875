"""A strict reader of RFC 5424: every letter has to be where its grammar puts it."""

import re
from typing import NamedTuple

HEAD = re.compile(
    rb"<(?P<pri>0|[1-9][0-9]{0,2})>1 (?P<time>-|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)) "
    rb"(?P<host>[!-~]{1,255}) (?P<app>[!-~]{1,48}) (?P<proc>[!-~]{1,128}) (?P<id>[!-~]{1,32}) "
)
SD_NAME = rb"[!#-<>-\\^-~]{1,32}"
PARAM = re.compile(rb" (?P<name>" + SD_NAME + rb')="(?P<value>(?:[^"\\\]]|\\["\\\]])*)"')
ELEMENT = re.compile(rb"\[(" + SD_NAME + rb")")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


class Message(NamedTuple):
    facility: int
    severity: int
    time: str
    host: str
    id: str
    element: str
    values: dict[str, str]
    text: str


def read_message(raw: bytes) -> Message:
    head = HEAD.match(raw)
    assert head, raw
    priority = int(head["pri"])
    assert priority <= 191
    element = ELEMENT.match(raw, head.end())
    assert element, raw
    at, values = element.end(), {}
    while param := PARAM.match(raw, at):
        name = param["name"].decode()
        assert name not in values
        values[name] = re.sub(r'\\(["\\\]])', r"\1", param["value"].decode())
        at = param.end()
    assert raw[at : at + 1] == b"]", raw[at:]
    rest = raw[at + 1 :]
    assert rest == b"" or rest.startswith(b" "), rest
    text = rest[1:]
    if text.startswith(b"\xef\xbb\xbf"):
        text = text[3:]
    else:
        assert text.isascii(), text
    decoded = text.decode()
    assert not CONTROL.search(decoded), decoded
    assert not any(CONTROL.search(value) for value in values.values()), values
    return Message(
        priority // 8, priority % 8, head["time"].decode(), head["host"].decode(), head["id"].decode(),
        element[1].decode(), values, decoded,
    )  # fmt: skip
