"""Code from another machine, run unseen."""

import re
from typing import Annotated

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import FEWER, Policy
from synaptic.policies.code.feeding import LOUD_WRAPPERS, find_code_sources
from synaptic.policies.facts import Facts
from synaptic.policies.reading import SHELL_TOOLS, get_script, select_commands
from synaptic.shell.book.entries import find_program, list_names_with, list_names_with_role
from synaptic.shell.effects.addresses import SHELL_SOCKET, fetches_data, find_addresses, prints_service_data
from synaptic.shell.effects.downloads import iter_downloads, make_file_key
from synaptic.shell.effects.flow import TANGLED_MESSAGE, DataFlow, classify_interpreter
from synaptic.shell.effects.powershell import POWERSHELL_PROGRAMS as POWERSHELL
from synaptic.shell.effects.powershell import find_evaluated_addresses
from synaptic.shell.read.script import Command, Script, Word

DECODERS = list_names_with("decodes") | list_names_with_role("decode")
COPIERS = list_names_with("copies_remote")
SERVICES = list_names_with("serves")
SOURCE_PROGRAMS = list_names_with("fetches") | SERVICES | DECODERS | list_names_with("installs") | COPIERS
PACKAGE = re.compile(r"(?:git\+)?https?://\S+|git\+ssh://\S+|git://\S+")
INSTEAD = "Download it to a file, read it, and run it in a second command, or install it with a package manager."


class RemoteCode(Policy):
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
    tools = SHELL_TOOLS
    priority = 23
    preset = "essentials"

    trusted: Annotated[tuple[str, ...], FEWER] = ()
    """Beginnings of addresses whose scripts may run, such as `https://sh.rustup.rs`."""
    packages: bool = False
    """Also ask before a package manager installs from an address instead of its index."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts)
        if found is None:
            return None
        if get_script(event, facts, POWERSHELL) and any(map(self._is_untrusted, find_evaluated_addresses(found))):
            return deny(f"PowerShell would run what it fetches, unseen. {INSTEAD}")
        # Nothing is fetched: no need to follow what feeds what.
        if not (get_script(event, facts, SOURCE_PROGRAMS) or SHELL_SOCKET.search(found.text)):
            return None
        piped = self._judge_pipes(found) if any(map(_may_run, found.by_name)) else None
        return piped or self._judge_downloads(found) or (self._judge_packages(found) if self.packages else None)

    def _judge_pipes(self, found: Script) -> Verdict | None:
        """Interpreters whose code comes through a pipe, a substitution or a descriptor."""
        flow = DataFlow(found)
        strange = {command.index for command in found.commands if self._is_untrusted_fetch(command)}
        served = {command.index for command in select_commands(found, SERVICES) if prints_service_data(command)}
        if not (strange or served) and DECODERS.isdisjoint(found.by_name):
            return None
        for command in found.commands:
            # A program whose name is in a variable may be a shell.
            if not command.name and command.stages and any(one.index in strange for one in flow.find_origins(command)):
                return ask(f"What comes from another machine is given to an unknown program. {INSTEAD}")
            for one in find_code_sources(found, flow, command):
                if one.index in strange or one.index in served:
                    return deny(f"`{command.name}` would run what `{one.name}` fetches, unseen. {INSTEAD}")
                if command.stdin is None and _is_decoding(one):
                    return deny(f"`{command.name}` would run decoded text that nobody can read. Write the command out.")
        return ask(TANGLED_MESSAGE) if flow.is_tangled else None

    def _judge_downloads(self, found: Script) -> Verdict | None:
        """Interpreters whose code is a file that was downloaded before."""
        if not any(_may_download(name) for name in found.by_name):
            return None
        if not _may_run_files(found):
            return None
        for command, files in iter_downloads(found):
            run = _find_script(command)
            if run is not None and files and make_file_key(run.text, command) in files and not self._all_trusted(found):
                return deny(f"{run.text!r} was downloaded a moment ago and nobody has read it. {INSTEAD}")
        return None

    def _is_untrusted_fetch(self, command: Command) -> bool:
        if not fetches_data(command):
            return False
        asked = list(find_addresses(command)) if self.trusted else []
        return not asked or not all(address.startswith(self.trusted) for address in asked)

    def _is_untrusted(self, asked: tuple[str, ...]) -> bool:
        return not (self.trusted and asked and all(address.startswith(self.trusted) for address in asked))

    def _all_trusted(self, found: Script) -> bool:
        return not any(self._is_untrusted_fetch(c) or c.name in COPIERS for c in found.commands)

    def _judge_packages(self, found: Script) -> Verdict | None:
        for command in found.commands:
            if find_program(command.name).installs and any(PACKAGE.fullmatch(text) for text in command.args):
                return ask(
                    f"`{command.name}` would install code from an address. Use a released version from the index."
                )
        return None


def _may_run(name: str) -> bool:
    """Whether a program of this name may run what it is given as code; one without a name may be anything."""
    low = name.lower()
    return (
        not name
        or name == "-"
        or low in LOUD_WRAPPERS
        or find_program(name).evaluates
        or bool(classify_interpreter(name))
    )


def _may_run_files(found: Script) -> bool:
    """Whether there is a program that is run by its path, or one that runs a file."""
    if "" in found.by_name or any("/" in word for word in found.first_words):
        return True
    return any(find_program(name).evaluates or classify_interpreter(name) for name in found.by_name)


def _may_download(name: str) -> bool:
    program = find_program(name)
    return program.fetches or program.copies_remote


def _is_decoding(command: Command) -> bool:
    program = find_program(command.name)
    return program.decodes or program.read(command.argv[1:]).has_role("decode")


def _find_script(command: Command) -> Word | None:
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
