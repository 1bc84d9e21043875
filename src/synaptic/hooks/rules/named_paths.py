"""The files that a call names, by what it does to them: `edit`, `write`, `delete`, `read`."""

from collections.abc import Iterable, Iterator, Mapping

from synaptic.hooks.rules.paths import NamedPath, split_path
from synaptic.model.event import Event, ToolEvent
from synaptic.model.once import computed_once
from synaptic.model.patch import read_patch_files
from synaptic.model.tool import PATCH, Tool
from synaptic.policies.facts import Facts
from synaptic.policies.reading import runs_elsewhere
from synaptic.shell.effects.commands import find_read_words
from synaptic.shell.effects.effects import Effect
from synaptic.shell.effects.filled import find_copies
from synaptic.shell.effects.searched import FileSearch, ScriptSearches
from synaptic.shell.globs import GLOB_SIGN
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, list_readings, resolve_path
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.script import Command, Word
from synaptic.shell.reading import UNKNOWN_PROJECT, CommandReading

COPIERS = split_names("cp gcp mv gmv rsync install ginstall ln gln ditto")
"""Programs that make a file in a folder under the name of another."""
MOVERS = split_names("mv gmv")
GIT_RESTORES = split_names("checkout restore")
PATTERN_MARK = "{}"
MAX_PATHS = 2000
"""Paths of one call and kind that are compared; a call with more is a question."""


class TooManyPathsError(ValueError):
    """A call names more files than are compared."""


class CallPaths:
    """The paths of one call. Each kind is worked out when a rule first asks for it."""

    def __init__(self, event: Event, facts: Facts) -> None:
        self._tool = event.tool if isinstance(event, ToolEvent) else Tool("", {})
        self._facts = facts
        self._known = facts.command
        self._at = Standpoint(event.cwd or facts.root or UNKNOWN_PROJECT, facts.home)

    def list_paths(self, kind: str) -> tuple[NamedPath, ...]:
        """The paths of one kind. Raises TooManyPathsError."""
        found: tuple[NamedPath, ...] = getattr(self, PATH_KINDS[kind])
        return found

    @computed_once
    def edits(self) -> tuple[NamedPath, ...]:
        return _limit((*self._iter_tool_changes(), *self._iter_changes(("write",)), *self._iter_looked_up()))

    @computed_once
    def writes(self) -> tuple[NamedPath, ...]:
        return _limit((*self.edits, *self._iter_changes(("touch",))))

    @computed_once
    def deletes(self) -> tuple[NamedPath, ...]:
        found = (*self._iter_patch_deletes(), *self._iter_deletes())
        return _limit((*found, *self._iter_looked_up()) if found else ())

    @computed_once
    def reads(self) -> tuple[NamedPath, ...]:
        return _limit((*self._iter_tool_reads(), *self._iter_reads()))

    def _iter_tool_changes(self) -> Iterator[NamedPath]:
        if self._tool.may_write:
            yield from self._iter_meant(self._tool.paths)

    def _iter_tool_reads(self) -> Iterator[NamedPath]:
        if not self._tool.is_edit:
            yield from self._iter_meant(self._tool.paths)

    def _iter_patch_deletes(self) -> Iterator[NamedPath]:
        text = self._tool.read_text("patch") if self._tool.name == PATCH else ""
        gone = (one.path for one in read_patch_files(text) if one.act == "Delete" or one.moved) if text else ()
        yield from self._iter_meant(gone)

    def _iter_meant(self, texts: Iterable[str]) -> Iterator[NamedPath]:
        """What a tool's path means: as it is written, decoded, and where links lead."""
        for text in texts:
            yield from (NamedPath(split_path(path)) for path in list_readings(text, self._at))
            if real := self._facts.real_paths.get(text):
                yield NamedPath(split_path(real))

    def _iter_looked_up(self) -> Iterator[NamedPath]:
        """What is changed behind links on the disk, and by patches on the disk."""
        for found in (self._facts.linked_paths, self._facts.patched_paths):
            yield from (NamedPath(split_path(path)) for path in found or ())

    def _iter_changes(self, kinds: tuple[str, ...]) -> Iterator[NamedPath]:
        known = self._known
        if known is None:
            return
        yield from self._iter_effects(one for one in known.effects.changes if one.kind in kinds)
        if "write" not in kinds:
            return
        for command in known.script.commands:
            if command.name in COPIERS and not runs_elsewhere(command):
                yield from self._iter_words(find_copies(command), command.cwd)
        for call in known.acting_git_calls:
            if not runs_elsewhere(call.command):
                yield from self._iter_words(_list_git_written(call), call.cwd)

    def _iter_deletes(self) -> Iterator[NamedPath]:
        known = self._known
        if known is None:
            return
        yield from self._iter_effects(known.effects.deletes)
        for call in known.acting_git_calls:
            if call.verb in ("rm", "mv") and not runs_elsewhere(call.command):
                words = call.given.operands
                yield from self._iter_words(words[:-1] if call.verb == "mv" else words, call.cwd)

    def _iter_reads(self) -> Iterator[NamedPath]:
        known = self._known
        if known is None:
            return
        for redirect in known.script.redirects:
            if redirect.operator in ("<", "<>") and not runs_elsewhere(redirect):
                yield from self._iter_words((redirect.target,), redirect.cwd)
        for command in known.script.commands:
            if not runs_elsewhere(command):
                yield from self._iter_words(_iter_read(command), command.cwd)

    def _iter_effects(self, effects: Iterable[Effect]) -> Iterator[NamedPath]:
        for one in effects:
            if not one.word.text or runs_elsewhere(one):
                continue
            search = self._find_search(one.word, one.command) if PATTERN_MARK in one.word.text else None
            if search is not None:
                yield from self._iter_found(search)
            else:
                yield from self._iter_words((one.word,), one.cwd)

    def _find_search(self, word: Word, command: Command | None) -> FileSearch | None:
        return self._searches.find_search(word, command) if command is not None and self._known else None

    @computed_once
    def _searches(self) -> ScriptSearches:
        return ScriptSearches((self._known or CommandReading("")).script)

    def _iter_found(self, search: FileSearch) -> Iterator[NamedPath]:
        """What a search finds: names below its folders, or everything that is in them."""
        at = Standpoint(search.cwd or self._at.cwd, self._at.home)
        for root in search.roots or (Word("."),):
            folder = split_path(resolve_path(root.text, at) or "")
            if not search.names:
                yield NamedPath(folder)
            for name in search.names:
                yield NamedPath((*folder, name.lower().rpartition("/")[2]), is_pattern=True, is_below=True)

    def _iter_words(self, words: Iterable[Word], folder: str) -> Iterator[NamedPath]:
        at = Standpoint(folder or self._at.cwd, self._at.home)
        for word in words:
            text = word.text
            for path in list_readings(text.removeprefix("@"), at) if text[:1] == "@" else list_readings(text, at):
                yield from _iter_forms(split_path(path), word.glob)


