"""Which program a word names."""

import re
from fnmatch import fnmatchcase

from synaptic.shell.read.script import Word

DISGUISED_PROGRAMS = (
    "rm", "sh", "bash", "zsh", "dash", "dd", "mkfs", "git", "curl", "wget", "chmod", "chown", "find", "shred", "sudo",
    "rmdir", "unlink", "mv", "cp", "tee", "nc", "python", "python3", "perl", "eval", "cat", "truncate", "kill",
    "reboot", "shutdown", "halt", "xargs", "env", "busybox", "ssh", "scp", "base64",
)  # fmt: skip
"""Programs that a pattern such as `/bin/r?` is tried on, the harmful ones first."""
SUBSTITUTED = re.compile(r"\$\(.*\)|`.*`", re.DOTALL)
MAX_UNKNOWN_WORD = 500
"""Characters of an unknown word in which a program's name is looked for."""
WINDOWS_SUFFIX = re.compile(r"\.(?:exe|cmd|bat)$", re.IGNORECASE)


def read_program_name(word: Word) -> str:
    """The last part of the program's path; empty when it cannot be known."""
    if word.known and not word.glob and word.text.isalnum():
        return word.text  # most are
    # The source of an unknown expansion may be very long, and the pattern below would go over all of it.
    if not word.known and len(word.text) > MAX_UNKNOWN_WORD:
        return ""
    # `$(...)` may hold slashes of its own, which are no part of the program's path.
    text = word.text if word.known else SUBSTITUTED.sub("$", word.text)
    name = text.rpartition("/")[2] if "/" in text else text
    # `[` is the test command, although it looks like the start of a character class.
    if word.glob and name not in ("[", "[["):
        return _match_disguised(name)
    if not word.known and (not name or "$" in name or "`" in name or "{}" in name):
        return ""
    return WINDOWS_SUFFIX.sub("", name) if "." in name else name


def _match_disguised(name: str) -> str:
    for known in DISGUISED_PROGRAMS if len(name) < 40 else ():
        if fnmatchcase(known, name):
            return known
    return ""
