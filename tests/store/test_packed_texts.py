"""Texts as what differs from another one: read again to the byte, small, and never believed when they were changed."""

import random
import zlib

import pytest

from synaptic.store.packed_texts import (
    HEAD,
    MARK,
    MOST_BYTES,
    compress_text,
    find_base,
    pack_text,
    unpack_text,
)

BASE = b'{"blocks":[%s]}' % b",".join(b'{"at":%d,"reason":"this would lose work"}' % number for number in range(100))
NEXT = BASE[:-2] + b',{"at":100,"reason":"one more"}]}'


def read_base(id: int) -> bytes | None:
    return BASE if id == 7 else None


def test_a_text_is_what_differs_from_another_one():
    packed = pack_text(NEXT, (7, BASE))
    assert packed is not None
    assert len(packed) < len(NEXT) // 20
    assert find_base(packed) == 7
    assert unpack_text(packed, read_base) == NEXT


@pytest.mark.parametrize("size", [1, 159, 160, 1000, 8000, 9000, 40_000, 64 << 10])
def test_any_text_is_read_again(size: int):
    rolled = random.Random(size)
    for letters in (b"ab", bytes(range(256))):
        text = bytes(rolled.choices(letters, k=size))
        base = text[: size // 2] + b"something else" + text[size // 2 :]
        packed = pack_text(text, (7, base))
        assert packed is None or unpack_text(packed, lambda _: base) == text  # noqa: B023 - at once
        if not text.startswith(MARK):
            assert unpack_text(compress_text(text), read_base) == text


def test_what_is_not_shorter_is_kept_as_it_is():
    noise = random.Random(1).randbytes(2000)
    assert pack_text(noise, (7, BASE)) is None
    assert compress_text(b'"short"') == b'"short"'
    assert compress_text(b'"' + noise) == b'"' + noise


@pytest.mark.parametrize(
    "stored",
    [
        MARK,
        MARK + b"7",
        MARK + b"x" * 19,
        MARK + b"%019d" % 8 + b"no such base",
        MARK + b"%019d" % 7 + b"\xff\xff\xff no stream",
        MARK + "٣".encode() * 19,
        MARK + b"-%018d" % 7,
    ],
)
def test_what_cannot_be_read_is_none(stored: bytes):
    assert unpack_text(stored, read_base) is None


def test_a_text_that_was_cut_or_goes_on_is_none():
    packed = pack_text(NEXT, (7, BASE)) or b""
    assert unpack_text(packed[:-1], read_base) is None
    assert unpack_text(packed + b"x", read_base) is None


def test_a_bomb_does_not_fill_the_memory():
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    stream = packer.compress(b"0" * (MOST_BYTES * 50)) + packer.flush()
    assert unpack_text(MARK + b"0" * (HEAD - 1) + stream, read_base) is None
