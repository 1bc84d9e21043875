"""Folders that a program sets up for a project or an environment: `python -m venv x`, `npm create vite x`."""

from collections.abc import Iterator

import msgspec

from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script, Word


class SetUp(msgspec.Struct, frozen=True):
    """The words with which a program sets up a folder; none means always."""

    verbs: frozenset[str] = frozenset()
    skipped: int = 0
    """Words between the verb and the folder: the template that it is made from."""
    starts: str = ""
    """How the verb begins, where it is the name of a program of its own."""


NEW, TEMPLATE = SetUp(split_names("new init")), SetUp(split_names("create init"), skipped=1)
SET_UPS: dict[str, tuple[SetUp, ...]] = {
    "virtualenv": (SetUp(),),
    "uv": (SetUp(split_names("venv init")),),
    **dict.fromkeys(("cargo", "poetry", "pdm", "rails", "mix"), (NEW,)),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), (TEMPLATE,)),
    **dict.fromkeys(("npx", "bunx", "pnpx"), (SetUp(split_names("degit"), 1), SetUp(starts="create-"))),
    **dict.fromkeys(("create-react-app", "create-next-app", "create-vite"), (SetUp(),)),
    "django-admin": (SetUp(split_names("startproject"), skipped=1),),
}
PYTHON, PYTHON_MODULES = "python", ("venv", "virtualenv")
VALUE_OPTIONS = split_names("-p --python --prompt --template --name -t")


def find_set_up(script: Script) -> Iterator[tuple[Command, Word]]:
    """The folder that each such command names."""
    for name, commands in script.by_name.items():
        if (ways := SET_UPS.get(name)) is not None:
            yield from ((one, word) for one in commands for word in _find_named(one.argv[1:], ways))
        elif name.startswith(PYTHON):
            yield from ((one, word) for one in commands for word in _find_of_module(one.argv[1:]))


def sets_up(command: Command) -> bool:
    """Whether a program is one that sets up folders; it takes what is there as it is."""
    return command.name in SET_UPS or command.name.startswith(PYTHON)


def _find_of_module(words: tuple[Word, ...]) -> tuple[Word, ...]:
    if len(words) > 2 and words[0].text == "-m" and words[1].text in PYTHON_MODULES:
        return _list_operands(words[2:])[:1]
    return ()


def _find_named(words: tuple[Word, ...], ways: tuple[SetUp, ...]) -> tuple[Word, ...]:
    given = _list_operands(words)
    for way in ways:
        if not way.verbs and not way.starts:
            return given[:1]
        verb = given[0].text if given else ""
        if verb in way.verbs or (way.starts and verb.startswith(way.starts)):
            return given[1 + way.skipped :][:1]
    return ()


def _list_operands(words: tuple[Word, ...]) -> tuple[Word, ...]:
    before = ("", *(word.text for word in words))
    pairs = zip(before, words, strict=False)
    return tuple(word for last, word in pairs if word.text[:1] != "-" and last not in VALUE_OPTIONS)
