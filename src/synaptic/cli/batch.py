"""`synaptic check --jsonl`: answer calls from stdin, one JSON object a line, in order, with one write per read."""

import os
import sys
from collections.abc import Iterator
from typing import Any

import msgspec

from synaptic.engine.check import Checker, summarize_decision
from synaptic.engine.collector import calm_collector
from synaptic.model.errors import SynapticError

PIECE_BYTES = 1 << 18
"""Bytes read at a time. Everything that came in one piece is answered before the next read, so a program that waits
for each answer gets it, and a file is not slowed down by writes of single lines."""
EMPTY_ANSWER = {"decision": None, "policy": None, "reason": None, "updated_input": None}

_decoder = msgspec.json.Decoder(dict[str, Any])
_encoder = msgspec.json.Encoder(enc_hook=str)


async def answer_lines(checker: Checker, cwd: str) -> None:
    """Answer every line of stdin; a line that is no call is answered with an error, and the run goes on."""
    out = sys.stdout.buffer
    calm_collector()
    for lines in _iter_pieces(sys.stdin.fileno()):
        for line in lines:
            if line.strip():
                out.write(await answer_line(checker, line, cwd) + b"\n")
        out.flush()


async def answer_line(checker: Checker, line: bytes, cwd: str) -> bytes:
    """Answer one line. A call without a `cwd` is made in the current folder."""
    try:
        question = _decoder.decode(line)
        question.setdefault("cwd", cwd)
        return _encoder.encode(summarize_decision(await checker.decide(question)))
    # RecursionError: JSON that is nested too deep. One bad line must not end the others.
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _encoder.encode({**EMPTY_ANSWER, "error": f"not a JSON object: {error}"})
    except SynapticError as error:
        return _encoder.encode({**EMPTY_ANSWER, "error": str(error)})


def _iter_pieces(fd: int) -> Iterator[list[bytes]]:
    """Yield the complete lines of each read; a last line without a newline counts too."""
    rest = bytearray()
    while piece := os.read(fd, PIECE_BYTES):
        rest += piece
        # Only the new piece is searched: a line of many megabytes would be searched again with every read.
        if b"\n" not in piece:
            continue
        *lines, tail = bytes(rest).split(b"\n")
        rest = bytearray(tail)
        yield lines
    if rest:
        yield [bytes(rest)]
