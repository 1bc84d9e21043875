"""Whether a command that was rewritten runs the same as before, but for the name of a folder."""

from collections.abc import Callable

from synaptic.policies.reading import sees_other_files
from synaptic.policies.scratch.moved import find_kept_spans, rename_text, runs_code
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.read.script import Command, Script, Span, Word

Rename = Callable[[str], str]
Shape = list[tuple[object, ...]]
"""What runs, in a form that can be compared."""


def runs_the_same(old: Script, new: Script, root: str, shared: tuple[str, ...]) -> bool:
    """Whether `new`, behind its first command, is `old` with the folder renamed, and nothing is left in the old one.

    Both were read by the same reader, so whatever that cannot follow is found here, too: what does not come out equal
    is not rewritten.
    """
    if old.truncated or new.truncated or len(old.unresolved) != len(new.unresolved):
        return False

    def rename(text: str) -> str:
        return rename_text(text, root)

    if any(_stays_behind(word, command.cwd, rename, shared) for command, word in _iter_local_words(old)):
        return False
    kept = find_kept_spans(old)
    return _describe(old, rename, kept, 0) == _describe(new, None, frozenset(), 1)


def _iter_local_words(script: Script) -> list[tuple[Command, Word]]:
    return [(one, word) for one in script.commands if not sees_other_files(one) for word in one.argv[1:]]


def _stays_behind(word: Word, cwd: str, rename: Rename, shared: tuple[str, ...]) -> bool:
    """Whether a word leads to the old folder in a spelling that is not renamed: `//tmp/x`, `/var/../tmp/x`."""
    text = word.text
    if "tmp" not in text or rename(text) != text or text[:1] not in ("/", "~", "."):
        return False
    path = resolve_path(text, Standpoint(cwd))
    return path is not None and is_inside(path, shared) and not is_inside(path, (cwd,))


def _describe(script: Script, rename: Rename | None, kept: frozenset[Span], skipped: int) -> Shape:
    found: Shape = []
    for command in script.commands[skipped:]:
        local = rename if not sees_other_files(command) else None
        words = (*command.argv, *(word for _, word in command.assignments))
        found.append(
            (
                command.name,
                command.via,
                tuple(_name_word(word, local, kept) for word in words),
                local(command.cwd) if local else command.cwd,
                _describe_input(command, local),
            )
        )
    for redirect in script.redirects:
        local = rename if not sees_other_files(redirect) and redirect.operator != "<<" else None
        target = "" if redirect.operator == "<<" else _name_word(redirect.target, local, kept)
        found.append((redirect.operator, redirect.descriptor, target))
    return found


def _name_word(word: Word, rename: Rename | None, kept: frozenset[Span]) -> str:
    return word.text if rename is None or (word.span is not None and word.span in kept) else rename(word.text)


def _describe_input(command: Command, rename: Rename | None) -> str | None:
    """Code that a program reads. What others read is data: a document stays as it is, what is printed was renamed."""
    if command.stdin is None or not runs_code(command):
        return None
    return rename(command.stdin) if rename else command.stdin
