"""Which files a hook of a project would run or read as code, and what cannot be found out about that.

The command is read by the one shell reader, with the variables and the folder that the hook gets, into every script
that it runs. Python and JavaScript files are followed by their imports. Whatever stays unknown is a gap: a text that
says what is not covered, so that a person can accept exactly that.
"""

import os
from collections.abc import Iterator

import msgspec

from synaptic.files.bounded import read_content
from synaptic.files.snapshot import list_names
from synaptic.hooks.code_programs import (
    FOLDER_PROGRAMS,
    HARMLESS_DEVICES,
    MOVING_PROGRAMS,
    STARTING_WORD,
)
from synaptic.hooks.language_code import LanguageCode, locate_file
from synaptic.hooks.named_files import SOURCING_COMMANDS, find_folders, find_matches, iter_named_words, list_run_words
from synaptic.hooks.program_gaps import (
    find_option_gaps,
    find_program_gaps,
    find_script_files,
    find_variable_gaps,
    is_plain,
)
from synaptic.hooks.traced_files import CODE_LIMIT, TracedFiles
from synaptic.model.environment import SYSTEM_FOLDERS, build_project_variables
from synaptic.model.hook import Command as CommandHandler
from synaptic.model.hook import Handler, OutsidePolicy, PythonFunction
from synaptic.shell.effects.effects import read_effects
from synaptic.shell.globs import GLOB_SIGN
from synaptic.shell.read.reader import read_with_files
from synaptic.shell.read.script import Command, Script, Word
from synaptic.shell.read.writing import quote_word

EVENT_FOLDER = "/dev/event-folder"
"""Stands for the folder of the event, which a script is started in and nobody knows before."""
PLACE_VARIABLES = ("SYNAPTIC_PROJECT_ROOT", "SYNAPTIC_ROOT", "SYNAPTIC_SHARED", "SYNAPTIC_SKILLS")
MAX_TREE_FILES = 1000
"""Files of a folder that is covered as a whole."""
MAX_TEXTS = 200
"""Commands that are read for one hook, those of its scripts included."""
MAX_GAPS, MAX_GAP = 20, 200
"""Gaps of one hook that are told, and characters of one."""


class HookCoverage(msgspec.Struct, frozen=True):
    """What a hook's digest covers. Paths are absolute."""

    files: tuple[str, ...] = ()
    """Files that run or are read as code; one that is missing counts as missing."""
    folders: tuple[str, ...] = ()
    """Folders in which a new name may be a file that runs."""
    gaps: tuple[str, ...] = ()
    """What is not covered, in words."""
    may_pass: bool = False
    """Whether a file could not be read for a moment: the next look may find more."""


def find_coverage(handler: Handler, root: str) -> HookCoverage:
    """Find what a handler runs. Never raises."""
    search = _CodeSearch(root.rstrip("/") or "/")
    if isinstance(handler, PythonFunction | OutsidePolicy):
        search.add_file(handler.file, "")
        search.follow_language("python", handler.file, ())
    elif isinstance(handler, CommandHandler):
        for word in handler.argv[:1]:
            if word.startswith("/"):
                search.add_file(word, "")
        search.start = handler.cwd or EVENT_FOLDER
        search.read_text(handler.shell or " ".join(map(quote_word, handler.argv)), search.start)
    return HookCoverage(tuple(search.files), tuple(search.folders), tuple(search.gaps)[:MAX_GAPS], search.may_pass)


