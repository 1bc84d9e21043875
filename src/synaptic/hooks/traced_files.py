"""The files of a project as the shell reader asks for them: whatever it follows is noted."""

import os
import re

from synaptic.files.snapshot import read_content

CODE_LIMIT = 1 << 20
"""Bytes of one file that is followed; a longer one counts by its content and is not read as code."""
MAX_CODE_FILES = 300
"""Files that are followed for one hook."""
BINARY_MARKS = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
"""Beginnings of files that the system runs itself: nothing in them is shell text."""
OWN_PATH = re.compile(r"\$(?:\{BASH_SOURCE(?:\[0\])?(%/\*)?\}|BASH_SOURCE\b)")
PLAIN_PATH = re.compile(r"[\w./:@%+,~ -]+")


class TracedFiles(dict[str, str]):
    """Path to text. Files are read from disk when they are asked for; what the text itself writes goes first."""

    def __init__(self, hidden: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.asked: dict[str, None] = {}
        """Every path that was looked for, missing ones too."""
        self._written: set[str] = set()
        self._hidden = hidden

    @property
    def is_exhausted(self) -> bool:
        """Whether more files were asked for than are followed."""
        return len(self.asked) > MAX_CODE_FILES

    def __bool__(self) -> bool:
        return True

    def __setitem__(self, path: str, text: str) -> None:
        self._written.add(path)
        super().__setitem__(path, text)

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._load(path) is not None

    def __getitem__(self, path: str) -> str:
        text = self._load(path)
        if text is None:
            raise KeyError(path)
        return text

    def get(self, path: str, default: object = None) -> str:  # type: ignore[override]
        text = self._load(path)
        return default if text is None else text

    def _load(self, path: str) -> str | None:
        if path in self._written or not path.startswith("/") or "\0" in path:
            return super().get(path)
        plain = os.path.normpath(path)
        self.asked[plain] = None
        if plain in self._hidden or self.is_exhausted:
            return None
        content = read_content(path, CODE_LIMIT)
        if isinstance(content, bytes) and content.startswith(BINARY_MARKS):
            return None
        return _name_itself(content.decode("utf-8", "replace"), plain) if isinstance(content, bytes) else None


def _name_itself(text: str, path: str) -> str:
    """The text with its own path in the place of bash's word for it, which the reader has no value for."""
    if "BASH_SOURCE" not in text or not PLAIN_PATH.fullmatch(path):
        return text
    return OWN_PATH.sub(lambda found: os.path.dirname(path) if found[1] else path, text)  # noqa: PTH120 - text only
