"""What `synaptic trust` shows before it asks: what would run, and what of that is new since the last agreement."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from synaptic.cli import screen
from synaptic.hooks.agreed import AgreedHook, FileChange, compare_files, decode_agreed, read_files
from synaptic.hooks.trust import TrustItem
from synaptic.hooks.worktrees import name_repository
from synaptic.model.errors import SynapticError
from synaptic.model.hook import Command, Hook, HttpEndpoint, OutsidePolicy, PythonFunction
from synaptic.store.db import Store
from synaptic.store.redact import redact_text
from synaptic.store.trust import read_kept_content

SHORT_DIGEST = 12
LINE_CHARS = 160
MAX_FILES = 20
"""Files of one hook that are shown, unless all lines are asked for."""


def describe_handler(hook: Hook) -> str:
    """Describe what a hook executes."""
    match hook.handler:
        case Command(argv=argv, shell=shell):
            return shell or " ".join(argv)
        case PythonFunction(file=file, function=function):
            return f"{file}:{function}"
        case OutsidePolicy(file=file):
            return f"the policies in {file}"
        case HttpEndpoint(url=url):
            return url
    return "built in"


class TrustView(msgspec.Struct, frozen=True):
    """Shows hooks of one project, with at most so many lines of each file (0: all)."""

    store: Store
    root: str
    lines: int

    def print_items(self, items: Sequence[TrustItem]) -> None:
        """Raises SynapticError when a file changes while it is shown: what was agreed to must have been seen."""
        if not items:
            return
        screen.print_table(
            ("ID", "DIGEST", "RUNS"),
            ((item.hook.id, item.digest[:SHORT_DIGEST], describe_handler(item.hook)) for item in items),
        )
        for item in items:
            for line in self._iter_lines(item):
                screen.say_exactly(line)
            for gap in item.gaps:
                screen.say(f"  {item.hook.id}: not covered: {gap}")

    def to_json(self, item: TrustItem) -> dict[str, object]:
        """The same for programs: of each file whether it is new, and what of it."""
        told = {"id": item.hook.id, "runs": describe_handler(item.hook), "digest": item.digest}
        changes = compare_files(self._read_agreed(item), _read_shown(item), self.root)
        files = [{**msgspec.to_builtins(change), "lines": change.lines[: self.lines or None]} for change in changes]
        return {**told, "files": files, "not_covered": list(item.gaps)}

    def _read_agreed(self, item: TrustItem) -> AgreedHook | None:
        """The last agreement for this hook: here, or in another worktree."""
        places = (self.root, name_repository(self.root))
        kept = (decode_agreed(read_kept_content(self.store, place, item.hook.id)) for place in places if place)
        return max((one for one in kept if one), key=lambda one: one.at, default=None)

    def _iter_lines(self, item: TrustItem) -> Iterator[str]:
        old, runs = self._read_agreed(item), describe_handler(item.hook)
        since = f"since you agreed on {datetime.fromtimestamp(old.at):%Y-%m-%d %H:%M}" if old else ""
        if old and redact_text(runs) != old.runs:
            yield f"  {item.hook.id}: runs another command {since}; it was: {old.runs}"
        # What is new first: a repository must not push it behind many files that are as they were.
        changes = sorted(compare_files(old, _read_shown(item), self.root), key=lambda change: change.state == "same")
        shown = changes[: MAX_FILES if self.lines else None]
        for change in shown:
            yield from self._iter_change(change, since)
        if left := changes[len(shown) :]:
            new = sum(change.state != "same" for change in left)
            yield f"  and {len(left)} files more, {new} of them not as they were (all: synaptic trust --lines 0)"

    def _iter_change(self, change: FileChange, since: str) -> Iterator[str]:
        words = {"new": f"new {since}".rstrip() if since else "", "changed": f"changed {since}"}
        words |= {"same": f"the same {since}", "gone": f"no more part of it {since}"}
        notes = "; ".join(note for note in (words[change.state], change.note) if note)
        yield f"  {change.path}" + (f": {notes}" if notes else ":")
        shown = change.lines[: self.lines or None]
        yield from (f"  | {_cut_line(line)}" for line in shown)
        if left := len(change.lines) - len(shown):
            file = shlex.quote(change.path if change.path.startswith("/") else f"{self.root}/{change.path}")
            yield f"  | ... {left} lines more; read them: less {file}   (or: synaptic trust --lines 0)"


def _read_shown(item: TrustItem) -> Mapping[str, bytes]:
    files = read_files(item)
    if missing := [path for path in item.contents if path not in files]:
        hint = "look again: synaptic trust"
        raise SynapticError("was changed while it was looked at; nothing is trusted", where=missing[0], hint=hint)
    return files


def _cut_line(line: str) -> str:
    more = len(line) - LINE_CHARS
    return line if more <= 0 else f"{line[:LINE_CHARS]}... ({more} characters more)"
