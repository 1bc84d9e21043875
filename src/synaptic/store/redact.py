"""Replace secrets by `[redacted:kind]` before anything is written; JSON stays valid JSON."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from synaptic.store.anchors import compile_anchors
from synaptic.store.disguise import find_coded, find_key_end, find_piped_password, iter_unfolded
from synaptic.store.shapes import (
    CASED_SHAPES,
    MAX_ARGUMENTS,
    PROGRAM_KINDS,
    SECRET_IDENTIFIER,
    SECRET_SHAPES,
)

MAX_VARIABLE_NAME = 64
"""A longer value is no name of a variable."""

MAX_SECRET = 4096
"""Characters that a secret has at most, for a text that is cut."""

_Shape = tuple[str, re.Pattern[bytes], re.Pattern[bytes]]
"""A kind, its anchor, and what must follow."""


def _group_by_head() -> dict[int, list[tuple[str, str, str]]]:
    heads: dict[int, list[tuple[str, str, str]]] = {}
    for kind, (anchors, shape) in SECRET_SHAPES.items():
        for anchor in anchors:
            heads.setdefault(ord(anchor[0]), []).append((kind, re.escape(anchor[0]) + anchor[1:], shape))
    return heads


@cache
def _compile_head(head: int) -> tuple[_Shape, ...]:
    """When the first anchor is found: most of them never are, and all together are a tenth of the daemon's start."""
    return tuple(
        (kind, re.compile(anchor.encode()), re.compile(shape.encode())) for kind, anchor, shape in _HEADS[head]
    )


_HEADS = _group_by_head()
_ANCHORS = compile_anchors(anchor for anchors, _ in SECRET_SHAPES.values() for anchor in anchors)
_CASED = tuple((kind, prefix, re.compile(shape.encode())) for kind, (prefix, shape) in CASED_SHAPES.items())
_ASSIGNMENTS = frozenset({"password", "secret", "token", "key"})
_NUMBERS = frozenset({"password", "secret"})

_BEFORE = {"key-end": find_key_end, "piped-password": find_piped_password}
"""Kinds whose secret stands before their anchor."""
_LONG_OPTION = re.compile(rb"(?<![\w\-])--[\w\-]*\Z")
_CODED_MARK = b"[redacted:base64]"

RedactedSpan = tuple[int, int, bytes]


def redact_bytes(data: bytes, is_json: bool = True) -> bytes:
    """Replace the secrets in some bytes; returns the same object when there are none."""
    spans = _find_all(data)
    for unfolded in iter_unfolded(data, is_json):
        spans += ((*unfolded.find_place(start, end), mark) for start, end, mark in _find_all(unfolded.data))
    return _replace_spans(data, sorted(spans)) if spans else data


def redact_text(text: str) -> str:
    """Replace the secrets in a text."""
    data = text.encode("utf-8", "replace")
    clean = redact_bytes(data, is_json=False)
    return text if clean == data and text.isascii() else clean.decode("utf-8", "replace")


@lru_cache(maxsize=128)
def redact_again(text: str) -> str:
    """The same for texts that come again and again, such as the reason of a refusal that is repeated."""
    return redact_text(text)


def cut_text(text: str, most: int) -> str:
    """The beginning of a text. Redacted before it is cut, because half a secret has no shape any more."""
    return redact_text(text[: most + MAX_SECRET])[:most] if len(text) > most else text


def _find_all(data: bytes) -> list[RedactedSpan]:
    spans = list(_find_spans(data))
    for kind, prefix, shape in _CASED:
        if prefix in data:
            spans += [(*found.span(1), _make_mark(kind)) for found in shape.finditer(data)]
    return spans


def _find_spans(data: bytes) -> Iterator[RedactedSpan]:
    lowered, looked = data.lower(), 0
    covered: list[tuple[int, int]] = []
    for hit in _ANCHORS.finditer(lowered):
        start = hit.start()
        # An anchor inside a secret that is already covered (a `token` in a URL) would give overlapping spans. One
        # between a program and its password, which may stand far behind it, may have a secret of its own.
        if covered and any(begin <= start < end for begin, end in covered):
            continue
        span = _match_span(data, lowered, start)
        if span is not None and span[2] is _CODED_MARK:
            # One base64 text may hold many anchors, and is decoded once.
            place, is_secret = find_coded(data, start, _holds_secret) if start >= looked else ((start, start), False)
            looked = max(looked, place[1])
            span = (*place, _CODED_MARK) if is_secret else None
        if span is not None and span[:2] not in covered:
            covered = [(begin, end) for begin, end in covered if end > start]
            covered.append(span[:2])
            yield span


def _holds_secret(text: bytes) -> bool:
    return next(_find_spans(text), None) is not None


def _match_span(data: bytes, lowered: bytes, start: int) -> RedactedSpan | None:
    for kind, anchor, shape in _compile_head(lowered[start]):
        hit = anchor.match(lowered, start)
        # Asked first, because the shapes of these look at every byte behind them.
        if hit and kind in PROGRAM_KINDS and data.find(b" -", hit.end(), hit.end() + MAX_ARGUMENTS) < 0:
            continue
        found = shape.match(data, hit.end()) if hit else None
        if found and (span := _locate_secret(found, kind, start)):
            return span
    return None


def _locate_secret(found: re.Match[bytes], kind: str, start: int) -> RedactedSpan | None:
    if kind in _ASSIGNMENTS:
        return _locate_assigned(found, kind)
    if kind == "base64":
        return (start, start, _CODED_MARK)
    if kind == "long-option" and not _LONG_OPTION.search(found.string, max(0, start - 40), start):
        return None  # prose: `the user-token is`
    if kind in _BEFORE:
        place = _BEFORE[kind](found.string, start)
        return (*place, _make_mark(kind)) if place else None
    if kind == "mailchimp-key":
        # Its anchor is the suffix (`-us12`): the 32 hex digits before it are the secret.
        return (found.start() - 33, found.start() - 1, _make_mark(kind))
    return (*found.span(found.lastindex or 1), _make_mark(kind))


def _locate_assigned(found: re.Match[bytes], kind: str) -> RedactedSpan | None:
    name = found.lastgroup or ""
    value = found.group(name)
    if name == "number":
        # A bare number becomes a string: brackets without quotes are no JSON.
        quote = found.group("depth") + found.group("quote")
        return (*found.span(name), quote + _make_mark(kind) + quote) if kind in _NUMBERS else None
    # `token=self.token` in source code names a variable; redacting it would make the journal useless for code.
    if len(value) <= MAX_VARIABLE_NAME and SECRET_IDENTIFIER.fullmatch(value):
        return None
    return (*found.span(name), _make_mark(kind))


def _make_mark(kind: str) -> bytes:
    return f"[redacted:{kind}]".encode()


def _replace_spans(data: bytes, spans: list[RedactedSpan]) -> bytes:
    pieces, position = [], 0
    for start, end, mark in spans:
        if start >= position:
            pieces += [data[position:start], mark]
            position = end
        elif end > position:  # two kinds, each of which has seen a part
            position = end
    return b"".join((*pieces, data[position:]))
