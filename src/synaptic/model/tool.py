"""A tool call in canonical names: the shell is `Bash`, a path is `file_path`, whatever the agent calls them."""

from collections.abc import Mapping
from functools import cached_property

import msgspec

Input = Mapping[str, object]

SHELL = frozenset({"Bash", "PowerShell"})
PATCH = "ApplyPatch"
"""One call that changes several files: `paths` names them all."""
EDITS = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit", PATCH})
READS = frozenset({"Read", "Glob", "Grep", "LS", "NotebookRead"})
PATH_KEYS = ("file_path", "notebook_path", "path", "filePath")


class Tool(msgspec.Struct, frozen=True, dict=True):
    """The name and input of one call, with the questions that policies ask of it."""

    name: str
    input: Input

    @cached_property
    def command(self) -> str:
        """The shell text, or nothing when this is no shell call."""
        return self.read_text("command") if self.name in SHELL else ""

    @property
    def is_edit(self) -> bool:
        return self.name in EDITS

    @property
    def is_read(self) -> bool:
        return self.name in READS

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every path the call names under a known key."""
        found = [self.input.get(key) for key in PATH_KEYS]
        several = self.input.get("paths")
        if isinstance(several, list | tuple):
            found.extend(several)
        return tuple(dict.fromkeys(value for value in found if isinstance(value, str) and value))

    def read_text(self, key: str) -> str:
        value = self.input.get(key)
        return value if isinstance(value, str) else ""

    def replace_values(self, **values: object) -> dict[str, object]:
        """The input with some values replaced: what a rewrite returns."""
        return {**self.input, **values}
