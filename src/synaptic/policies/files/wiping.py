"""Files destroyed so that nothing can bring them back."""

from synaptic.model.decision import Verdict, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, get_script, get_work_folders, select_commands
from synaptic.shell.book.entries import find_program, list_names_with
from synaptic.shell.effects.commands import find_acts
from synaptic.shell.places import PathArea
from synaptic.shell.read.script import Command

WIPERS = list_names_with("wipes")


class Wiping(Policy):
    """Overwriting files beyond recovery.

    ## What it does
    Denies `shred`, `srm`, `wipe`, moving files to `/dev/null`, and removing all timed jobs (`crontab -r`,
    `crontab /dev/null`). Files in scratch folders may be wiped.
    ## Why
    A deleted file can often be brought back from a snapshot or the disk; an overwritten one cannot.
    ## Known gaps
    Overwriting with `dd`, `cp` or a redirection inside the project is ordinary writing and not looked at.
    """

    id = "files.wiping"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 22
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts, WIPERS | {"mv", "crontab"})
        if found is None:
            return None
        at = get_work_folders(event, facts)
        for command in select_commands(found, WIPERS):
            files = find_program(command.name).read(command.argv[1:]).operands
            if any(at.classify_word(word, command.cwd) is not PathArea.SCRATCH for word in files):
                return deny(
                    f"`{command.name}` destroys {files[0].text!r} beyond recovery. Use `rm` on it, or ask the user."
                )
        for command in select_commands(found, ("crontab",)):
            if _empties_crontab(command):
                return deny(
                    "This removes every timed job of the user. Change single lines with the user instead "
                    "(`crontab -l` shows them)."
                )
        for command in select_commands(found, ("mv",)):
            if _moves_to_null(command):
                return deny("Moving a file to /dev/null destroys it or the device. Use `rm` on the file instead.")
        return None


def _empties_crontab(command: Command) -> bool:
    """`crontab -r`, `crontab /dev/null`, or nothing to read."""
    given = find_program("crontab").read(command.argv[1:])
    files = tuple(word.text for word in given.operands)
    if given.has("r"):
        return True
    if given.has("l", "e") or files not in ((), ("-",), ("/dev/stdin",)):
        return files == ("/dev/null",)
    fed = [one.target.text for one in command.redirects if one.operator == "<"]
    return fed == ["/dev/null"] or (command.stdin is not None and not command.stdin.strip())


def _moves_to_null(command: Command) -> bool:
    return any(kind == "write" and word.text == "/dev/null" for kind, word in find_acts(command))
