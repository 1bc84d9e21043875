"""The paths that a tool call may change, as far as its text says: what the policy for the engine's files compares."""

import re
from collections.abc import Iterable, Iterator

from synaptic.model.event import PreToolUse
from synaptic.model.once import kept_beside
from synaptic.policies.facts import Facts
from synaptic.policies.mounts import Mount, find_host_paths, find_mounts
from synaptic.policies.reading import (
    CONTAINER_PROGRAMS,
    compile_hints,
    runs_elsewhere,
    select_commands,
)
from synaptic.policies.secrets.private import iter_meanings, iter_named_paths
from synaptic.policies.self.carried import iter_carried
from synaptic.policies.self.computed import iter_computed
from synaptic.policies.self.filled import iter_filled
from synaptic.policies.self.guard import ENGINE_FOLDER, Guard
from synaptic.policies.self.kept import simplify_pattern
from synaptic.policies.self.links import LINK_MAKERS, find_links, iter_behind, iter_hard_linked
from synaptic.policies.self.printed import CHANGE_FOLDER, iter_printed
from synaptic.shell.book.entries import find_program
from synaptic.shell.effects.effects import WordTest, holds_pattern
from synaptic.shell.effects.filled import find_copies, iter_option_values
from synaptic.shell.effects.targets import WriteTarget, find_targets
from synaptic.shell.globs import GLOB_SIGN
from synaptic.shell.names import split_names
from synaptic.shell.paths import MAX_PATH, Standpoint, is_inside, resolve_path
from synaptic.shell.places import WorkFolders, strip_match_all
from synaptic.shell.read.script import Command, Script, Word, join_texts
from synaptic.shell.reading import UNKNOWN_PROJECT, CommandReading

SIGNS = ("*", "?", "[", "@(", "+(", "!(")
"""What a pattern holds."""
EXTENDED_SIGN = re.compile(r"[@+!]\(")
DOTTED_PATTERN = re.compile(r"\.[^/\n]*[*?\[(]")
HIDDEN_OPTIONS = re.compile(r"dotglob|glob_?dots|\*\(\w*D", re.IGNORECASE)
"""With these a pattern matches names with a leading dot."""
READERS = split_names(
    "ls cat less more head tail bat grep egrep fgrep rg ag stat file wc jq yq diff cmp du tree test [ [[ cd pushd echo"
    " printf realpath readlink basename dirname md5sum sha256sum which type strings nl sort uniq cut awk find fd git"
    " synaptic dispatch column tac od xxd hexdump view source ."
)
COPIERS = split_names("cp rsync scp install ln tar zip")
SPARED_PROGRAMS = (READERS | COPIERS) - {"find"}
"""Programs that change nothing that they name but what they write, which is looked at anyway."""
MAKING_PROGRAMS = split_names("cp gcp mv gmv rsync scp install ginstall ln gln tar gtar bsdtar ditto")
"""Programs that make files in a folder under the names of others."""
ATTACHED_SIGN = re.compile(r"[=:,]")
"""What may stand between a path and a word before it: `--file=PATH`, `UNIX-CONNECT:PATH`."""
ATTACHED_PATH = re.compile(r"-\w+?([~/].*)")
"""An option with a path behind it: `-o/tmp`."""
WRITING_STARTERS = split_names("script strace ltrace flock time")
"""Programs that start another one and write a file of their own."""
GIT_WRITES = {"config": ("--file", "-f"), "checkout-index": ("--prefix",), "apply": ("--directory",), "init": ()}
"""Verbs of git that write where an option says; the first word behind the last one says it."""
GIT_READS = split_names("--get --get-all --get-regexp --list -l get list")


@kept_beside
def list_changed(known: CommandReading, guard: Guard, root: str) -> tuple[str, ...]:
    """Every path that the script may change, each once."""
    return tuple(dict.fromkeys(_iter_changed(known, guard, root)))