def _iter_forms(parts: tuple[str, ...], is_glob: bool) -> Iterator[NamedPath]:
    is_pattern = is_glob and any(GLOB_SIGN.search(part) for part in parts)
    yield NamedPath(parts, is_pattern)
    if is_pattern and not parts[-1].strip("*"):
        yield NamedPath(parts[:-1])  # everything in a folder: as much as the folder itself


def _iter_read(command: Command) -> Iterator[Word]:
    """What a command opens; an option may have the path in its word: `--data=@.env`."""
    for word in find_read_words(command):
        yield word
        if "=" in word.text:
            yield Word(word.text.partition("=")[2].removeprefix("@"), word.known, word.glob)


def _list_git_written(call: GitCall) -> tuple[Word, ...]:
    """The files that a call of git names and overwrites."""
    if call.verb == "mv":
        return call.given.operands[-1:]
    if call.verb in GIT_RESTORES:
        # Without `--` a word may be a branch; a file of that name is one too many, and no more than that.
        return call.given.behind or call.given.operands
    return ()


def _limit(found: Iterable[NamedPath]) -> tuple[NamedPath, ...]:
    paths = tuple(dict.fromkeys(found))
    if len(paths) > MAX_PATHS:
        raise TooManyPathsError(f"the call names more than {MAX_PATHS} files")
    return paths


PATH_KINDS: Mapping[str, str] = {"edit": "edits", "write": "writes", "delete": "deletes", "read": "reads"}
"""The key of a rule, and the paths that it is about."""
