"""OpenSSH: the command it runs on the other machine, and those its options make it run on this one."""

import re

from synaptic.shell.programs.options import letter_values, operands, takes_value
from synaptic.shell.read.evaluate import Evaluation, Handler
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import Call

SSH = frozenset(f"-{letter}" for letter in "BbcDEeFIiJLlmOopQRSWw")
SCP = frozenset(f"-{letter}" for letter in "cDFiJloPSX")
SFTP = frozenset(f"-{letter}" for letter in "BbcDFiJloPRSsX")
LOCAL = re.compile(r"\s*(ProxyCommand|LocalCommand|KnownHostsCommand)(?:\s*=\s*|\s+)(.+)", re.IGNORECASE | re.DOTALL)
"""Settings whose value OpenSSH starts on this machine."""


def ssh(shell: Evaluation, call: Call) -> str | None:
    valued = SSH | {"-M"} if call.name == "autossh" else SSH
    place = operands(call.words, valued)
    words = call.words[place + 1 :]
    while words and words[0].text[:1] == "-" and len(words) > 1:
        words = words[2:] if takes_value(words[0].text, valued) else words[1:]
    _settings(shell, call.words[1 : len(call.words) - len(words)], SSH, call.name)
    there(shell, call, words, "ssh")
    return None


def there(shell: Evaluation, call: Call, words: list[Word], label: str) -> None:
    """Words that a shell on another machine joins and runs with the input of this command; without any, the input."""
    if not words and call.stdin is None:
        return
    text = " ".join(word.text for word in words) if words else call.stdin or ""
    where = shell.place(words[0]) if len(words) == 1 else None
    with shell.reading(call.stdin if words else None), shell.apart():
        shell.cwd = ""
        shell.code(text, label, where)


def _settings(shell: Evaluation, words: list[Word], valued: frozenset[str], name: str) -> None:
    for value in letter_values(words, valued, "o"):
        found = LOCAL.fullmatch(value.text)
        if found and found[2].strip().lower() != "none":
            shell.code(found[2], f"{name} -o {found[1]}")


def scp(shell: Evaluation, call: Call) -> str | None:
    _settings(shell, call.words[1:], SCP, call.name)
    return None


def sftp(shell: Evaluation, call: Call) -> str | None:
    _settings(shell, call.words[1:], SFTP, call.name)
    return None


OPENSSH: dict[str, Handler] = {"ssh": ssh, "autossh": ssh, "scp": scp, "sftp": sftp}
