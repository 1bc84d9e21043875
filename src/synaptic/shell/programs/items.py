"""Programs that run a command for each of many items: `find -exec`, `xargs`, `parallel`, `fd -x`."""

import re
from collections.abc import Sequence

from synaptic.shell.book.arguments import Arguments
from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.find import read_fd, split_find
from synaptic.shell.names import split_names
from synaptic.shell.programs.derived import run_derived_input
from synaptic.shell.programs.starters import read_call
from synaptic.shell.read.evaluate import Evaluation, ProgramHandler
from synaptic.shell.read.limits import MAX_ITEMS
from synaptic.shell.read.loops import limit_words
from synaptic.shell.read.names import read_program_name
from synaptic.shell.read.quoting import decode_escapes
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import CommandCall

EXEC_ACTIONS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
FIND_TESTS = split_names(
    "-name -iname -path -ipath -regex -iregex -type -mtime -mmin -atime -amin -ctime -cmin -size -empty -newer -user"
    " -group -perm -maxdepth -mindepth -links -inum -xtype -lname -nouser -nogroup -wholename -iwholename"
)
"""Tests of `find` that leave some of what it finds."""
DAEMON_PROGRAM = re.compile(r"-\w*[xa]|--exec|--startas")
LIST_MARK = re.compile(r":::+\+?")
FD_MARK = re.compile(r"\{(?://|/?\.?)\}")
QUOTED_ITEM = re.compile(r"(?:'[^'\n]*+'|\"[^\"\n]*+\"|\\\\.|[^\s'\"\\\\]|['\"\\\\])++", re.DOTALL)
QUOTE = re.compile(r"['\"\\\\]")
UNKNOWN_ITEM = Word("{}", known=False)
"""An item that is not known."""


def run_find(shell: Evaluation, call: CommandCall) -> str | None:
    words = call.words
    roots, _ = split_find(words[1:])
    place = 1
    while place < len(words):
        if words[place].text in EXEC_ACTIONS:
            end = _find_command_end(words, place + 1)
            inner, label = words[place + 1 : end], f"find {words[place].text}"
            if not any("{}" in word.text for word in inner):
                shell.run_wrapped(call, inner, label)  # the same for everything that is found
            else:
                for root in limit_words(roots, "{}"):
                    item = _join_unknown(root)
                    shell.run_wrapped(call, [_fill_mark(word, item) for word in inner], label)
            place = end
        elif words[place].text == "-delete":
            _run_find_delete(shell, call, roots)
        place += 1
    return None


def _find_command_end(words: list[Word], start: int) -> int:
    for place in range(start, len(words)):
        if words[place].text == ";" or (words[place].text == "+" and words[place - 1].text == "{}"):
            return place
    return len(words)


def _join_unknown(root: Word) -> Word:
    """A path that is not known below one that is."""
    return Word(f"{root.text.rstrip('/')}/{{}}", known=False, span=None)


def _fill_mark(word: Word, item: Word, mark: str = "{}") -> Word:
    if mark not in word.text:
        return word
    return Word(word.text.replace(mark, item.text), word.known and item.known, item.glob, None, False, item.outputs)


def _run_find_delete(shell: Evaluation, call: CommandCall, roots: Sequence[Word]) -> None:
    """Everything below the roots, or what the tests leave of it."""
    tested = any(word.text in FIND_TESTS for word in call.words)
    for root in limit_words(roots, "{}"):
        # Judged as the `rm` that has the same effect, so that no policy needs to know `-delete`.
        argv = [Word("rm"), Word("-f"), _join_unknown(root)] if tested else [Word("rm"), Word("-rf"), root]
        shell.run_wrapped(call, argv, "find -delete")


def run_xargs(shell: Evaluation, call: CommandCall) -> str | None:
    given = read_call(call)
    inner = list(given.operands) or [Word("echo")]
    mark = next(iter(given.get_values("I", "replace", "J")), Word("{}") if given.has("replace") else None)
    named = given.get_value("arg-file")
    text = shell.files.get(shell.make_file_key(named)) if named else call.stdin
    if text is None and _runs_code(inner[0]):
        run_derived_input(shell, call)
    items = _split_given(text, given, mark is not None)
    if mark is None:
        if len(items) > 1 and given.has("max-args", "n", "max-lines", "L") and _runs_code(inner[0]):
            for item in limit_words(items, "{}"):
                shell.run_wrapped(call, [*inner, item], "xargs")
        return shell.run_wrapped(call, [*inner, *items], "xargs")
    for item in limit_words(items, "{}"):
        shell.run_wrapped(call, [_fill_mark(word, item, mark.text) for word in inner], "xargs")
    return None


def _runs_code(word: Word) -> bool:
    program = find_program(read_program_name(word))
    return program.shell or program.evaluates or program.starts_command


