"""A command with another folder in the place of `/tmp`, wherever it means this machine's."""

import re
from collections.abc import Iterator

from synaptic.policies.reading import OTHER_FILES_PROGRAMS, sees_other_files
from synaptic.shell.book.entries import LANGUAGE_PROGRAMS, SHELL_PROGRAMS, find_program, normalize_name
from synaptic.shell.effects.addresses import is_remote
from synaptic.shell.read.script import SAFE_WORD, Command, Script, Span, Word
from synaptic.shell.read.writing import escape_double_quoted, quote_word

MENTION = re.compile(
    r"(?:(?<![\w./~}-])|(?<=file://)|(?<=\s-\w)|(?<=\s-\w\w)|(?<=\s-\w\w\w)|(?<=\s-\w\w\w\w))"
    r"(?:/private)?/tmp(?=$|[/'\"\s;)&|<>,:`])"
)
"""The folder as it is written: at the start of a path, also behind the letters of options (`-o/tmp/x`)."""
MAX_MENTIONS = 100
"""A command that names the folder more often than this is left as it is."""
CODE_READERS = SHELL_PROGRAMS | LANGUAGE_PROGRAMS
MESSAGE_PROGRAMS = frozenset({"git", "gh", "glab", "hub"})
"""Programs whose words with blanks are messages for people."""
BLANK = re.compile(r"\s")


class UnsafeMoveError(Exception):
    """The folder is named where it cannot be told whose it is."""


def move_mentions(script: Script, root: str) -> str | None:
    """The text with `<root>/tmp` for the folder; None where that cannot be put there."""
    try:
        kept = find_kept_spans(script)
    except UnsafeMoveError:
        return None
    # Where the folder needs no quotes, it is put wherever the text names the other one, conditions and code included.
    if SAFE_WORD.fullmatch(root):
        return _move_in_text(script.text, root, kept)
    words = _find_mentions(script, kept)
    if len(words) > MAX_MENTIONS:
        return None
    return script.replace_all((word, rename_spelled(_read_spelling(word, script), root)) for word in words)


def rename_text(text: str, root: str) -> str:
    """A word as a program gets it, with the folder renamed."""
    return MENTION.sub(lambda found: _choose_name(found, f"{root}/tmp", root), f" {text}")[1:]


def rename_spelled(written: str, root: str) -> str:
    """A word as it is written, with the folder renamed and quoted as the place needs it."""
    return MENTION.sub(lambda found: _choose_name(found, _quote_folder(found, root), root), f" {written}")[1:]


def find_kept_spans(script: Script) -> frozenset[Span]:
    """What stays as it is: paths of other machines, text for people, documents. Raises UnsafeMoveError."""
    inside = [command for command in script.commands if sees_other_files(command)]
    kept = {word.span for command in inside for word in _list_words(command) if word.span}
    kept |= {one.target.span for one in script.redirects if sees_other_files(one) and one.target.span}
    kept |= set(_iter_documents(script))
    said = {text for command in inside for text in (*command.args, command.argv[0].text)}
    for command in script.commands:
        if command.name in OTHER_FILES_PROGRAMS:
            kept |= {word.span for word in _iter_remote_words(command, script, said, kept) if word.span}
        else:
            kept |= {word.span for word in command.argv if word.span and _is_not_local(word, command)}
    return frozenset(kept)


def _iter_documents(script: Script) -> Iterator[Span]:
    """The texts of here-documents, but for code that runs here."""
    code = {id(one) for command in script.commands if runs_code(command) for one in command.redirects}
    for redirect in script.redirects:
        if redirect.operator != "<<" or id(redirect) in code:
            continue
        if redirect.target.span:
            yield redirect.target.span
        elif MENTION.search(redirect.target.text):
            raise UnsafeMoveError  # it stands somewhere in the text, and nobody knows where


def runs_code(command: Command) -> bool:
    """Whether what it reads is code that runs on this machine."""
    return normalize_name(command.name) in CODE_READERS and not sees_other_files(command)


def _iter_remote_words(command: Command, script: Script, said: set[str], kept: set[Span]) -> Iterator[Word]:
    """The words of `ssh` and its kin that are run over there; the others may name a file of either machine."""
    for word in command.argv[1:]:
        if not MENTION.search(_read_spelling(word, script)):
            continue
        code = BLANK.search(word.text) is not None or word.text in said
        if not code and not any(word.span and _contains(word.span, other) for other in kept):
            raise UnsafeMoveError
        yield word


def _is_not_local(word: Word, command: Command) -> bool:
    """Whether a word names a file of another machine, or is a message."""
    if find_program(command.name).copies_remote and is_remote(word.text):
        return True
    return (
        command.name in MESSAGE_PROGRAMS
        and BLANK.search(word.text) is not None
        and word.text[:1] not in ("/", "~", "-", ".")
    )


def _move_in_text(text: str, root: str, kept: frozenset[Span]) -> str | None:
    count = 0

    def put(found: re.Match[str]) -> str:
        nonlocal count
        count += 1
        # A text has one letter in front here, so that the pattern can look at what stands before its first word.
        place = found.start() - 1
        if any(start <= place < end for start, end in kept):
            return found[0]
        return _choose_name(found, f"{root}/tmp", root)

    moved = MENTION.sub(put, f" {text}")[1:]
    return moved if count <= MAX_MENTIONS else None


def _find_mentions(script: Script, kept: frozenset[Span]) -> list[Word]:
    """The words whose own spelling names the folder; of words inside one another (`sh -c '...'`) the inner ones."""
    words = [word for command in script.commands for word in _list_words(command)]
    words += [redirect.target for redirect in script.redirects if not redirect.operator.startswith("<<")]
    found = {
        word.span: word
        for word in words
        if word.span and word.span not in kept and MENTION.search(f" {_read_spelling(word, script)}")
    }
    return [word for span, word in found.items() if not any(_contains(span, other) for other in found)]


def _list_words(command: Command) -> tuple[Word, ...]:
    return (*command.argv, *(word for _, word in command.assignments))


def _read_spelling(word: Word, script: Script) -> str:
    return script.text[word.span[0] : word.span[1]] if word.span else word.text


def _contains(span: Span, other: Span) -> bool:
    return span != other and span[0] <= other[0] and other[1] <= span[1]


def _choose_name(found: re.Match[str], name: str, root: str) -> str:
    """The new name, or the old one where the project itself lies in the folder: its paths stay as they are."""
    after = found.string[found.start() :]
    is_project = after.startswith(root) and not re.match(r"[\w.-]", after[len(root) :])
    return found[0] if is_project else name


def _quote_folder(found: re.Match[str], root: str) -> str:
    if SAFE_WORD.fullmatch(root):
        return f"{root}/tmp"
    before = found.string[: found.start()]
    # An odd number of quotes in front: the folder is named inside them.
    if before.count('"') % 2:
        return f"{escape_double_quoted(root)}/tmp"
    if before.count("'") % 2:
        return root.replace("'", "'\\''") + "/tmp"
    return f"{quote_word(root)}/tmp"
