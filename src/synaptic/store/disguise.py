"""Secrets that are not written as they are: in base64, with escaped letters, split by quotes, or before a program.

Whatever is found is told as a place in the text as it stands. All looks back or ahead are bounded.
"""

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

import msgspec

from synaptic.store.shapes import list_coded_words

Place = tuple[int, int]

MAX_BEFORE, MAX_AFTER = 4_000, 60_000
"""Bytes of base64 before and after a word that gives it away."""
MAX_KEY = 16_000
"""Bytes of a key before its last line."""
KEY_BREAKS = (b"\n", b"\r", b"n", b"r")
"""What is before that line: a line break, or the end of an escaped one."""
_LINE_BACK = re.compile(rb"(?:[nr]\\+|[\r\n]|[A-Za-z0-9+/])*+")
"""Base64 and line breaks, read from the end."""
_LINE_AHEAD = re.compile(rb"(?:\\+[nr]|[\r\n]|[A-Za-z0-9+/])*+={0,2}")
_BREAKS = re.compile(rb"\\+[nr]|[\r\n]")
_LAST_LINE = re.compile(rb"-----END [A-Z0-9 ]{0,40}PRI\Z")
_KEY_LINE = re.compile(rb"(?<!\\)[A-Za-z0-9+/=]{30}")
_PRINTABLE = re.compile(rb"[\t\r\n\x20-\x7e]{12,}")
_CODED_WORDS = tuple(word.encode() for word in list_coded_words())

_CHANGED_PASSWORD = re.compile(
    rb"(?:echo|printf)\s{1,3}(?:-\w{1,3}\s{1,3})?(?:\\*[\"'])?[^\s:|\"'\\]{1,64}:([^\s|\"'\\]{3,128})(?:\\*[\"'])?\s{0,3}\|\s{0,3}(?:sudo\s{1,3})?\Z"
)
_SUDO_PASSWORD = re.compile(
    rb"(?:echo|printf)\s{1,3}(?:-\w{1,3}\s{1,3})?(?:\\*[\"'])?([^\s|\"'\\$]{3,128})(?:\\*[\"'])?\s{0,3}\|\s{0,3}\Z"
)
_PIPED_PASSWORD = re.compile(
    rb"(?:echo|printf)\s{1,3}(?:-\w{1,3}\s{1,3})?(?:\\*[\"'])?([^\s|\"'\\$]{3,128})(?:\\*[\"'])?\s{0,3}\|[^|;&\r\n]{0,120}\Z"
)
MAX_PIPED = 240
"""Bytes before a program in which what is piped into it is looked for."""

_ESCAPED = re.compile(
    rb"(?<!\\)\\++(?:(?:x|u00|U000000)(26|2[deDE]|3[0-9adAD]|4[1-9a-fA-F]|5[0-9aAfF]|6[1-9a-fA-F]|7[0-9aA])|0?(1[0-7][0-7]|06[0-7]|07[01]))"
)
"""A letter, a digit or one of `-._&=:` as an escape: none of them ends a string."""
_QUOTES = rb"(?:\s?\+\s?\\*[\"'])?(?:\\*[\"'])*+(?=[\w\-]{10})"
_SPLIT = re.compile(rb"'(?<=[\w\-]')" + _QUOTES)
_ESCAPED_SPLIT = re.compile(rb"\\(?<=[\w\-]\\)\\*[\"']" + _QUOTES)
"""Quotes inside a word, with something long behind them, by their first byte: one search for each is quicker."""
_BARE_SPLIT = re.compile(rb"\"(?<=[\w\-]\")" + _QUOTES)
"""In JSON, a bare double quote ends a string, so it splits no word."""
_PERCENT = re.compile(rb"%(2[deDE]|3[0-9]|4[1-9a-fA-F]|5[0-9aAfF]|6[1-9a-fA-F]|7[0-9aA])()")
_BROKEN_JSON = re.compile(rb"\\\\(?<=[\w\-]\\\\)(?:\\+n|\\*)(?=[\w\-]{8})")
_BROKEN = re.compile(rb"\\(?<=[\w\-]\\)\n?(?=[\w\-]{8})")
"""A backslash inside a word, alone or at the end of a line: to a shell it is not there."""
_ESCAPE_HINT = re.compile(rb"\\(?:x|u00|1|0[16]|U0)")
_FOLD_HINT = re.compile(rb"\\(?:[\"'](?<=[\w\-]\\.)(?:\s?\+|\\*[\"']|[\w\-])|\\(?<=[\w\-]\\\\)|x|u00|1|0[16]|U0)")
"""A backslash in JSON that is neither a line break nor at a quote around whole words."""
MAX_LEFT, MAX_RIGHT = 120, 400
"""Bytes around an escape or a split that are put together: more than the part of a token that is looked at."""


class UnfoldedText(msgspec.Struct, frozen=True):
    """A piece of text as whoever runs it puts it together, and where each part of it was."""

    data: bytes
    starts: list[int]
    """Where parts begin in the unfolded text."""
    places: list[Place]
    """For each part, where it begins in the text as it stands; and if it is an escape, how long that is."""

    def find_place(self, start: int, end: int) -> Place:
        """Where a span of the unfolded text is in the text as it stands."""
        return self._locate(start)[0], self._locate(end - 1)[1]

    def _locate(self, at: int) -> Place:
        part = bisect_right(self.starts, at) - 1
        begin, length = self.places[part]
        if length:
            return begin, begin + length
        here = begin + at - self.starts[part]
        return here, here + 1


