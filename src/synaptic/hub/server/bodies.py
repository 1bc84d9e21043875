"""Bodies of requests: read and unpacked within bounds, and made of texts that a database takes."""

import asyncio
import json
import math
import re
import zlib
from typing import Any, NoReturn, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request

from synaptic.hub.server.refused import RequestError
from synaptic.hub.wire import MOST_BATCH_BYTES

READ_SECONDS = 30.0
HOSTILE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
"""Escapes of what PostgreSQL takes in no text, or of half a character of a pair."""
NUL_SHOWN = "␀"
Kind = TypeVar("Kind")


async def read_body(request: Request, most: int = MOST_BATCH_BYTES) -> bytes:
    """As it was sent. Raises RequestError for one that is too large or too slow."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced[:20]) > most:
        raise RequestError(413, f"a body has up to {most} bytes")
    parts, size = [], 0
    try:
        async with asyncio.timeout(READ_SECONDS):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise RequestError(413, f"a body has up to {most} bytes")
                parts.append(part)
    except (TimeoutError, ClientDisconnect) as error:
        raise RequestError(408, "the body did not come to its end", after=1) from error
    return b"".join(parts)


def unpack_body(request: Request, body: bytes, most: int = MOST_BATCH_BYTES) -> bytes:
    """What was sent, unpacked no further than it may be. Raises RequestError."""
    encoding = request.headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return body
    if encoding != "gzip":
        raise RequestError(415, "a body is plain or gzip")
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        found = unpacker.decompress(body, most + 1)
    except zlib.error as error:
        raise RequestError(400, "this is no gzip") from error
    if len(found) > most:
        raise RequestError(413, f"a body has up to {most} bytes, unpacked")
    if not unpacker.eof or unpacker.unused_data:
        raise RequestError(400, "this gzip is cut, or more than one")
    return found


def decode_body(body: bytes, kind: type[Kind], *, is_exact: bool = False) -> Kind:
    """Half a character, or bytes that are no text, cost that character and not the request. Raises RequestError."""
    if is_exact or not HOSTILE.search(body):
        try:
            return msgspec.json.decode(body, type=kind)
        except UnicodeDecodeError as error:
            if is_exact:
                raise RequestError(400, "this is no text") from error
        except (msgspec.MsgspecError, RecursionError) as error:
            raise RequestError(400, f"not what is expected here: {_cut(error)}") from error
    return _decode_loosely(body, kind)


def _decode_loosely(body: bytes, kind: type[Kind]) -> Kind:
    try:
        text = body.decode("utf-8", "replace")
        found = json.loads(text, parse_constant=_refuse_constant, parse_float=_read_finite)
        return msgspec.convert(_clean(found), kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise RequestError(400, f"not what is expected here: {_cut(error)}") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _read_finite(text: str) -> float:
    """What is kept and cannot be written as JSON again would break the answer in which it stands for everybody."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is out of range")
    return number


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_clean(one) for one in value]
    if isinstance(value, dict):
        return {clean_text(name): _clean(one) for name, one in value.items()}
    return value


def clean_text(text: str) -> str:
    """Without what PostgreSQL refuses, and what is put there can be seen."""
    # Half a character of a pair becomes the sign for what is none; two halves that belong together become one.
    return text.replace("\0", NUL_SHOWN).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _cut(error: Exception) -> str:
    return str(error)[:200]
