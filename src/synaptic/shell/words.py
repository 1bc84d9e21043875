"""The words of shell text: quotes, backslashes, comments and operators understood; nothing expanded or executed."""

import re
import shlex

TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)
      | (?P<redirect>&?[<>]++[&|]?)
      | (?P<operator>[;|&()`\n]++)
      | (?P<word>(?:[^\s'"\\;|&<>()`]|'[^']*+'|"(?:[^"\\]|\\.)*+"|\\.)++)
      | (?P<open>['"\\])
    """,
    re.VERBOSE | re.DOTALL,
)
QUOTED = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)""", re.DOTALL)
ESCAPED = re.compile(r'\\([$`"\\\n])')


def split_words(command: str) -> tuple[str, ...]:
    """The words of one command without operators, or none when a quote is not closed."""
    try:
        return tuple(shlex.split(command))  # noqa: TID251 this is shell/
    except ValueError:
        return ()


def simple_commands(text: str) -> list[list[str]]:
    """The simple commands of shell text, each as its words. The target of a redirection is a word, never the first.

    A quote that is never closed is passed over: the words after it are still seen.
    """
    commands: list[list[str]] = [[]]
    for token in TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "word":
            commands[-1].append(unquoted(token[0]))
        elif kind == "redirect" and not commands[-1]:
            commands[-1].append("")
        elif kind == "operator" and commands[-1]:
            commands.append([])
    return commands if commands[-1] else commands[:-1]


def unquoted(word: str) -> str:
    """A word without its quotes."""
    if not ("'" in word or '"' in word or "\\" in word):
        return word
    return QUOTED.sub(_inner, word)


def _inner(piece: re.Match[str]) -> str:
    single, double, escaped = piece.groups()
    if single is not None:
        return str(single)
    if double is not None:
        return ESCAPED.sub(r"\1", double)
    return "" if escaped == "\n" else str(escaped)
