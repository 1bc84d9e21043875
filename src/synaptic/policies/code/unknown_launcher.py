"""Programs that nobody knows, given what would destroy."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

import msgspec

from synaptic.model.decision import Verdict, ask
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.files.git_metadata import GitMetadata
from synaptic.policies.files.recursive_deletion import RecursiveDeletion
from synaptic.policies.files.wiping import Wiping
from synaptic.policies.git.branch_deletion import BranchDeletion
from synaptic.policies.git.clean import Clean
from synaptic.policies.git.discard import Discard
from synaptic.policies.git.force_push import ForcePush
from synaptic.policies.git.history_loss import HistoryLoss
from synaptic.policies.git.reset_hard import ResetHard
from synaptic.policies.git.stash_loss import StashLoss
from synaptic.policies.reading import SHELL_TOOLS, get_script, runs_elsewhere
from synaptic.policies.secrets.files import SecretFiles
from synaptic.shell.book.entries import UNKNOWN_PROGRAM, find_program
from synaptic.shell.destroying import DESTROYING, HINT, MAX_LOOKED_AT
from synaptic.shell.names import split_names
from synaptic.shell.programs.table import PROGRAM_HANDLERS
from synaptic.shell.read.script import Command, Word
from synaptic.shell.read.writing import quote_word
from synaptic.shell.reading import CommandReading

GUARDS: tuple[Policy, ...] = (
    RecursiveDeletion(), GitMetadata(), Wiping(), ResetHard(), Discard(), Clean(), StashLoss(), HistoryLoss(),
    BranchDeletion(), ForcePush(), SecretFiles(),
)  # fmt: skip
"""The policies that are asked what they think of a command that may be hidden in the words of another."""
SHELL_WORDS = split_names("[ [[ test : true false exit return break continue let")
"""What a shell does by itself, with words that are no commands."""
COMMAND_NAMES = split_names(
    "rm git find shred sh bash zsh dash env sudo dd mkfs truncate rsync perl python python3 node ruby awk sed xargs cat"
)
"""Programs that a row of words is looked at for, as the start of a command."""
TEXT_OPTIONS = split_names(
    "m message b body t title d description desc comment n note notes s subject summary text p prompt q query reason"
    " name label pattern grep content data error warning log input reply release-notes commit-message system-prompt"
)
"""Options whose value is text for people or for a model, in most programs."""
OPTION = re.compile(r"--?([A-Za-z][\w-]*)")
WRAPPING = re.compile(
    r"(?:[\w.-]+[=:])?\s*(?:(?:!|\||exec\s|EXEC:|SYSTEM:|sudo\s|env\s|(?:\S*/)?(?:ba|da|z)?sh\s+-\w*c\s)[\s'\"]*)*",
    re.IGNORECASE,
)
"""What may stand in front of a command in the value of an option."""
DELETING_FLAGS = re.compile(r"-[rRfvdiI]+|--(?:r(?:e(?:c\w*)?)?|f(?:o\w*)?)")
"""The options of `rm` that make it delete folders without asking."""
REASONS = (
    "rm", "git", "find", "shred", "wipefs", "mkfs", "rimraf", "dd", "chmod", "chown", "truncate", "rsync", ".ssh",
    ".aws", ".gnupg", "netrc", "id_", "reset", "clean", "checkout", "restore", "stash", "branch", "push", "reflog",
    "update-ref", "worktree", "read-tree", "switch",
)  # fmt: skip
DELETING_WORD = re.compile(r"\n-(?:[vdi]*+[rf]|-[rf])")
"""What words in lower case, each on its line, hold at least where a command that destroys may hide in them."""
MAX_IN_COMMAND = 4
MAX_IN_SCRIPT = 12
"""Commands that are looked for in the words of one program, and of all of them."""
MAX_HIDDEN_TEXT = 2_000
SENTENCE_START = re.compile(r"[A-Z][a-z']*")
"""The first word of a sentence, in the input of a tool that takes text as well as commands."""
CHECKING = re.compile(r"guard|check|lint|explain|policy|dry-?run|validate|test", re.IGNORECASE)
"""What a program is called, or told, that looks at commands and runs none."""


class UnknownLauncher(Policy):
    """An unknown program that is given a command which destroys.

    ## What it does
    Asks when a program that Synaptic has no entry for is given what its guards would stop: as the value of an option
    (`tool -x 'rm -rf ~/data'`), as the last words (`tool -- git reset --hard`), or as the arguments of a program that
    may have been copied or renamed (`./r -rf ~/data`, `g reset --hard`). Text for people (`--message`) is free.
    ## Why
    A program under another name does the same as under its own, and launchers are more than any list can hold.
    ## Known gaps
    A text that is the only argument of an unknown program is taken for text. The guards that are asked judge with
    their defaults, whatever the configuration says.
    """

    id = "code.unknown-launcher"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 28
    preset = "essentials"
    needs = ("extra_roots", "repositories", "real_paths")

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts)
        unknown = frozenset(filter(_is_unknown, found.by_name)) if found is not None else ()
        if found is None or not unknown or not _gives_reason(facts.command):
            return None
        strange = [
            one
            for one in found.commands
            if one.name in unknown and len(one.argv) > 1 and _may_hide(one.args) and not runs_elsewhere(one)
        ]
        hidden = dict.fromkeys((text, one.cwd) for one in strange for text in islice(_iter_hidden(one), MAX_IN_COMMAND))
        for text, cwd in islice(hidden, MAX_IN_SCRIPT):
            if _is_stopped(text, cwd, event, facts):
                return ask(
                    f"A program that is not known here is given `{text[:80]}`, which would destroy. Run the command "
                    "itself, or let the user look at it."
                )
        return None


def _gives_reason(known: CommandReading | None) -> bool:
    """Whether any word of a script is a reason to look closer at what its programs are given."""
    if known is None:
        return False
    hinted = known.has_long_words or known.holds_hint(REASONS, known.words)
    return hinted or DELETING_WORD.search(f"\n{known.words}") is not None


@lru_cache(maxsize=1024)
def _is_unknown(name: str) -> bool:
    if not name:
        return True
    if SENTENCE_START.fullmatch(name):
        return False
    return find_program(name) is UNKNOWN_PROGRAM and name not in PROGRAM_HANDLERS and name not in SHELL_WORDS


def _may_hide(args: tuple[str, ...]) -> bool:
    """Whether there is any reason to look closer."""
    said = " ".join(args)[:MAX_LOOKED_AT]
    may_tell = "-" in said or len(said) >= MAX_LOOKED_AT
    return _hints(said) or (may_tell and _tells_to_delete(args))


def _hints(said: str) -> bool:
    return HINT.search(said) is not None or DESTROYING.match(f"git {said}") is not None


def _tells_to_delete(args: tuple[str, ...]) -> bool:
    flags = "".join(text for text in args if text[:1] == "-" and DELETING_FLAGS.fullmatch(text))
    return ("r" in flags or "R" in flags) and "f" in flags


def _iter_hidden(command: Command) -> Iterator[str]:
    """The commands that may hide in the words of a program."""
    args = command.args
    said = " ".join(args)[:MAX_LOOKED_AT]
    deletes, hints = _tells_to_delete(args), _hints(said)
    if not (deletes or hints) or CHECKING.search(command.argv[0].text) or CHECKING.search(said.partition(" ")[0]):
        return
    words = [_quote(word) for word in command.argv[1:]]
    if deletes:
        yield " ".join(["rm", *words])
    if not hints:
        return
    if DESTROYING.match(f"git {said}"):
        yield " ".join(["git", *words])
    for place, text in enumerate(args):
        before = args[place - 1] if place else ""
        if text.rpartition("/")[2] in COMMAND_NAMES:
            yield " ".join(words[place:])
        elif " " in text and _is_option_value(text, before):
            start = WRAPPING.match(text)
            inner = text[start.end() if start else 0 :]
            if DESTROYING.match(inner):
                yield inner.rstrip("'\"")


def _quote(word: Word) -> str:
    plain = not word.known or word.glob or word.text.startswith(("~", "-"))
    return word.text if plain else quote_word(word.text)


def _is_option_value(text: str, before: str) -> bool:
    """Whether a word is the value of an option that is not known to take text for people."""
    attached = OPTION.match(text)
    named = OPTION.fullmatch(before) or (attached if attached and "=" in text else None)
    if named is None:
        return bool(re.match(r"[A-Za-z]+:\S", text))
    return named[1].lower() not in TEXT_OPTIONS


def _is_stopped(text: str, cwd: str, event: PreToolUse, facts: Facts) -> bool:
    reading = CommandReading(text[:MAX_HIDDEN_TEXT], cwd or event.cwd, facts.home)
    if reading.script.truncated:
        return False
    seen = msgspec.structs.replace(facts, command=reading)
    return any(guard.check(event, seen) is not None for guard in GUARDS)
