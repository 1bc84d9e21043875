"""Files destroyed so that nothing can bring them back."""

from collections.abc import Iterator

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.model.stakes import PathState
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.files.timed_jobs import judge_timed_jobs
from synaptic.policies.reading import SHELL_TOOLS, get_work_folders, select_commands
from synaptic.shell.book.entries import find_program, list_names_with
from synaptic.shell.effects.commands import find_acts
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, is_inside, resolve_path
from synaptic.shell.places import PathArea, WorkFolders
from synaptic.shell.read.script import Command, Redirect, Script, Word

WIPERS = list_names_with("wipes")
EMPTIERS = split_names("tee dd cp install sort uniq xxd truncate sponge curl wget ln objcopy")
"""Programs that can overwrite a file with nothing."""
NOTHING = frozenset({"/dev/null", "/dev/zero", "file:///dev/null"})
DEVICE_SIGN = "/dev/"
ALWAYS_SILENT = split_names(": true")
PRINTERS = split_names("echo printf print")
PRINTED_NOTHING = split_names("-n -e -E -ne -en -nr -rn -r -- %s") | {""}
"""Words with which these print nothing, as long as `echo` is told to print no line end."""
SILENT_PROGRAMS = ALWAYS_SILENT | PRINTERS | {"cat", "exec"}
"""Programs that print nothing, or nothing with certain words."""
LOOKED_AT = WIPERS | EMPTIERS | SILENT_PROGRAMS | {"mv", "crontab"}
EMPTYING_OPERATORS = frozenset({">", ">|", "&>"})
LOG_SUFFIXES = (".log", ".out", ".err", ".tmp", ".lock", ".pid")
"""Files that are emptied every day."""


class Wiping(Policy):
    """Overwriting files beyond recovery.

    ## What it does
    Denies `shred`, `srm`, `wipe`, moving files to `/dev/null`, and removing all timed jobs (`crontab -r`, `crontab
    /dev/null`). Asks before all timed jobs are replaced (`crontab jobs.txt`, `echo ... | crontab -`), here or on
    another machine, in a line that does not take over what is there with `crontab -l`. Files in scratch folders and
    what this session has made outside the project may be wiped. Asks before a file of the home folder outside the
    project is overwritten with nothing (`cp /dev/null ~/notes`, `: > ~/notes`, `echo -n > ~/notes`); logs, empty files,
    and what this session has made are free.
    ## Why
    A deleted file can often be brought back from a snapshot or the disk; an overwritten one cannot.
    ## Known gaps
    Overwriting with `dd`, `cp` or a redirection inside the project is ordinary writing and not looked at. A group that
    prints nothing (`{ :; } > ~/notes`) is not recognised.
    """

    id = "files.wiping"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = LOOKED_AT
    priority = 22
    preset = "essentials"
    needs = ("stakes",)

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None or LOOKED_AT.isdisjoint(known.programs):
            return None
        found = known.script
        at = get_work_folders(event, facts)
        programs = known.programs
        for command in () if WIPERS.isdisjoint(programs) else select_commands(found, WIPERS):
            files = find_program(command.name).read(command.argv[1:]).operands
            if not all(_may_be_wiped(word, command, facts, at) for word in files):
                return deny(
                    f"`{command.name}` destroys {files[0].text!r} beyond recovery. Use `rm` on it, or ask the user."
                )
        if "crontab" in programs and (verdict := judge_timed_jobs(found)):
            return verdict
        if file := next((one for one in _iter_emptied(found, at) if _holds_something(one, facts)), ""):
            return ask(
                f"{file!r} outside the project would be emptied. Let the user do that, or write what it should hold."
            )
        for command in select_commands(found, ("mv",)) if "mv" in programs else ():
            if _moves_to_null(command):
                return deny("Moving a file to /dev/null destroys it or the device. Use `rm` on the file instead.")
        return None


