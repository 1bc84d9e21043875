"""Keys as a terminal sends them: letters, arrows, and text that was pasted, which is never a command."""

PASTE_START, PASTE_END = b"\x1b[200~", b"\x1b[201~"
MOST_PASTED = 4096
NAMED_KEYS = {
    b"\x1b[A": "up", b"\x1b[B": "down", b"\x1bOA": "up", b"\x1bOB": "down", b"\x1b[5~": "page up",
    b"\x1b[6~": "page down", b"\x1b[H": "home", b"\x1b[F": "end", b"\x1b[1~": "home", b"\x1b[4~": "end",
    b"\r": "enter", b"\n": "enter", b"\x7f": "backspace", b"\x08": "backspace",
}  # fmt: skip
PASTED = "pasted:"
"""How a key begins that is a pasted text."""


class KeyReader:
    """Bytes in, keys out. A sequence that comes in parts is one key all the same: its last letter is no command."""

    def __init__(self) -> None:
        self._left = b""
        self._may_go_on = False

    @property
    def is_waiting(self) -> bool:
        """Whether a key has begun: a lone escape is one only when nothing follows."""
        return bool(self._left)

    def feed(self, data: bytes) -> list[str]:
        """The keys that are whole now."""
        if self._may_go_on and data[:1] in (b"[", b"O"):
            # The escape before it was taken for a key: on a slow line the rest of its sequence comes late.
            data = b"\x1b" + data
        self._may_go_on = False
        self._left += data
        keys = []
        while self._left and (size := self._measure_key()):
            piece, self._left = self._left[:size], self._left[size:]
            keys.append(_name_key(piece))
        return [key for key in keys if key]

    def end_waiting(self) -> list[str]:
        """Nothing came for a while: what was an escape is one; of anything else the rest is waited for."""
        if self._left != b"\x1b":
            return []
        self._left, self._may_go_on = b"", True
        return ["escape"]

    def _measure_key(self) -> int:
        """How many bytes the first key has; 0 while it is not whole."""
        data = self._left
        if data.startswith(PASTE_START):
            end = data.find(PASTE_END)
            if end < 0:
                # Only the beginning is kept, and the end of what has come, in which the mark may have begun.
                self._left = data if len(data) <= 2 * MOST_PASTED else data[:MOST_PASTED] + data[-len(PASTE_END) :]
            return 0 if end < 0 else end + len(PASTE_END)
        if data[0] != 0x1B:
            return _measure_letter(data)
        if len(data) < 2:
            return 0
        if data[1:2] == b"O":
            return 3 if len(data) > 2 else 0
        if data[1:2] != b"[":
            return 1 if data[1] == 0x1B else 2
        return next((at + 1 for at in range(2, len(data)) if not 0x20 <= data[at] <= 0x3F), 0)


def _measure_letter(data: bytes) -> int:
    """How many bytes a letter has; one that is no UTF-8 takes nothing along of what follows."""
    first = data[0]
    size = 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    more = data[1:size]
    if any(not 0x80 <= byte <= 0xBF for byte in more):
        return 1
    return size if len(more) == size - 1 else 0


def _name_key(piece: bytes) -> str:
    """The name of a key; "" for one that means nothing here."""
    if piece.startswith(PASTE_START):
        return PASTED + piece[len(PASTE_START) : -len(PASTE_END)][:MOST_PASTED].decode("utf-8", "replace")
    if piece in NAMED_KEYS:
        return NAMED_KEYS[piece]
    text = piece.decode("utf-8", "replace")
    return text if text.isprintable() and not piece.startswith(b"\x1b") and text != "\ufffd" else ""
