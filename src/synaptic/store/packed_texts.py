"""Texts of the record as they are stored: whole, compressed, or as what differs from a text that is stored by itself.

Most texts are the one before with a line more. Which text another one is made of is in the first bytes of the row, in
digits, so that SQL can read it: such a base stays for as long as what is made of it.
"""

import zlib
from collections.abc import Callable

MARK = b"\x01"
"""Before a packed text; a text of the record is JSON, and never begins so."""
DIGITS = 19
"""Of the base's name; zero where a text is only compressed."""
HEAD = len(MARK) + DIGITS
WORTH_PACKING = 160
"""Bytes below which a text is stored as it is."""
WORTH_COMPRESSING = 400
MOST_BYTES = 2 << 20
"""Of an unpacked text: what somebody has put there is no reason to fill the memory."""
LEVEL, MEMORY = 1, 5
SMALL_WINDOW, LARGE_WINDOW = -13, -15
SMALL_BYTES = (1 << 13) - 300
"""A text and its base up to this length fit a small window, which is five times as fast."""

SELECT_BASES = f"""
SELECT CAST(CAST(substr(value, {len(MARK) + 1}, {DIGITS}) AS TEXT) AS INTEGER) FROM basis
WHERE at >= ?1 AND substr(value, 1, {len(MARK)}) = x'{MARK.hex()}'
"""


def compress_text(value: bytes) -> bytes:
    """A text by itself: as it is where that is no longer."""
    if len(value) < WORTH_COMPRESSING:
        return value
    packed = _write_head(0) + _deflate(value, b"")
    return packed if len(packed) < len(value) else value


def pack_text(value: bytes, base: tuple[int, bytes]) -> bytes | None:
    """A text as what differs from another one; None where that is not worth it."""
    if len(value) < WORTH_PACKING:
        return None
    id, other = base
    packed = _write_head(id) + _deflate(value, other)
    return packed if len(packed) < len(value) // 2 else None


def unpack_text(stored: bytes, read_base: Callable[[int], bytes | None]) -> bytes | None:
    """A text again; None where it cannot be read. `read_base` gives the text that it is made of."""
    if not stored.startswith(MARK):
        return stored
    id = find_base(stored)
    if id is None:
        return None
    other = read_base(id) if id else b""
    return None if other is None else _inflate(stored[HEAD:], other)


def find_base(stored: bytes) -> int | None:
    """Which text a stored one is made of: 0 for none, None where that cannot be read."""
    if not stored.startswith(MARK):
        return 0
    digits = stored[len(MARK) : HEAD]
    return int(digits) if len(digits) == DIGITS and digits.isdigit() else None


def _write_head(id: int) -> bytes:
    return MARK + b"%019d" % id


def _deflate(value: bytes, other: bytes) -> bytes:
    window = SMALL_WINDOW if len(value) + len(other) <= SMALL_BYTES else LARGE_WINDOW
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, window, MEMORY, zdict=other)
    return packer.compress(value) + packer.flush()


def _inflate(packed: bytes, other: bytes) -> bytes | None:
    unpacker = zlib.decompressobj(LARGE_WINDOW, zdict=other)
    try:
        value = unpacker.decompress(packed, MOST_BYTES)
    except zlib.error:
        return None
    return value if unpacker.eof and not unpacker.unused_data else None