def _may_be_wiped(word: Word, command: Command, facts: Facts, at: WorkFolders) -> bool:
    """Whether a file lies in scratch, also where one stands in scratch of one's own, or was made by this session."""
    area = at.classify_word(word, command.cwd)
    if area is PathArea.SCRATCH:
        return True
    # What a link leads to is wiped.
    linked = facts.command is None or "ln" in facts.command.programs
    if facts.stakes.disposable and area is PathArea.PROJECT:
        return not linked
    path = resolve_path(word.text, Standpoint(command.cwd or at.cwd, at.home)) if word.known else None
    return path is not None and is_inside(path, facts.stakes.made)


def _holds_something(path: str, facts: Facts) -> bool:
    """Whether a file is not known to be empty, or the session's own. What is missing now may be made before."""
    return facts.stakes.get_state(path) is not PathState.EMPTY and not is_inside(path, facts.stakes.made)


def _iter_emptied(found: Script, at: WorkFolders) -> Iterator[str]:
    """Files of the home folder, outside the project, that are overwritten with nothing."""
    return filter(None, (_find_kept_at_home(word, command, at) for word, command in iter_emptied(found)))


def iter_emptied(found: Script) -> Iterator[tuple[Word, Command]]:
    """The words that name what is overwritten with nothing, each with the command that does it."""
    for command in select_commands(found, EMPTIERS):
        if _is_given_nothing(command):
            yield from ((word, command) for kind, word in find_acts(command) if kind == "write")
    for command in select_commands(found, SILENT_PROGRAMS):
        if command.redirects and _opens_file(command) and _prints_nothing(command):
            yield from ((one.target, command) for one in command.redirects if _empties(one, command, found))


def _is_given_nothing(command: Command) -> bool:
    """Whether a program that can overwrite a file is given nothing to write."""
    if command.name == "truncate":
        given = find_program("truncate").read(command.argv[1:])
        if given.get_value("size") in ("0", "=0"):
            return True
    if command.name == "tee" and command.stdin is not None and not command.stdin.strip():
        return True
    if any(one.operator == "<" and one.target.text in NOTHING for one in command.redirects):
        return True
    # Sorting the words of a program costs much more than to see that none of them holds such a name.
    if not any(DEVICE_SIGN in word.text for word in command.argv):
        return False
    return any(kind == "read" and word.text in NOTHING for kind, word in find_acts(command))


def _opens_file(command: Command) -> bool:
    for one in command.redirects:  # noqa: SIM110 - this runs for every `echo ... >&2`
        if one.operator in EMPTYING_OPERATORS:
            return True
    return False


def _prints_nothing(command: Command) -> bool:
    if command.name in ALWAYS_SILENT:
        return True
    if command.name in PRINTERS:
        # The target of `>! file` is an argument as well, because it is one in bash.
        said = {*command.args}.difference(one.target.text for one in command.redirects)
        silent = command.name == "printf" or any(text[:1] == "-" and "n" in text for text in said)
        return bool(said) and silent and PRINTED_NOTHING.issuperset(said)
    fed = [one.target.text for one in command.redirects if one.operator == "<"]
    return not command.args if command.name == "exec" else (*command.args, *fed) == ("/dev/null",)


def _empties(redirect: Redirect, command: Command, found: Script) -> bool:
    """Whether it opens a file for writing, and nothing is written to it then."""
    # Code of another language writes by a `:` that it runs, with a redirection of its own, whatever it writes.
    if redirect.operator not in EMPTYING_OPERATORS or redirect.via != command.via:
        return False
    number = redirect.descriptor
    if command.name != "exec":
        return True
    # What stays open is there to be written to; it counts as emptied when nothing is.
    return len(number) == 1 and number > "2" and not any(one.target.text == number for one in found.redirects)


def _find_kept_at_home(word: Word, command: Command, at: WorkFolders) -> str:
    """The path of a file that is kept in the home folder, outside the project; empty for every other one."""
    if (
        not word.known
        or word.text.endswith(LOG_SUFFIXES)
        or at.classify_word(word, command.cwd) is not PathArea.OUTSIDE
    ):
        return ""
    path = resolve_path(word.text, Standpoint(command.cwd or at.cwd, at.home))
    return path if path is not None and is_inside(path, (at.home,)) else ""


def _moves_to_null(command: Command) -> bool:
    return any(kind == "write" and word.text == "/dev/null" for kind, word in find_acts(command))