def _split_given(text: str | None, given: Arguments, lines: bool) -> list[Word]:
    """The items of `xargs`: at the mark that an option names, else at blanks outside quotes."""
    delimiter = given.get_value("delimiter")
    mark = "\0" if given.has("0", "null") else decode_escapes(delimiter) if delimiter else ""
    if text is None or (lines and not mark):
        return _split_items(text, lines)
    found = text.split(mark) if mark else [QUOTE.sub("", item) for item in QUOTED_ITEM.findall(text)]
    words = [Word(item) for item in found[:MAX_ITEMS] if item]
    return words if len(found) <= MAX_ITEMS else [*words, UNKNOWN_ITEM]


def _split_items(text: str | None, lines: bool) -> list[Word]:
    if text is None:
        return [UNKNOWN_ITEM]
    found = text.splitlines() if lines else re.sub(r"[\"'\\]", "", text.replace("\0", " ")).split()
    words = [Word(item.strip()) for item in found[:MAX_ITEMS]]
    # The items that are cut off may be anything, and an unknown one is taken at its worst.
    return words if len(found) <= MAX_ITEMS else [*words, UNKNOWN_ITEM]


def run_zargs(shell: Evaluation, call: CommandCall) -> str | None:
    """`zargs -- items -- command` of zsh."""
    texts = call.list_texts()
    marks = [place for place, text in enumerate(texts, 1) if text == "--"]
    if len(marks) < 2:
        return None
    items, inner = call.words[marks[0] + 1 : marks[1]], call.words[marks[1] + 1 :]
    for item in limit_words(items, "{}"):
        filled = [_fill_mark(word, item) for word in inner]
        shell.run_wrapped(call, filled if filled != inner else [*inner, item], "zargs")
    return None


def run_daemon_starter(shell: Evaluation, call: CommandCall) -> str | None:
    """`start-stop-daemon --start --exec /bin/sh -- -c code`."""
    texts = call.list_texts()
    place = texts.index("--") + 1 if "--" in texts else len(texts)
    for at, text in enumerate(texts[:place], 1):
        name, _, value = text.partition("=")
        if DAEMON_PROGRAM.fullmatch(name):
            program = Word(value) if value else call.words[at + 1] if at + 1 < len(call.words) else None
            if program is not None:
                shell.run_wrapped(call, [program, *call.words[place + 1 :]], "start-stop-daemon")
    return None


def run_parallel(shell: Evaluation, call: CommandCall) -> str | None:
    """The command line is put together as text and given to a shell, once per item."""
    words = list(read_call(call).operands)
    mark = next((at for at, word in enumerate(words) if LIST_MARK.fullmatch(word.text)), len(words))
    inner = words[:mark]
    items = [word for word in words[mark + 1 :] if not LIST_MARK.fullmatch(word.text)]
    if mark == len(words):
        items = _split_items(call.stdin, lines=True)
    for item in limit_words(items, "{}"):
        _run_for_item(shell, inner, item)
    if not items and inner:
        _run_filled(shell, inner, [_fill_mark(word, UNKNOWN_ITEM) for word in inner])
    return None


def _run_for_item(shell: Evaluation, inner: list[Word], item: Word) -> None:
    if not inner:
        if item.known:
            shell.run_code(item.text, "parallel")
        else:
            shell.add_gap("code", "parallel runs lines that are not known")
        return
    filled = [_fill_mark(word, item) for word in inner]
    if filled == inner:
        filled = [*inner, item]
    _run_filled(shell, inner, filled)


def _run_filled(shell: Evaluation, inner: list[Word], filled: list[Word]) -> None:
    """The words as a command, and as text for a shell when the first may be more than a name."""
    if len(filled) > 1:
        shell.run_wrapped(CommandCall([]), filled, "parallel")
    if len(inner) == 1 or " " in inner[0].text:
        shell.run_code(" ".join(word.text for word in filled), "parallel")


def run_fd(shell: Evaluation, call: CommandCall) -> str | None:
    """`fd -x` for each, `fd -X` for all: the path is put behind the words that name no place for it."""
    given = read_call(call)
    if not given.has_role("rest"):
        return None
    inner = list(given.behind[: _find_command_end(list(given.behind), 0)])
    for root in limit_words(list(read_fd(call.words).roots), "{}"):
        filled = [_fill_fd_mark(item, _join_unknown(root)) for item in inner]
        shell.run_wrapped(
            call, filled if filled != inner else [*inner, _join_unknown(root)], f"fd {given.flags[-1].word.text}"
        )
    return None


def _fill_fd_mark(word: Word, item: Word) -> Word:
    """The path, or the part of it that `{/}`, `{//}` and their kin stand for."""
    found = FD_MARK.search(word.text)
    return _fill_mark(word, item, found[0]) if found else word


ITEMS: dict[str, ProgramHandler] = {"find": run_find, "xargs": run_xargs, "parallel": run_parallel, "fd": run_fd}
