"""Disks written to below their file systems."""

import re

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, select_commands
from synaptic.shell.book.entries import BOOK, find_program, list_names_with, normalize_name
from synaptic.shell.names import split_names
from synaptic.shell.paths import Standpoint, resolve_path
from synaptic.shell.read.script import Command
from synaptic.shell.reading import UNKNOWN_PROJECT, CommandReading

HARMLESS_DEVICE = re.compile(
    r"/dev/(?:null|zero|full|u?random|std(?:in|out|err)|tty\w*|pts/.*|ptmx|fd(?:/.*)?|shm(?:/.*)?|tcp/.*|udp/.*|console"
    r"|log|snd/.*|input/.*|n?st\d+)"
)
PARTITION_EDITORS = list_names_with("partitions")
LISTING_OPTIONS = split_names("-l --list -L -d --dump -V --version -h --help -p --print print -v -J --json")
"""Words with which an editor of partitions changes none."""
DESTROYING_FORMS = {name: re.compile(one.destroys["disk"]) for name, one in BOOK.items() if "disk" in one.destroys}
"""The form of the words with which a program loses a disk, a volume or what it holds."""
DRY_RUN_OPTIONS = frozenset({"-t", "--test", "--help"})
DESTROYERS = frozenset(DESTROYING_FORMS) | list_names_with("formats")
MAX_ARGUMENTS_TEXT = 4000
"""Characters of a command line that are looked at."""
DEVICE_HINTS = ("dev", "proc", "sys")
"""Every device has one of these in its path."""
INSTEAD = "Work on an image file, or give the exact command to the user to run."


class RawWrite(Policy):
    """Writing to a disk or destroying what it is divided into.

    ## What it does
    Denies `dd of=/dev/...`, images copied to devices (`qemu-img`, `ddrescue`), making file systems on devices,
    partition editors, redirections and copies to devices, and the destroying verbs of LVM, ZFS, mdadm, cryptsetup,
    nvme, hdparm and diskutil. Image files are fine, and so are `/dev/null` and its like, listings and dumps. Asks when
    the device is in an unknown variable.
    ## Why
    One block in the wrong place makes a disk unreadable.
    ## Known gaps
    Device files that were made elsewhere under other names are not recognised.
    """

    id = "devices.raw-write"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    priority = 21
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None:
            return None
        # Copying programs matter only where some word can name a device.
        devices = known.holds_hint(DEVICE_HINTS, known.words)
        if not DESTROYERS.isdisjoint(known.programs):
            for command in known.script.commands:
                if verdict := _judge_destroyer(command):
                    return verdict
        written = _find_device(known) if devices else None
        if written is None:
            return None
        by, what = written
        if by is None:
            return deny(f"This writes to the device {what}. {INSTEAD}")
        return deny(f"`{by.name}` would overwrite or remove {what}. {INSTEAD}")


def _judge_destroyer(command: Command) -> Verdict | None:
    """The verdict on a program that destroys without naming a file, or formats an unknown device."""
    program = find_program(command.name)
    form = DESTROYING_FORMS.get(normalize_name(command.name))
    if form and form.search(" ".join(command.args)[:MAX_ARGUMENTS_TEXT]) and DRY_RUN_OPTIONS.isdisjoint(command.args):
        return deny(f"`{command.name}` would overwrite or remove a disk or a volume and what it holds. {INSTEAD}")
    if program.formats and any(not word.known and word.text[:1] == "$" for word in command.argv[1:]):
        return ask(f"`{command.name}` on a device that is not known. Write the image file's path out. {INSTEAD}")
    return None


def _find_device(known: CommandReading) -> tuple[Command | None, str] | None:
    """The first device that is written to, or whose partitions are changed, and the command that does it."""
    for command in select_commands(known.script, PARTITION_EDITORS):
        if LISTING_OPTIONS.isdisjoint(command.args) and (hit := next(filter(is_device, command.args), "")):
            return command, f"the partitions of {hit}"
    written = (one for one in known.effects.writes if one.kind == "write")
    return next(
        ((one.command, one.word.text) for one in written if is_device(one.word.text, one.cwd or UNKNOWN_PROJECT)), None
    )


def is_device(text: str, cwd: str = UNKNOWN_PROJECT) -> bool:
    """Whether a path names a device, or a door to the kernel, that must not be written to."""
    path = resolve_path(text, Standpoint(cwd)) or ""
    if path.startswith("/dev/"):
        return not HARMLESS_DEVICE.fullmatch(path)
    return path.startswith(("/proc/sysrq-trigger", "/proc/kcore", "/sys/firmware/efi/efivars"))
