"""Which words of a tool's command line destroy something: one reading for every tool of the pack."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping

import msgspec

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.model.once import kept_beside
from synaptic.policies.facts import Facts
from synaptic.policies.throwaway import names_local_service
from synaptic.shell.book.arguments import Flag, holds_option, read_arguments
from synaptic.shell.book.entries import BOOK, ProgramEntry, find_program
from synaptic.shell.book.notation import OptionGrammar
from synaptic.shell.read.script import Command, Script, Word
from synaptic.shell.reading import CommandReading

DRY_RUN = re.compile(
    r"--dry-?run(?:=(?!none|false).*)?|--?help|-h|--what-if|--whatif|--check|--preview-only|--simulate|--just-print|help"
)
DRY_OPTIONS = {
    "rclone": "-n", "cargo": "-n", "apt": "-s", "apt-get": "-s", "make": "-n", "manage.py": "--plan",
    "django-admin": "--plan",
}  # fmt: skip
"""Programs with an option of their own that means a dry run."""
RUNNERS = frozenset({"python", "php", "ruby", "yarn", "pnpm", "bun"})
"""Programs that are given the tool itself: `php artisan`, `python -m twine`, `yarn prisma`."""
RUNNER_ENTRIES = frozenset(find_program(name).name for name in RUNNERS)
RUNNER_NAMES = frozenset(name for name, one in BOOK.items() if one.name in RUNNER_ENTRIES)
MAX_PART = 1000
"""Characters of the operands, and of the options, that are looked at: the forms hold `.*`, which is slow on more."""
USUALLY_INSTEAD = "Show the plan or a dry run first and let the user apply it."


class Harm(msgspec.Struct, frozen=True):
    """What happens, what to do instead, and the form of the words that do it, by program."""

    loss: str
    """What a command would do, behind `would`."""
    forms: Mapping[str, re.Pattern[str]]
    programs: frozenset[str]
    instead: str = USUALLY_INSTEAD
    hints: tuple[str, ...] = ()
    """What a word holds, in lower case, where any of the forms matches; none where that is not said."""

    @property
    def tools(self) -> frozenset[str]:
        """What a policy about this harm speaks of: without one of these, run or given to a runner, nothing does it."""
        return frozenset(self.forms)

    def judge(self, event: PreToolUse, facts: Facts, firm: bool) -> Verdict | None:
        """Deny or ask, with what to do instead, when a command destroys something."""
        return next((self.tell(command, firm) for command, _ in self.iter_destroying(event, facts)), None)

    def tell(self, command: Command, firm: bool = False) -> Verdict:
        """What is said about a command that destroys."""
        shown = " ".join((command.name, *command.args[:3]))
        return (deny if firm else ask)(f"`{shown}` would {self.loss}. {self.instead}")

    def iter_destroying(self, event: PreToolUse, facts: Facts) -> Iterator[tuple[Command, Script]]:
        """The commands whose words match their program's form, each with the script that it is part of."""
        known = facts.command
        if known is None or self.programs.isdisjoint(known.programs) or not self._is_hinted(known):
            return
        # Python and its like are in every other command, and hardly ever run one of these tools.
        if not self.forms.keys().isdisjoint(list_tools(known)):
            found = known.script
            yield from ((command, found) for command in found.commands if self.destroys(command))

    def _is_hinted(self, known: CommandReading) -> bool:
        return not self.hints or known.has_long_words or known.holds_hint(self.hints, known.words)

    def destroys(self, command: Command) -> bool:
        """Whether the words of a command match its program's form, and it is not rehearsed."""
        return matches_form(command, self.forms) and not names_local_service(command)


def read_harm(kind: str, loss: str, instead: str = USUALLY_INSTEAD, hints: tuple[str, ...] = ()) -> Harm:
    """The harm of one kind that programs of the book do, each with the form of the words that do it."""
    forms = {name: re.compile(one.destroys[kind]) for name, one in BOOK.items() if kind in one.destroys}
    return Harm(loss, forms, frozenset(forms) | RUNNERS, instead, hints)


