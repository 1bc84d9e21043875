"""Code from another machine, run unseen."""

import re
from typing import Annotated

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.model.facts import Facts
from synaptic.parse.downloads import downloaded, file_of
from synaptic.parse.flow import FETCHERS, SOCKET, TANGLED, Flow, addresses, fetches, interpreter
from synaptic.parse.names import names
from synaptic.parse.shell.options import operands
from synaptic.parse.shell.script import Command, Script, Word
from synaptic.policies.base import FEWER, Policy
from synaptic.policies.reading import SHELLS, script

EVALUATES = frozenset({"eval", "source", ".", "iex", "invoke-expression"})
CODE = {
    "shell": re.compile(r"-\w*c\w*|-Command|-EncodedCommand|-enc", re.IGNORECASE),
    "language": re.compile(r"-\w*[ceEprm]|--(?:eval|print|run|execute)(?:=.*)?"),
}
VALUED = names("-o -O --rcfile --init-file -W -X -I -M -r -C --require")
INPUT = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
DESCRIPTOR = re.compile(r"/(?:proc/[^/]+|dev)/fd/.*")
DECODES = {
    "base64": re.compile(r"-\w*[dD]\w*|--decode"),
    "base32": re.compile(r"-\w*[dD]\w*|--decode"),
    "openssl": re.compile(r"-d"),
    "xxd": re.compile(r"-\w*r\w*"),
    "uudecode": re.compile(r""),
}
INSTALLERS = names("pip pip3 npm pnpm yarn uv gem go cargo")
SOURCES = FETCHERS | frozenset(DECODES) | INSTALLERS | {"scp", "rsync"}
LOUD = frozenset({"sudo", "doas", "env", "nohup"})
PACKAGE = re.compile(r"(?:git\+)?https?://\S+|git\+ssh://\S+|git://\S+")
INSTEAD = "Download it to a file, read it, and run it in a second command, or install it with a package manager."


class Remote(Policy):
    """Running code that was just downloaded.

    ## What it does
    Denies what another machine sends going straight into an interpreter: `curl ... | sh`, `bash <(curl ...)`,
    `eval "$(wget ...)"`, a file that the same command downloads and runs, and decoded text nobody can read
    (`base64 -d | sh`). Data is fine: `curl ... | jq`, `curl ... | python3 -m json.tool`. Asks when more commands feed
    one another than can be followed.
    ## Why
    Whoever answers that address decides what runs with the user's rights, and nobody has seen it.
    ## Known gaps
    Files downloaded by one command and run by a later one are not connected. Archives are not followed.
    """

    id = "code.remote"
    events = (PreToolUse,)
    tools = SHELLS
    priority = 23
    preset = "essentials"

    trusted: Annotated[tuple[str, ...], FEWER] = ()
    """Beginnings of addresses whose scripts may run, such as `https://sh.rustup.rs`."""
    packages: bool = False
    """Also ask before a package manager installs from an address instead of its index."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = script(event, facts)
        if found is None or not (script(event, facts, SOURCES) or SOCKET.search(found.text)):
            return None
        return self._piped(found) or self._kept(found) or (self._package(found) if self.packages else None)

    def _piped(self, found: Script) -> Verdict | None:
        """Interpreters whose code comes through a pipe, a substitution or a descriptor."""
        flow = Flow(found)
        strange = {command.index for command in found.commands if self._strange(command)}
        if not strange and DECODES.keys().isdisjoint(found.by_name):
            return None
        for command in found.commands:
            if not command.name and command.stages and any(one.index in strange for one in flow.origins(command)):
                return ask(f"What comes from another machine is given to an unknown program. {INSTEAD}")
            for one in _feeding(found, flow, command):
                if one.index in strange:
                    return deny(f"`{command.name}` would run what `{one.name}` fetches, unseen. {INSTEAD}")
                if (
                    command.stdin is None
                    and (form := DECODES.get(one.name))
                    and any(form.fullmatch(text) for text in one.args or ("",))
                ):
                    return deny(f"`{command.name}` would run decoded text that nobody can read. Write the command out.")
        return ask(TANGLED) if flow.tangled else None

    def _kept(self, found: Script) -> Verdict | None:
        """Interpreters whose code is a file that was downloaded before."""
        if not any(name.lower() in FETCHERS or name in ("scp", "rsync") for name in found.by_name):
            return None
        if not any(_script(command) for command in found.commands):
            return None
        for command, files in downloaded(found):
            run = _script(command)
            if run is not None and files and file_of(run.text, command) in files and not self._all_trusted(found):
                return deny(f"{run.text!r} was downloaded a moment ago and nobody has read it. {INSTEAD}")
        return None

    def _strange(self, command: Command) -> bool:
        return fetches(command) and not (self.trusted and all(a.startswith(self.trusted) for a in addresses(command)))

    def _all_trusted(self, found: Script) -> bool:
        return not any(self._strange(c) or c.name in ("scp", "rsync") for c in found.commands)

    def _package(self, found: Script) -> Verdict | None:
        for command in found.commands:
            if command.name in INSTALLERS and any(PACKAGE.fullmatch(text) for text in command.args):
                return ask(
                    f"`{command.name}` would install code from an address. Use a released version from the index."
                )
        return None


def _feeding(found: Script, flow: Flow, command: Command) -> list[Command]:
    """The commands whose output this one runs as code."""
    name, words = _loud(command)
    if name in EVALUATES:
        codes = [one for word in words for one in flow.sources(word)]
        return codes + (flow.origins(command) if name in ("iex", "invoke-expression") else [])
    if not (kind := interpreter(name)):
        return []
    given = [place for place, word in enumerate(words) if CODE[kind].fullmatch(word.text)]
    if given:
        if "xargs" in command.via and any(not word.known for word in words[given[0] + 1 :]):
            return flow.origins(command)
        return [one for word in words[given[0] + 1 : given[0] + 2] for one in flow.sources(word)]
    place = operands([Word(name), *words], VALUED) - 1
    if place < len(words) and words[place].text not in INPUT and "-s" not in (word.text for word in words[:place]):
        return _opened(found, flow, command, words[place])
    if any(SOCKET.match(redirect.target.text) for redirect in command.redirects if redirect.operator == "<"):
        return [command]
    duplicated = any(redirect.operator == "<&" for redirect in command.redirects)
    return [*flow.origins(command), *(found.commands[: command.index] if duplicated else ())]


def _opened(found: Script, flow: Flow, command: Command, word: Word) -> list[Command]:
    """The commands behind a script that is a substitution or an open descriptor."""
    if DESCRIPTOR.fullmatch(word.text):
        return list(found.commands[: command.index])
    return flow.sources(word)


def _loud(command: Command) -> tuple[str, tuple[Word, ...]]:
    """The program in lower case: where the file system ignores case, `SUDO BASH` runs."""
    name, words = command.name.lower(), command.argv[1:]
    while name != command.name and name in LOUD and words:
        name, words = words[0].text.lower(), words[1:]
    return name, words


def _script(command: Command) -> Word | None:
    """The file that a command runs: itself, or the script of an interpreter."""
    if "/" in command.argv[0].text:
        return command.argv[0]
    if command.name in EVALUATES:
        return command.argv[1] if len(command.argv) > 1 else None
    if not interpreter(command.name):
        return None
    place = operands(list(command.argv), VALUED)
    if command.name.lower() in ("pwsh", "powershell"):
        return command.argv[-1]
    return command.argv[place] if place < len(command.argv) else None