class _CodeSearch:
    """One search, from the command of a hook to everything that it reaches."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.start = root
        """The folder that the hook is started in."""
        self.files: dict[str, None] = {}
        self.folders: dict[str, None] = {}
        self.gaps: dict[str, None] = {}
        self.may_pass = False
        self._languages = LanguageCode(self)
        self._texts: set[tuple[str, str]] = set()
        said = build_project_variables(root)
        # The others come from a file of the repository.
        self._variables = {**{name: said[name] for name in PLACE_VARIABLES}, "CLAUDE_PROJECT_DIR": root}

    def read_text(self, text: str, cwd: str) -> None:
        """Follow shell text that starts in a folder."""
        if (text, cwd) in self._texts:
            return
        self._texts.add((text, cwd))
        if len(self._texts) > MAX_TEXTS:
            self.add_gap(f"more than {MAX_TEXTS} commands follow one another")
            return
        traced, before = TracedFiles(), set(self.files)
        script = read_with_files(text, cwd, self._variables, traced)
        for path in self._list_code(text, cwd, script, traced):
            self.add_file(path, "")
        self.may_pass = self.may_pass or traced.may_pass
        if traced.is_exhausted:
            self.add_gap("it runs more files than can be followed")
        self._take_gaps(script, traced)
        functions = {function.name for function in script.functions}
        for command in script.commands:
            if command.argv[0].text not in functions:  # what a function runs is listed behind it
                self._take_command(command, cwd)
        for redirect in script.redirects:
            if redirect.operator == "<" and not redirect.target.known:
                continue  # an interpreter that reads it has left a gap
            if redirect.operator == "<" and _is_of_hook(redirect.via):
                self.add_file(redirect.target.text, redirect.cwd or cwd)
        # What the commands write themselves is another content after each run, and may be left from an earlier one.
        for path in (traced.written & self.files.keys()) - before:
            del self.files[path]
            self.add_gap(f"{path} is written before it runs")

    def add_file(self, text: str, cwd: str) -> None:
        """Cover a file that a word names."""
        path = text if text.startswith("/") else f"{cwd}/{text}"
        plain = os.path.normpath(path)
        if "\0" in path or plain in HARMLESS_DEVICES:
            return
        if plain.startswith(f"{EVENT_FOLDER}/"):
            self.add_gap(f"{text} is looked for in the folder of each event")
        elif plain.startswith(("/proc/", "/dev/")):
            self.add_gap(f"{plain} is another file for every program")
        elif self.is_of_project(plain) or not plain.startswith(SYSTEM_FOLDERS):
            # `link/../x` is another file than `x` where a link leads elsewhere.
            if ".." in path and os.path.realpath(path) != os.path.realpath(plain):
                self.add_gap(f"{text} leads through a link")
            self.files[plain] = None

    def add_tree(self, folder: str) -> None:
        """Cover a folder whole: every file below it, and every name that is added."""
        count = 0
        for place, names, files in os.walk(folder):
            names.sort()
            self.folders[place] = None
            count += len(names) + len(files)
            for name in sorted(files):
                self.files[f"{place}/{name}"] = None
            # A folder that is a link is not walked into, and what it leads to may change.
            for name in names:
                if os.path.islink(f"{place}/{name}"):  # noqa: PTH114 - text paths throughout
                    self.add_gap(f"{place}/{name} leads to another folder")
            if count > MAX_TREE_FILES:
                self.add_gap(f"{folder} holds more than {MAX_TREE_FILES} files and folders")
                return
        if not count:
            self.folders[os.path.dirname(folder)] = None  # noqa: PTH120 - it may be made later
            self.files[folder] = None

    def add_gap(self, text: str) -> None:
        # Without the root, so that a project that moved keeps its digests.
        self.gaps[text.replace("\n", " ").replace(f"{self.root}/", "")[:MAX_GAP]] = None

    def is_of_project(self, path: str) -> bool:
        return path == self.root or path.startswith(f"{self.root.rstrip('/')}/")

    def read_file(self, path: str) -> str | None:
        """The text of a file that is followed; None when it is not there or not to be read."""
        content = read_content(path, CODE_LIMIT)
        if content is not None and not isinstance(content, bytes) and not os.path.isdir(path):  # noqa: PTH112
            self.add_gap(f"{path} {content.why}")
            self.may_pass = self.may_pass or content.may_pass
        return content.decode("utf-8", "replace") if isinstance(content, bytes) else None

    def list_folder(self, path: str) -> list[str]:
        """The names in a folder, which is looked at again when one is added."""
        self.folders[path] = None
        listing = list_names(path)
        return os.fsdecode(listing).split("\n") if isinstance(listing, bytes) and listing else []

    def follow_language(self, language: str, path: str, searched: tuple[str, ...]) -> None:
        self._languages.follow(language, path, searched)

    def _list_code(self, text: str, cwd: str, script: Script, traced: TracedFiles) -> Iterator[str]:
        """The files that the reader asked for, without those that are only data to a plain program."""
        run = {
            locate_file(word.text, command.cwd or cwd)
            for command in script.commands
            for word in list_run_words(command)
        }
        data = {
            locate_file(word.text, command.cwd or cwd)
            for command in script.commands
            if is_plain(command) and command.name not in MOVING_PROGRAMS
            for word in command.argv[1:]
        }
        doubtful = frozenset(path for path in traced.asked if path in data and path not in run)
        if doubtful:
            others = TracedFiles(doubtful)
            without = read_with_files(text, cwd, self._variables, others)
            self.may_pass = self.may_pass or others.may_pass
            # What reads the same without these files does not run them.
            if _list_deeds(without) == _list_deeds(script):
                yield from (path for path in traced.asked if path not in doubtful)
                return
        yield from traced.asked

    def _take_gaps(self, script: Script, traced: TracedFiles) -> None:
        for gap in script.unresolved:
            self.add_gap(f"what `{gap.text}` is")
        if script.truncated:
            self.add_gap(f"it cannot be read to its end ({script.truncated})")
        for gap_text in find_variable_gaps(script, traced.texts):
            self.add_gap(gap_text)
        for effect in read_effects(script).writes:
            target = locate_file(effect.word.text, effect.cwd)
            for path in traced.asked:
                if f"{path}/".startswith(f"{target}/") and path not in traced.written:
                    self.add_gap(f"{path} is written before it runs")

    def _take_command(self, command: Command, start: str) -> None:
        cwd = command.cwd or ("" if start != EVENT_FOLDER else start)
        first = command.argv[0]
        if "/" in first.text:
            self._take_word(first, cwd, command)
        if is_plain(command) and command.name not in SOURCING_COMMANDS:
            self._take_plain(command, cwd)
            return
        for word in list_run_words(command)[1:]:
            self._take_word(word, cwd, command)
        if command.name in FOLDER_PROGRAMS:
            for word in command.argv[1:]:
                self._take_folder(word, cwd)
        elif command.name != "git" and _is_of_hook(command.via):
            for text in iter_named_words(command):
                if self.is_of_project(locate_file(text, cwd)):
                    self.add_file(text, cwd)
        self._languages.take_command(command, cwd)
        for gap in find_program_gaps(command, self):
            self.add_gap(gap)

    def _take_plain(self, command: Command, cwd: str) -> None:
        """Cover what a plain program is told in a file (`awk -f x.awk`), and programs of the project it is given."""
        for text in find_script_files(command):
            self.add_file(text, cwd)
            if STARTING_WORD.search(self.read_file(locate_file(text, cwd)) or ""):
                self.add_gap(f"what {text} starts or loads")
        for gap in find_option_gaps(command):
            self.add_gap(gap)
        for text in iter_named_words(command):
            path = locate_file(text, cwd)
            if self.is_of_project(path) and os.path.isfile(path) and os.access(path, os.X_OK):  # noqa: PTH113
                self.add_file(text, cwd)

    def _take_folder(self, word: Word, cwd: str) -> None:
        """Cover a folder of which every file runs."""
        if not word.known:
            self.add_gap(f"which folder {word.text} is")
        elif not word.text.startswith("-"):
            self.add_tree(folder := locate_file(word.text, cwd))
            for name in self.list_folder(folder):
                if os.access(f"{folder}/{name}", os.X_OK):
                    self.read_text(quote_word(f"{folder}/{name}"), cwd)

    def _take_word(self, word: Word, cwd: str, command: Command) -> None:
        """Cover what a word names that stands where something to run is named."""
        if not word.known:
            self.add_gap(f"which file `{' '.join(one.text for one in command.argv)[:120]}` runs")
        elif not cwd and not word.text.startswith("/"):
            self.add_gap(f"in which folder {word.text} is looked for")
        elif not os.path.exists(path := locate_file(word.text, cwd)) and GLOB_SIGN.search(word.text):  # noqa: PTH110
            self._take_pattern(word, cwd, command)
        elif os.path.isdir(path):  # noqa: PTH112
            self.add_tree(path)
        else:
            is_new = path not in self.files
            self.add_file(word.text, cwd)
            # The reader looks for files from where its shell is; a command may have been sent to another folder.
            if is_new and self.is_of_project(path):
                self.read_text(" ".join(quote_word(path if one is word else one.text) for one in command.argv), cwd)

    def _take_pattern(self, word: Word, cwd: str, command: Command) -> None:
        """Follow each file that a pattern stands for now; a name that matches later is another digest."""
        pattern = locate_file(word.text, cwd)
        for folder in find_folders(pattern):
            self.folders[folder] = None
        for path in find_matches(pattern):
            words = [quote_word(path if one is word else one.text) for one in command.argv]
            self.read_text(" ".join(words), cwd)


def _is_of_hook(via: tuple[str, ...]) -> bool:
    """Whether a command stands in the hook's own text, and not in a script that it runs."""
    return not any(label in ("file", "source", "make") or label.endswith(" file") for label in via)


def _list_deeds(script: Script) -> tuple[object, ...]:
    commands = [tuple(word.text for word in command.argv) for command in script.commands]
    return commands, [(gap.kind, gap.text) for gap in script.unresolved], script.truncated
