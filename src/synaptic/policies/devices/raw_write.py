"""Disks written to below their file systems."""

import re
from collections.abc import Iterator

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import Policy
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELLS, named, reading
from synaptic.shell.effects.arguments import arguments
from synaptic.shell.names import names
from synaptic.shell.paths import Standpoint, resolve
from synaptic.shell.read.script import Command, Script, Word
from synaptic.shell.reading import NOWHERE

HARMLESS = re.compile(
    r"/dev/(?:null|zero|full|u?random|std(?:in|out|err)|tty\w*|pts/.*|ptmx|fd(?:/.*)?|shm(?:/.*)?|tcp/.*|udp/.*|console"
    r"|log|snd/.*|input/.*)"
)
FORMATS = re.compile(r"mkfs(?:\.\w+)?|mke2fs|mkswap|mkntfs|mkdosfs|newfs\w*|pvcreate|wipefs|blkdiscard|badblocks")
REMOVES = names("lvremove vgremove pvremove lvreduce vgreduce")
PARTITIONS = names("fdisk sfdisk cfdisk gdisk sgdisk parted")
LOOKING = names("-l --list -L -d --dump -V --version -h --help -p --print print -v -J --json")
VERBS = {
    "zpool": "destroy labelclear create remove split",
    "zfs": "destroy rollback",
    "cryptsetup": "luksFormat erase luksErase luksKillSlot luksRemoveKey reencrypt",
    "nvme": "format sanitize write write-zeroes write-uncor dsm delete-ns",
    "mdadm": "--stop -S --zero-superblock --remove -r --fail -f --create -C",
    "dmsetup": "remove remove_all wipe_table clear",
    "diskutil": "erasedisk zerodisk randomdisk secureerase partitiondisk erasevolume reformat splitpartition"
    " mergepartitions deletevolume deletecontainer eraseoptical",
    "asr": "restore",
    "hdparm": "--security-erase --security-erase-enhanced --write-sector --trim-sector-ranges --make-bad-sector"
    " --format --sanitize-block-erase --sanitize-crypto-scramble",
    "btrfs": "delete",
    "hdiutil": "erasekeys",
}
"""Programs that also look, by the words that make them destroy."""
WINDOWS = names("diskpart format-volume clear-disk remove-partition initialize-disk")
DRIVE = re.compile(r"[A-Za-z]:")
COPIES = frozenset({"cp", "tee", "install", "mv", "sponge"})
DUMPERS = frozenset({"dd", "dcfldd", "dc3dd"})
IMAGERS = {
    "qemu-img": names("-f -O -o -B -S -W -m -t -T -l -F --object --image-opts"),
    **dict.fromkeys(("ddrescue", "gddrescue"), names("-b -c -e -E -H -i -K -m -o -O -r -s -T -X")),
    "dd_rescue": names("-s -S -b -B -e -m -l -o -y"),
    "bmaptool": names("--bmap --bmap-sig"),
    "rpi-imager": names("--sha256 --first-run-script --cloudinit-userdata"),
    "nbdcopy": names("--connections --queue-size --request-size --requests --threads -C -R -T"),
    "pv": names("-L -B -s -i -w -H -N -F -o --output"),
}
"""Programs that copy images, with their options that take a value."""
RESCUERS = frozenset({"ddrescue", "gddrescue"})
WRITERS = COPIES | DUMPERS | PARTITIONS | frozenset(IMAGERS)
DESTROYERS = REMOVES | WINDOWS | frozenset(VERBS) | {"lvm", "format"}
HINTS = ("dev", "proc", "sys")
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
    tools = SHELLS
    priority = 21
    preset = "essentials"

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = reading(event, facts)
        if known is None:
            return None
        found = known.script
        devices = bool(known.hinted(HINTS, known.words))
        for command in named(found, [name for name in found.by_name if _may_destroy(name.lower(), devices)]):
            if what := _destroyed(command):
                return deny(f"`{command.name}` would overwrite or remove {what}. {INSTEAD}")
            if FORMATS.fullmatch(command.name) and any(_unknown(word) for word in command.argv[1:]):
                return ask(
                    f"`{command.name}` on a device that is not known. Write the image file's path out. {INSTEAD}"
                )
        target = next((text for text in _redirected(found) if device(text)), "") if devices else ""
        return deny(f"This writes to the device {target}. {INSTEAD}") if target else None


def device(text: str, cwd: str = NOWHERE) -> bool:
    """Whether a path names a device, or a door to the kernel, that must not be written to."""
    path = resolve(text, Standpoint(cwd)) or ""
    if path.startswith("/dev/"):
        return not HARMLESS.fullmatch(path)
    return path.startswith(("/proc/sysrq-trigger", "/proc/kcore", "/sys/firmware/efi/efivars"))


def _may_destroy(name: str, devices: bool) -> bool:
    """Whether a program can destroy anything: without the name of a device some of them cannot."""
    return name in DESTROYERS or FORMATS.fullmatch(name) is not None or (devices and name in WRITERS)


def _unknown(word: Word) -> bool:
    return not word.known and word.text[:1] == "$"


def _redirected(found: Script) -> Iterator[str]:
    return (redirect.target.text for redirect in found.writes)


def _destroyed(command: Command) -> str:
    """What a command destroys; empty when it is harmless."""
    name = command.name.lower()
    if name == "lvm" and len(command.argv) > 1:
        name = command.args[0]
    if name in DUMPERS:
        return _dumped(command)
    if name in IMAGERS:
        return _imaged(command, name)
    if name in COPIES or FORMATS.fullmatch(name):
        return _written(command, name)
    if name in REMOVES and not any(text in ("-t", "--test", "--help") for text in command.args):
        return "a volume and what it holds"
    if name in PARTITIONS and not LOOKING.intersection(command.args):
        return next((f"the partitions of {text}" for text in command.args if device(text)), "")
    if name in VERBS and any(_verb(text, VERBS[name].split()) for text in command.args):
        return "a disk or a volume and what it holds"
    if name == "format" and any(DRIVE.fullmatch(text) for text in command.args):
        return "a drive"
    return "a disk" if name in WINDOWS else ""


def _written(command: Command, name: str) -> str:
    given = arguments(command.argv[1:], ("-t", "--target-directory"))
    words = given.operands
    if name in ("cp", "mv", "install"):
        words = given.values("-t", "--target-directory") or words[-1:]
    if name in ("wipefs", "badblocks") and not given.has("-a", "--all", "-o", "--offset", "-w", "-n"):
        return ""
    return next((word.text for word in words if device(word.text)), "")


def _dumped(command: Command) -> str:
    return next((text[3:] for text in command.args if text[:3] == "of=" and device(text[3:])), "")


def _imaged(command: Command, name: str) -> str:
    """The device that an image is copied to: the last operand; ddrescue may have a map file behind it."""
    given = arguments(command.argv[1:], IMAGERS[name])
    files = given.texts
    if name == "qemu-img":
        copies = files[:1] in (("convert",), ("dd",))
        return _dumped(command) or next((text for text in files[-1:] if copies and device(text)), "")
    if name == "pv":
        return next((word.text for word in given.values("-o", "--output") if device(word.text)), "")
    target = files[1:2] if name in RESCUERS else files[1:][-1:]
    return next((text for text in target if device(text)), "")


def _verb(text: str, verbs: list[str]) -> bool:
    return text in verbs or text.lower() in verbs