def matches_form(command: Command, forms: Mapping[str, re.Pattern[str]]) -> bool:
    """Whether the words of a command match the form of its program, and it is no dry run."""
    name, words = find_tool(command, forms)
    if not name:
        return False
    # The form first: most commands do not match, and the rest costs more.
    return forms[name].search(sort_line(find_program(name), words)) is not None and not is_dry_run(command, name)


@kept_beside
def list_tools(known: CommandReading) -> frozenset[str]:
    """Every program of the script, and every name under which `find_tool` may find one."""
    by_name = known.script.by_name
    if RUNNER_NAMES.isdisjoint(known.programs):
        return known.programs.union(by_name)
    runners = (commands for name, commands in by_name.items() if find_program(name).name in RUNNER_ENTRIES)
    given = (_name_given_tool(command)[0] for commands in runners for command in commands)
    return known.programs.union(by_name, given)


def _name_given_tool(command: Command) -> tuple[str, int]:
    """The tool that a runner is given, and where its own words begin."""
    if len(command.argv) < 2:
        return "", 1
    at = 2 if command.argv[1].text == "-m" and len(command.argv) > 2 else 1
    return command.argv[at].text.rpartition("/")[2], at + 1


def find_tool(command: Command, known: Container[str]) -> tuple[str, tuple[Word, ...]]:
    """Which of these programs a command runs, with the words behind its name: `python manage.py`, `python -m twine`."""
    if find_program(command.name).name in RUNNER_ENTRIES and len(command.argv) > 1:
        name, start = _name_given_tool(command)
        if name in known:
            return name, command.argv[start:]
    return (command.name, command.argv[1:]) if command.name in known else ("", ())


def is_dry_run(command: Command, name: str = "") -> bool:
    """Whether it, or the tool of this name that it runs, only shows what it would do, or how it is used."""
    option = DRY_OPTIONS.get(name or command.name)
    shown = [text for text in command.args if text == option or DRY_RUN.fullmatch(text)]
    if shown:
        return not (set(shown) == {"-h"} and _names_host(command))
    program = find_program(command.name)
    return program.has_role("dry") and program.read(command.argv[1:]).has_role("dry")


def _names_host(command: Command) -> bool:
    """Whether `-h` is an option with a value of its program, mostly a host, and so no question for help."""
    option = find_program(command.name).grammar.letters.get("h")
    return option is not None and bool(option.value)


def sort_line(program: ProgramEntry, words: tuple[Word, ...]) -> str:
    """The operands of a command in their order, then its options with their values, as one line for a form.

    So `kubectl -n prod delete pod x` reads `delete pod x -n=prod`. A blank inside a word becomes `_`, a text that
    names nothing is left out, and what stands behind `--` or belongs to another command is none of its words.
    """
    if not holds_option(words):  # as most commands are written
        if words and (verb := program.find_verb(words[0].text)) is not None and verb.starts_command:
            return words[0].text
        return _join_words(word.text for word in words)
    grammar = program.grammar
    given = read_arguments(words, OptionGrammar(grammar.names, grammar.letters, grammar.words))
    verb = program.find_verb(given.words[0].text) if given.words else None
    if verb is not None and verb.starts_command:
        return given.words[0].text
    # Several letters in one word are several options, the last of which may have a value.
    options = {id(flag.word): _spell_option(flag) for flag in given.flags}
    return f"{_join_words(word.text for word in given.words)} {_join_words(options.values())}".lstrip()


def _join_words(texts: Iterable[str]) -> str:
    return " ".join(["_".join(text[:MAX_PART].split()) for text in texts])[:MAX_PART]


def _spell_option(flag: Flag) -> str:
    apart = flag.known and bool(flag.text) and not flag.word.text.endswith(flag.text) and flag.role != "text"
    return f"{flag.word.text}={flag.text}" if apart else flag.word.text
