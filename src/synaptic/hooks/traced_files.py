"""The files of a project as the shell reader asks for them: whatever it follows is noted."""

import os
import re
from typing import Any

from synaptic.files.bounded import UnreadableFile, read_content

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
        self.texts: list[str] = []
        """What was read from disk."""
        self.written: set[str] = set()
        """Files whose text is known because the commands write it."""
        self.may_pass = False
        """Whether one of them could not be read for a moment: what follows from it is not known then."""
        self._hidden = hidden
        self._appended: set[str] = set()
        self._extended = ""

    @property
    def is_exhausted(self) -> bool:
        """Whether more files were asked for than are followed."""
        return len(self.asked) > MAX_CODE_FILES

    def __bool__(self) -> bool:
        return True

    def __setitem__(self, path: str, text: str) -> None:
        # What is added to a file is read before: that alone does not run it.
        if path == self._extended:
            self.asked.pop(path, None)
            self._appended.add(path)
        self.written.add(path)
        super().__setitem__(path, text)

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._load(path) is not None

    def __getitem__(self, path: str) -> str:
        text = self._load(path)
        if text is None:
            raise KeyError(path)
        return text

    def get(self, path: str, default: Any = None) -> Any:
        self._extended = path if default == "" and path not in self.asked else ""
        text = self._load(path)
        return default if text is None else text

    def _load(self, path: str) -> str | None:
        if path in self.written or not path.startswith("/") or "\0" in path:
            if path in self._appended:
                self.asked[path] = None
            return super().get(path)
        plain = os.path.normpath(path)
        self.asked[plain] = None
        if plain in self._hidden or self.is_exhausted:
            return None
        content = read_content(path, CODE_LIMIT)
        self.may_pass = self.may_pass or (isinstance(content, UnreadableFile) and content.may_pass)
        if isinstance(content, bytes) and content.startswith(BINARY_MARKS):
            return None
        if not isinstance(content, bytes):
            return None
        text = _name_itself(content.decode("utf-8", "replace"), plain)
        self.texts.append(text)
        return text


def _name_itself(text: str, path: str) -> str:
    """The text with its own path in the place of bash's word for it, which the reader has no value for."""
    if "BASH_SOURCE" not in text or not PLAIN_PATH.fullmatch(path):
        return text
    return OWN_PATH.sub(lambda found: os.path.dirname(path) if found[1] else path, text)  # noqa: PTH120 - text only
