"""Replace secrets by `[redacted:kind]` before anything is written; JSON stays valid JSON."""

import re
from collections.abc import Iterator

from synaptic.store.shapes import CASED_SHAPES, SECRET_IDENTIFIER, SECRET_SHAPES, TOKEN_AHEAD

MAX_VARIABLE_NAME = 64
"""A longer value is no name of a variable."""

_Shape = tuple[str, re.Pattern[bytes], re.Pattern[bytes]]
"""A kind, its anchor, and what must follow."""


def _group_by_head() -> dict[int, list[_Shape]]:
    heads: dict[int, list[_Shape]] = {}
    for kind, (anchors, shape) in SECRET_SHAPES.items():
        for anchor in anchors:
            compiled = (kind, re.compile((re.escape(anchor[0]) + anchor[1:]).encode()), re.compile(shape.encode()))
            heads.setdefault(ord(anchor[0]), []).append(compiled)
    return heads


def _compile_anchors(heads: dict[int, list[_Shape]]) -> re.Pattern[bytes]:
    """One alternation, one branch per first letter, no groups: only then can `re` skip to the next candidate letter."""
    rests: dict[str, list[str]] = {chr(head): [] for head in heads}
    for anchors, _ in SECRET_SHAPES.values():
        for anchor in anchors:
            rests[anchor[0]].append(anchor[1:])
    branches = (f"{re.escape(head)}(?:{'|'.join(_share_lookahead(found))})" for head, found in rests.items())
    return re.compile("|".join(branches).encode())


def _share_lookahead(rests: list[str]) -> Iterator[str]:
    """What looks ahead for a token does it once for all."""
    tokens = [rest.removeprefix(TOKEN_AHEAD) for rest in rests if rest.startswith(TOKEN_AHEAD)]
    yield from dict.fromkeys(rest for rest in rests if not rest.startswith(TOKEN_AHEAD))
    if tokens:
        yield f"{TOKEN_AHEAD}(?:{'|'.join(dict.fromkeys(tokens))})"


_HEADS = _group_by_head()
_ANCHORS = _compile_anchors(_HEADS)
_CASED = tuple((kind, prefix, re.compile(shape.encode())) for kind, (prefix, shape) in CASED_SHAPES.items())
_ASSIGNMENTS = frozenset({"password", "secret", "token", "key"})
_NUMBERS = frozenset({"password", "secret"})

RedactedSpan = tuple[int, int, bytes]


def redact_bytes(data: bytes) -> bytes:
    """Replace the secrets in some bytes; returns the same object when there are none."""
    spans = list(_find_spans(data))
    for kind, prefix, shape in _CASED:
        if prefix in data:
            spans += [(*found.span(1), _make_mark(kind)) for found in shape.finditer(data)]
    return _replace_spans(data, sorted(spans)) if spans else data


def redact_text(text: str) -> str:
    """Replace the secrets in a text."""
    data = text.encode("utf-8", "replace")
    clean = redact_bytes(data)
    return text if clean == data and text.isascii() else clean.decode("utf-8", "replace")


def _find_spans(data: bytes) -> Iterator[RedactedSpan]:
    lowered, done = data.lower(), 0
    for hit in _ANCHORS.finditer(lowered):
        start = hit.start()
        # An anchor inside a secret that is already covered (a `token` in a URL) would give overlapping spans.
        if start >= done and (span := _match_span(data, lowered, start)):
            done = span[1]
            yield span


def _match_span(data: bytes, lowered: bytes, start: int) -> RedactedSpan | None:
    for kind, anchor, shape in _HEADS[lowered[start]]:
        hit = anchor.match(lowered, start)
        found = shape.match(data, hit.end()) if hit else None
        if found and (span := _locate_secret(found, kind)):
            return span
    return None


def _locate_secret(found: re.Match[bytes], kind: str) -> RedactedSpan | None:
    if kind in _ASSIGNMENTS:
        return _locate_assigned(found, kind)
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
    return b"".join((*pieces, data[position:]))
