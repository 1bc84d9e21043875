"""Keys: a sequence is one key however it arrives, and what is pasted is no command."""

from synaptic.cli.keys import MOST_PASTED, KeyReader


def press(*pieces: bytes) -> list[str]:
    reader = KeyReader()
    return [key for piece in pieces for key in reader.feed(piece)]


def test_letters_and_arrows_are_keys():
    assert press(b"ja\x1b[A\x1bOB\r\x7f?") == ["j", "a", "up", "down", "enter", "backspace", "?"]
    assert press("é漢".encode()) == ["é", "漢"]


def test_an_arrow_that_comes_in_parts_is_never_the_letter_at_its_end():
    assert press(b"\x1b", b"[", b"A") == ["up"]
    assert press(b"\x1b[", b"1;5", b"A", b"q") == ["q"]
    reader = KeyReader()
    assert reader.feed(b"\x1b") == []
    assert reader.is_waiting
    assert reader.end_waiting() == ["escape"]
    assert reader.feed(b"[A") == ["up"]
    assert reader.feed(b"A") == ["A"]


def test_half_of_a_sequence_is_waited_for_as_long_as_it_takes():
    reader = KeyReader()
    assert reader.feed(b"\x1b[") == []
    assert reader.end_waiting() == []
    assert reader.feed(b"A") == ["up"]


def test_what_is_pasted_is_one_text_wherever_it_is_cut():
    pasted = b"\x1b[200~Ay\rq\x1b[201~"
    for cut in range(1, len(pasted)):
        assert press(pasted[:cut], pasted[cut:]) == ["pasted:Ay\rq"], cut


def test_a_paste_without_an_end_keeps_no_more_than_its_beginning():
    reader = KeyReader()
    assert reader.feed(b"\x1b[200~") == []
    for _ in range(1000):
        assert reader.feed(b"A" * 4096) == []
    assert len(reader._left) <= 3 * MOST_PASTED
    (key,) = reader.feed(b"\x1b[201~")
    assert key.startswith("pasted:AAA")
    assert reader.feed(b"q") == ["q"]


def test_nothing_else_is_a_key():
    assert press(b"\x1ba\x00\x01\xff\x9b\x1b[<0;1;1M\x1b[I") == []