def iter_unfolded(data: bytes, is_json: bool) -> Iterator[UnfoldedText]:
    """Pieces of the text with their escaped letters and split words put together. Nearly every text has none."""
    found = [] if is_json else [*_BARE_SPLIT.finditer(data)]
    if b"%" in data and (b"%6" in data or b"%7" in data):
        found += _PERCENT.finditer(data)
    if b"'" in data:
        found += _SPLIT.finditer(data)
    # In JSON most texts have backslashes, and nearly all of them are line breaks and quotes around whole words.
    if _FOLD_HINT.search(data) if is_json else b"\\" in data:
        if b'\\"' in data:
            found += _ESCAPED_SPLIT.finditer(data)
        found += (_BROKEN_JSON if is_json else _BROKEN).finditer(data)
        if _ESCAPE_HINT.search(data):
            found += _ESCAPED.finditer(data)
    if not found:
        return
    found.sort(key=lambda one: (one.start(), -one.end()))
    group: list[re.Match[bytes]] = []
    for one in found:
        if group and one.start() > group[-1].end() + MAX_LEFT:
            yield _unfold_around(data, group)
            group = []
        group.append(one)
    if group:
        yield _unfold_around(data, group)


def _unfold_around(data: bytes, found: list[re.Match[bytes]]) -> UnfoldedText:
    at = max(0, found[0].start() - MAX_LEFT)
    end = found[-1].end() + MAX_RIGHT
    parts: list[bytes] = []
    starts: list[int] = []
    places: list[Place] = []
    size = 0
    for one in found:
        if one.start() < at:
            continue
        for part, place in ((data[at : one.start()], (at, 0)), (_read_escape(one), (one.start(), len(one[0])))):
            if part:
                parts.append(part)
                starts.append(size)
                places.append(place)
                size += len(part)
        at = one.end()
    return UnfoldedText(b"".join((*parts, data[at:end])), [*starts, size], [*places, (at, 0)])


def _read_escape(found: re.Match[bytes]) -> bytes:
    if found.re not in (_ESCAPED, _PERCENT):
        return b""
    return bytes((int(found[1], 16) if found[1] else int(found[2], 8),))


def find_coded(data: bytes, at: int, is_secret: Callable[[bytes], bool]) -> tuple[Place, bool]:
    """The base64 around a place, and whether it decodes to a secret."""
    back = _LINE_BACK.match(data[max(0, at - MAX_BEFORE) : at][::-1])
    ahead = _LINE_AHEAD.match(data, at, at + MAX_AFTER)
    place = (_leave_escape(data, at - (back.end() if back else 0)), ahead.end() if ahead else at)
    run = data[slice(*place)]
    if not any(word in run for word in _CODED_WORDS):
        return place, False  # the letters are right, and their case is not
    plain = _BREAKS.sub(b"", run).rstrip(b"=")
    # Words of the text beside it may have been taken for a part of it, so any printable part of the result counts.
    texts = (text for shift in range(4) for text in _PRINTABLE.findall(_decode(plain[shift:])))
    return place, any(map(is_secret, texts))


def _leave_escape(data: bytes, start: int) -> int:
    """Half an escape must not be replaced: `\\t` would leave its backslash to whatever follows."""
    if data[start - 1 : start] != b"\\":
        return start
    return start + (5 if data[start : start + 1] == b"u" else 1)


def _decode(text: bytes) -> bytes:
    try:
        return base64.b64decode(text[: len(text) // 4 * 4])
    except binascii.Error:
        return b""


def find_key_end(data: bytes, at: int) -> Place | None:
    """The lines of a private key before its last one."""
    last = _LAST_LINE.search(data, max(0, at - 60), at)
    if last is None:
        return None  # the first one
    at = last.start()
    if data[at - 1 : at] not in KEY_BREAKS:
        return None
    back = _LINE_BACK.match(data[max(0, at - MAX_KEY) : at].replace(b"=", b"+")[::-1])
    start = at - (back.end() if back else 0)
    line = _KEY_LINE.search(data, start, at)
    return (line.start(), _trim_breaks(data, at)) if line else None


def _trim_breaks(data: bytes, end: int) -> int:
    """Without the line break, so that the last line stays on its own."""
    if data[end - 1 : end] in b"\r\n":
        return end - 1
    if data[end - 1 : end] in b"nr":
        while data[end - 2 : end - 1] == b"\\":
            end -= 1
        return end - 1
    return end


def find_piped_password(data: bytes, at: int) -> Place | None:
    """What is piped into `chpasswd`, `sudo -S` or a login that reads it."""
    if b"|" not in data[max(0, at - MAX_PIPED) : at]:
        return None
    if data[at : at + 6] == b"udo -S":
        found = _SUDO_PASSWORD.search(data, max(0, at - MAX_PIPED), at - len(b"s"))
    elif data[at - 6 : at].lower() == b"chpass":
        found = _CHANGED_PASSWORD.search(data, max(0, at - MAX_PIPED), at - len(b"chpass"))
    else:
        found = _PIPED_PASSWORD.search(data, max(0, at - MAX_PIPED), at)
    return found.span(1) if found else None
