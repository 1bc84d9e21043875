"""Code from another machine, run unseen."""

import re
from typing import Annotated

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import FEWER, Policy
from synaptic.policies.code.feeding import LOUD, feeding
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELLS, named, script
from synaptic.shell.book.entries import find_program, names_with, names_with_role
from synaptic.shell.effects.addresses import SOCKET, fetches, find_addresses, serves
from synaptic.shell.effects.downloads import downloaded, file_of
from synaptic.shell.effects.flow import TANGLED, Flow, interpreter
from synaptic.shell.effects.powershell import PROGRAMS as POWERSHELL
from synaptic.shell.effects.powershell import evaluated
from synaptic.shell.read.script import Command, Script, Word

DECODERS = names_with("decodes") | names_with_role("decode")
COPIERS = names_with("copies_remote")
SERVICES = names_with("serves")
SOURCES = names_with("fetches") | SERVICES | DECODERS | names_with("installs") | COPIERS
PACKAGE = re.compile(r"(?:git\+)?https?://\S+|git\+ssh://\S+|git://\S+")
INSTEAD = "Download it to a file, read it, and run it in a second command, or install it with a package manager."


class Remote(Policy):
    """Running code that was just downloaded.

    ## What it does
    Denies what another machine sends going straight into an interpreter: `curl ... | sh`, `bash <(curl ...)`,
    `eval "$(wget ...)"`, `iex (iwr ...)`, `gh api ... | sh`, `ssh host cat x | sh`, a file that the same command
    downloads, also through filters (`curl ... | tee x.sh; sh x.sh`), and runs, and decoded text nobody can read
    (`base64 -d | sh`). Data is fine: `curl ... | jq`, `curl ... | python3 -m json.tool`.
    Asks when more commands feed one another than can be followed.
    ## Why
    Whoever answers that address decides what runs with the user's rights, and nobody has seen it.
    ## Known gaps
    Files downloaded by one command and run by a later one are not connected. Archives are not followed, nor are
    files that a whole group of commands writes (`{ curl ...; } > x.sh`).
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
        if found is None:
            return None
        if script(event, facts, POWERSHELL) and any(map(self._unknown, evaluated(found))):
            return deny(f"PowerShell would run what it fetches, unseen. {INSTEAD}")
        # Nothing is fetched: no need to follow what feeds what.
        if not (script(event, facts, SOURCES) or SOCKET.search(found.text)):
            return None
        piped = self._piped(found) if any(map(_may_run, found.by_name)) else None
        return piped or self._kept(found) or (self._package(found) if self.packages else None)

    def _piped(self, found: Script) -> Verdict | None:
        """Interpreters whose code comes through a pipe, a substitution or a descriptor."""
        flow = Flow(found)
        strange = {command.index for command in found.commands if self._strange(command)}
        served = {command.index for command in named(found, SERVICES) if serves(command)}
        if not (strange or served) and DECODERS.isdisjoint(found.by_name):
            return None
        for command in found.commands:
            # A program whose name is in a variable may be a shell.
            if not command.name and command.stages and any(one.index in strange for one in flow.origins(command)):
                return ask(f"What comes from another machine is given to an unknown program. {INSTEAD}")
            for one in feeding(found, flow, command):
                if one.index in strange or one.index in served:
                    return deny(f"`{command.name}` would run what `{one.name}` fetches, unseen. {INSTEAD}")
                if command.stdin is None and _decodes(one):
                    return deny(f"`{command.name}` would run decoded text that nobody can read. Write the command out.")
        return ask(TANGLED) if flow.tangled else None

    def _kept(self, found: Script) -> Verdict | None:
        """Interpreters whose code is a file that was downloaded before."""
        if not any(_may_download(name) for name in found.by_name):
            return None
        if not _may_run_files(found):
            return None
        for command, files in downloaded(found):
            run = _script(command)
            if run is not None and files and file_of(run.text, command) in files and not self._all_trusted(found):
                return deny(f"{run.text!r} was downloaded a moment ago and nobody has read it. {INSTEAD}")
        return None

    def _strange(self, command: Command) -> bool:
        if not fetches(command):
            return False
        asked = list(find_addresses(command)) if self.trusted else []
        return not asked or not all(address.startswith(self.trusted) for address in asked)

    def _unknown(self, asked: tuple[str, ...]) -> bool:
        return not (self.trusted and asked and all(address.startswith(self.trusted) for address in asked))

    def _all_trusted(self, found: Script) -> bool:
        return not any(self._strange(c) or c.name in COPIERS for c in found.commands)

    def _package(self, found: Script) -> Verdict | None:
        for command in found.commands:
            if find_program(command.name).installs and any(PACKAGE.fullmatch(text) for text in command.args):
                return ask(
                    f"`{command.name}` would install code from an address. Use a released version from the index."
                )
        return None


def _may_run(name: str) -> bool:
    """Whether a program of this name may run what it is given as code; one without a name may be anything."""
    low = name.lower()
    return not name or name == "-" or low in LOUD or find_program(name).evaluates or bool(interpreter(name))


def _may_run_files(found: Script) -> bool:
    """Whether there is a program that is run by its path, or one that runs a file."""
    if "" in found.by_name or any("/" in command.argv[0].text for command in found.commands):
        return True
    return any(find_program(name).evaluates or interpreter(name) for name in found.by_name)


def _may_download(name: str) -> bool:
    program = find_program(name)
    return program.fetches or program.copies_remote


def _decodes(command: Command) -> bool:
    program = find_program(command.name)
    return program.decodes or program.read(command.argv[1:]).has_role("decode")


def _script(command: Command) -> Word | None:
    """The file that a command runs: itself, or the script of an interpreter."""
    if "/" in command.argv[0].text or not command.name:
        return command.argv[0]
    program = find_program(command.name)
    if program.evaluates:
        return command.argv[1] if len(command.argv) > 1 else None
    if not (program.shell or program.language):
        return None
    if program.name == "pwsh":
        return command.argv[-1]
    return next(iter(program.read(command.argv[1:]).operands), None)
