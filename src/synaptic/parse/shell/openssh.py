"""OpenSSH: the command it runs on the other machine, and those its options make it run on this one."""

import re

from synaptic.parse.shell.evaluate import Evaluation, Handler
from synaptic.parse.shell.options import letter_values, operands, takes_value
from synaptic.parse.shell.script import Word
from synaptic.parse.shell.state import Call

SSH = frozenset(f"-{letter}" for letter in "BbcDEeFIiJLlmOopQRSWw")
SCP = frozenset(f"-{letter}" for letter in "cDFiJloPSX")
SFTP = frozenset(f"-{letter}" for letter in "BbcDFiJloPRSsX")
LOCAL = re.compile(r"\s*(ProxyCommand|LocalCommand|KnownHostsCommand)(?:\s*=\s*|\s+)(.+)", re.IGNORECASE | re.DOTALL)
"""Settings whose value OpenSSH starts on this machine."""


def ssh(shell: Evaluation, call: Call) -> str | None:
    place = operands(call.words, SSH)
    words = call.words[place + 1 :]
    while words and words[0].text[:1] == "-" and len(words) > 1:
        words = words[2:] if takes_value(words[0].text, SSH) else words[1:]
    _settings(shell, call.words[1 : len(call.words) - len(words)], SSH, call.name)
    if words:
        where = shell.place(words[0]) if len(words) == 1 else None
        kept, shell.cwd = shell.cwd, ""
        shell.code(" ".join(word.text for word in words), "ssh", where)
        shell.cwd = kept
    elif call.stdin is not None:
        shell.code(call.stdin, "ssh")
    return None


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
