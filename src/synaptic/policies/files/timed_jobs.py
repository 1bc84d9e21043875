"""The timed jobs of a user, removed or replaced by others."""

from synaptic.model.decision import Verdict, ask, deny
from synaptic.policies.reading import runs_in_container
from synaptic.shell.book.entries import find_program
from synaptic.shell.read.script import Command, Script

INPUT = ((), ("-",), ("/dev/stdin",))
"""What `crontab` is given where it reads its input."""


def judge_timed_jobs(found: Script) -> Verdict | None:
    """What is said about a line that leaves nothing of the user's timed jobs."""
    called = found.by_name.get("crontab", ())
    if any(map(_empties, called)):
        return deny(
            "This removes every timed job of the user. Change single lines with the user instead (`crontab -l` shows "
            "them)."
        )
    # Whoever lists them in the same line mostly puts them in front of the new ones.
    if any("-l" in command.args for command in called) or not any(map(_replaces, called)):
        return None
    return ask(
        "This replaces every timed job that is there by the new ones. Keep them: "
        "`(crontab -l 2>/dev/null; echo '<new line>') | crontab -`."
    )


def _empties(command: Command) -> bool:
    """`crontab -r`, `crontab /dev/null`, or nothing to read."""
    given = find_program("crontab").read(command.argv[1:])
    files = tuple(word.text for word in given.operands)
    if given.has("r"):
        return True
    if given.has("l", "e") or files not in INPUT:
        return files == ("/dev/null",)
    fed = [one.target.text for one in command.redirects if one.operator == "<"]
    return fed == ["/dev/null"] or (command.stdin is not None and not command.stdin.strip())


def _replaces(command: Command) -> bool:
    given = find_program("crontab").read(command.argv[1:])
    if given.has("l", "e", "T") or given.is_help or runs_in_container(command):
        return False
    fed = bool(command.stages) or command.stdin is not None or any(one.operator == "<" for one in command.redirects)
    return bool(given.operands) or fed