def _iter_changed(known: CommandReading, guard: Guard, root: str) -> Iterator[str]:
    folder = f"{guard.homes[0]}/{ENGINE_FOLDER}" if guard.homes else ""
    yield from iter_computed(known, folder)
    names, signs = known.find_hints(guard.names), known.find_hints(SIGNS)
    if not names and not signs:
        return
    is_clear = not names and not guard.in_project and _is_clear_project(known, root)
    if is_clear and stays_clear(known, root):
        return
    at = WorkFolders(root if is_clear else "", known.standpoint.home, known.standpoint.cwd)
    for path in _iter_named(known, (*names, *signs), names, lambda words, folders: not at.stay_below(words, folders)):
        yield simplify_pattern(path)
    for path in iter_printed(known):
        yield simplify_pattern(path)
    if links := find_links(known):
        yield from iter_hard_linked(known)
        yield from _iter_linked(known, links)
    if not names:
        return
    yield from iter_filled(known)
    yield from iter_carried(known.script, known.standpoint, compile_hints(names), folder)
    if mounted := find_mounts(known.script):
        yield from _iter_mounted(known, mounted)


def iter_edited(event: PreToolUse, facts: Facts) -> Iterator[str]:
    """Every path that a tool for editing names, as it is written and where its links lead."""
    if not event.tool.may_write:
        return
    at = Standpoint(event.cwd or facts.root or UNKNOWN_PROJECT, facts.home)
    for text in iter_named_paths(event.tool):
        yield from iter_meanings(text, at, facts.real_paths)


def matches_hidden(known: CommandReading) -> bool:
    """Whether patterns match names with a leading dot in this script."""
    may_match = "*(" in known.text or "glob" in known.low_text
    return may_match and HIDDEN_OPTIONS.search(known.text) is not None


def stays_clear(known: CommandReading, root: str) -> bool:
    """Whether no pattern can match one of these files: all stay in the project, and none of them begins with a dot."""
    return known.stays_in(root) and not DOTTED_PATTERN.search(known.words)


def _is_clear_project(known: CommandReading, root: str) -> bool:
    """Whether a pattern that stays in the project and does not begin with a dot can match none of these files."""
    if not root or is_inside(known.standpoint.home, (root,)) or GLOB_SIGN.search(known.folders):
        return False
    return not matches_hidden(known)


def _iter_named(
    known: CommandReading, hints: tuple[str, ...], names: tuple[str, ...], may_match: WordTest
) -> Iterator[str]:
    """What is written by programs that are known, and every path in the words of those that are not."""
    found, at = known.script, known.standpoint
    hinted = compile_hints(hints).search
    for target in known.targets if names else _find_pattern_targets(known, may_match):
        if hinted(target.path) and not runs_elsewhere(target):
            yield target.path
    yield from _iter_by_git(known)
    if len(found.commands) > 1:
        # Where a pattern leads is not known to what comes behind it.
        for command in select_commands(found, CHANGE_FOLDER):
            yield from (path for word in command.argv[1:] if word.glob for path in _iter_word_paths(word, at))
    for command in select_commands(found, MAKING_PROGRAMS & found.by_name.keys()):
        # Names may be put together from a folder and a source; signs are in one of the words.
        if (names or _hold_sign(command.argv)) and not runs_elsewhere(command):
            start = Standpoint(command.cwd or at.cwd, at.home)
            yield from (resolve_path(word.text, start) or "" for word in find_copies(command) if hinted(word.text))
    # In a word, signs make a pattern only where the shell takes them for one.
    hinted = compile_hints(names).search
    everywhere = {start for start in known.start_folders if hinted(start)}
    programs = found.by_name.keys() - SPARED_PROGRAMS - CONTAINER_PROGRAMS
    if not names and not everywhere:
        programs = {name for name in programs if _have_pattern(found.by_name[name], may_match)}
    for command in select_commands(found, programs):
        here = command.cwd in everywhere
        words = [word for word in command.argv[1:] if word.glob or here or hinted(word.text)]
        if not words or runs_elsewhere(command) or only_reads(command):
            continue
        if command.name not in WRITING_STARTERS and _wraps_next(found, command.index):
            continue
        for word in words:
            yield from _iter_word_paths(word, Standpoint(command.cwd or at.cwd, at.home))


