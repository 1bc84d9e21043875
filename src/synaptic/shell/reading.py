"""A shell command that is read once: each answer is computed when it is first asked for, and kept."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from operator import attrgetter

import msgspec

from synaptic.model.once import computed_once, kept_beside
from synaptic.shell.book.entries import normalize_name
from synaptic.shell.effects.effects import Effects, read_effects
from synaptic.shell.effects.git import find_git_calls
from synaptic.shell.effects.targets import WriteTarget, find_targets
from synaptic.shell.globs import HIDDEN_GLOB
from synaptic.shell.paths import MAX_PATH, Standpoint, is_inside, is_settled
from synaptic.shell.programs.git_line import GitCall
from synaptic.shell.read.reader import read_safely
from synaptic.shell.read.script import GET_TEXT, Script

GET_CWD = attrgetter("cwd")
UNKNOWN_PROJECT = "/nowhere/project"
"""Stands for the folder when nobody says where the agent is."""
MAX_PATH_WORD = 2 * MAX_PATH
"""Characters of a word: an option and a path of the greatest length. Nothing longer can name a file."""
CASE_FOLDS = (("\u0130", "i"), ("\u0131", "i"), ("\u017f", "s"), ("\u212a", "k"))
"""Letters that a pattern without case takes for plain ones, and `lower` does not."""
OUTWARD_SIGNS = ("\n/", "\n~", "=/", "=~", "..", "$home", "${home", "$pwd", "${pwd", "file:")
ATTACHED_PATH = re.compile(r"\n-[^\n]*[/~]")
"""What words, in lower case and each on its line, hold that may lead out of the folder they are seen from."""


class CommandReading(msgspec.Struct, frozen=True, dict=True):
    """A command, where it starts, and everything that is known about it.

    It costs nothing to make: the text is read when the first answer is asked for, and each answer is worked out once.
    """

    text: str
    cwd: str = ""
    """Where the shell starts; empty when nobody says."""
    home: str = ""
    is_powershell: bool = False
    """Whether the shell that runs it is PowerShell."""

    @computed_once
    def script(self) -> Script:
        """Every command that would run."""
        return read_safely(self.text, self.cwd, self.home, self.is_powershell)

    @computed_once
    def standpoint(self) -> Standpoint:
        """Where a relative path starts."""
        return Standpoint(self.cwd or UNKNOWN_PROJECT, self.home)

    @computed_once
    def programs(self) -> frozenset[str]:
        """Names of the programs that run, without versions, in lower case because some file systems ignore case."""
        return frozenset(map(normalize_name, self.script.by_name))

    @computed_once
    def arguments(self) -> frozenset[str]:
        """Every argument of every command."""
        # The program itself is left out: a name is no path argument, and `programs` has it.
        return frozenset(map(GET_TEXT, chain.from_iterable([command.argv[1:] for command in self.script.commands])))

    @computed_once
    def words(self) -> str:
        """Every argument and every file that is named, each once, in lower case, but for those too long for a path."""
        texts = self._texts
        return (
            _join_lower(text for text in texts if len(text) <= MAX_PATH_WORD)
            if self.has_long_words
            else _join_lower(texts)
        )

    @computed_once
    def low_text(self) -> str:
        """The text itself in lower case."""
        return _join_lower((self.text,))

    @computed_once
    def has_hidden_pattern(self) -> bool:
        """Whether a word has a pattern for names that begin with a dot."""
        words = self.words
        return ("*" in words or "?" in words or "[" in words) and HIDDEN_GLOB.search(words) is not None

    @computed_once
    def has_long_words(self) -> bool:
        """Whether a word was too long."""
        return max(map(len, self._texts), default=0) > MAX_PATH_WORD

    @computed_once
    def start_folders(self) -> frozenset[str]:
        """The folders that its commands and redirections are in."""
        script = self.script
        return frozenset(chain(map(GET_CWD, script.commands), map(GET_CWD, script.redirects)))

    @computed_once
    def folders(self) -> str:
        """Every folder that a relative path may start from, in lower case."""
        return _join_lower({self.standpoint.cwd, self.standpoint.home, *self.start_folders})

    @computed_once
    def _words_and_folders(self) -> str:
        # A line break between them, which no hint has.
        return f"{self.words}\n{self.folders}"

    @computed_once
    def effects(self) -> Effects:
        """What it runs, writes, reads, deletes, fetches and sends."""
        return read_effects(self.script)

    @computed_once
    def targets(self) -> tuple[WriteTarget, ...]:
        """The files that are written."""
        return tuple(find_targets(self.effects.changes, self.standpoint))

    @computed_once
    def pattern_targets(self) -> tuple[WriteTarget, ...]:
        """Those of them that are named by a pattern."""
        return tuple(find_targets(self.effects.changes_by_pattern, self.standpoint))

    @computed_once
    def git_calls(self) -> tuple[GitCall, ...]:
        """Every call of git."""
        return find_git_calls(self.script, self.home)

    @computed_once
    def acting_git_calls(self) -> tuple[GitCall, ...]:
        """Those of them that do something, so that showing the manual is none."""
        calls = self.git_calls
        return tuple([call for call in calls if not call.is_help]) if calls else ()

    @computed_once
    def git_verbs(self) -> frozenset[str]:
        """The verbs of those."""
        return frozenset([call.verb for call in self.acting_git_calls])

    @computed_once
    def leads_out(self) -> bool:
        """Whether a word may lead out of the folder it is seen from."""
        lines = f"\n{self.words}"
        for sign in OUTWARD_SIGNS:
            if sign in lines:
                return True
        return ("/" in lines or "~" in lines) and ATTACHED_PATH.search(lines) is not None

    @computed_once
    def _texts(self) -> set[str]:
        texts = set(self.arguments)
        texts.update([path for command in self.script.commands if command.paths for path in command.paths])
        texts.update([redirect.target.text for redirect in self.script.redirects])
        texts.discard("/dev/null")  # in most scripts, and no danger to anybody
        return texts

    @kept_beside
    def starts_in(self, folder: str) -> bool:
        """Whether every relative path starts in this folder."""
        for start in self.start_folders:
            start = start or self.standpoint.cwd
            if not (is_settled(start) and is_inside(start, (folder,))):
                return False
        return True

    def stays_in(self, folder: str) -> bool:
        """Whether no word leads out of this folder, so that every file that is written is inside it."""
        return not self.leads_out and self.starts_in(folder)

    def find_hints(self, hints: tuple[str, ...], among: str = "") -> tuple[str, ...]:
        """The hints that a word or a folder contains. Without any, no path can contain one either."""
        text = among or self._words_and_folders
        dotted, others = _split_hints(hints)
        left = hints if dotted is not None and dotted.search(text) is not None else others
        return tuple([hint for hint in left if hint in text])

    def holds_hint(self, hints: tuple[str, ...], among: str = "") -> bool:
        """Whether there is one of them at all."""
        text = among or self._words_and_folders
        dotted, others = _split_hints(hints)
        if dotted is not None and dotted.search(text) is not None:
            return True
        for hint in others:  # noqa: SIM110 - this runs for every command
            if hint in text:
                return True
        return False


@lru_cache(maxsize=256)
def _split_hints(hints: tuple[str, ...]) -> tuple[re.Pattern[str] | None, tuple[str, ...]]:
    """A pattern for those hints that begin with a dot, and the others.

    One pattern finds all of the first, because a dot is rare; for others, one search for each is faster.
    """
    dotted = [re.escape(hint) for hint in hints if hint[:1] == "."]
    others = tuple([hint for hint in hints if hint[:1] != "."])
    return re.compile("|".join(dotted)) if dotted else None, others


def _join_lower(texts: Iterable[str]) -> str:
    joined = "\n".join(texts)
    # `re.IGNORECASE` matches `ſ` with `s` and `K` (Kelvin) with `k`. Without folding, a hint that is searched for in
    # lower-case text would say no where the exact pattern of the policy says yes.
    if not joined.isascii():
        for letter, plain_letter in CASE_FOLDS:
            joined = joined.replace(letter, plain_letter)
    return joined.lower()