def _have_pattern(commands: list[Command], may_match: WordTest) -> bool:
    words = [word for one in commands for word in one.argv]
    return holds_pattern(words) and may_match(words, {one.cwd for one in commands})


def _find_pattern_targets(known: CommandReading, may_match: WordTest) -> Iterable[WriteTarget]:
    """The files that are written under a name with a sign of patterns; each must be in a word or in a folder."""
    at = known.standpoint
    if any(map(_is_pattern, (at.cwd, at.home, *known.start_folders))):
        return known.targets
    effects = known.effects.find_changes_where(lambda words, folders: _hold_sign(words) and may_match(words, folders))
    return find_targets(effects, at)


def _hold_sign(words: Iterable[Word]) -> bool:
    return _is_pattern(join_texts(words))


def _is_pattern(text: str) -> bool:
    """Whether a text holds one of the signs: single characters are found much faster by themselves."""
    return "*" in text or "?" in text or "[" in text or ("(" in text and EXTENDED_SIGN.search(text) is not None)


def _iter_by_git(known: CommandReading) -> Iterator[str]:
    """What git is told to write outside of its working tree, and a repository that it makes."""
    for call in known.git_calls if "git" in known.programs else ():
        options = GIT_WRITES.get(call.verb)
        if options is None or (call.verb == "config" and GIT_READS.intersection(word.text for word in call.args)):
            continue
        here = Standpoint(call.cwd or known.standpoint.cwd, known.standpoint.home)
        words = iter_option_values(call.args, options) if options else iter((*call.given.words[:1], Word(".")))
        yield from (resolve_path(word.text, here) or "" for word in words)


def _iter_linked(known: CommandReading, links: tuple[Mount, ...]) -> Iterator[str]:
    """What is changed behind the links that the script makes; making a link changes nothing behind it."""
    at = known.standpoint
    for target in known.targets:
        if target.command is None or target.command.name not in LINK_MAKERS:
            yield from iter_behind(target.path, links)
    for command in select_commands(known.script, known.script.by_name.keys() - SPARED_PROGRAMS - LINK_MAKERS):
        for word in command.argv[1:] if not only_reads(command) else ():
            if path := resolve_path(word.text, Standpoint(command.cwd or at.cwd, at.home)):
                yield from iter_behind(path, links)


def _iter_word_paths(word: Word, at: Standpoint) -> Iterator[str]:
    """The paths of a word and of what is attached in it. Signs that no shell takes for a pattern are made letters."""
    if len(word.text) > MAX_PATH:
        return
    if word.glob:
        yield resolve_path(strip_match_all(word.text), at) or ""
        return
    attached = ATTACHED_PATH.match(word.text)
    texts = (word.text.rpartition("=")[2], *ATTACHED_SIGN.split(word.text)[1:])
    for text in (*texts, attached[1]) if attached else texts:
        yield GLOB_SIGN.sub("_", resolve_path(text, at) or "")


def _iter_mounted(known: CommandReading, mounted: tuple[Mount, ...]) -> Iterator[str]:
    """What containers are given to write to, and what they change there."""
    at = known.standpoint
    yield from (path for one in mounted if one.writable and (path := resolve_path(one.source, at)))
    for target in known.targets:
        if not runs_elsewhere(target):
            continue
        text = target.word.text
        # A relative path starts in a folder of the container that nobody knows: it may be any of the mounts.
        seen = [f"{one.target}/{text}" for one in mounted] if text[:1] not in ("/", "~") else [target.path]
        reals = (real for path in seen for real in find_host_paths(path, mounted, writes=True))
        yield from (path for real in reals if (path := resolve_path(real, at)))


def only_reads(command: Command) -> bool:
    """Whether a program that may change files does not: its options say so."""
    name = command.name
    if name == "find":
        return "-delete" not in command.args
    return name == "sed" and not find_program("sed").read(command.argv[1:]).has_role("edit")


def _wraps_next(found: Script, place: int) -> bool:
    """Whether the next command is the one that this starts: that one is looked at."""
    following = found.commands[place + 1] if place + 1 < len(found.commands) else None
    return following is not None and len(following.via) > len(found.commands[place].via)
