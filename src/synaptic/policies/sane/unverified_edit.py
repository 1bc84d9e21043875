"""Turns that end with changed code that nothing has checked."""

import re
from typing import Annotated

from synaptic.model.decision import Verdict, deny, record
from synaptic.model.event import Event, PostToolUse, Stop
from synaptic.model.state import Change
from synaptic.policies.base import ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.sane.known import VERIFICATION_SECTION
from synaptic.policies.sane.outcome import find_failure, is_interrupted
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Script

TALKERS = split_names("echo printf cat less head tail grep egrep rg ag sed awk git find ls which man")
"""Programs that name such commands and run none of them."""
NO_RUN_WORDS = split_names("install i add get remove uninstall download show --version --help -V -h")
"""Among the first words of a command: it fetches such a program, or asks about it, and runs none."""
LEADING_WORDS = 3
"""`python -m pip install pytest`."""
DOCUMENTS = (".md", ".txt", ".mdx", ".rst", ".adoc")
CHECK_COMMAND = re.compile(
    r"\b(?:pytest|unittest|tox|nox|(?:npm|pnpm|yarn|bun)(?: run)? (?:test|check|lint|build)|jest|vitest|mocha"
    r"|go (?:test|vet|build)|cargo (?:test|check|build|clippy)|make(?: \w+)*|mvn|gradlew?|xcodebuild"
    r"|swift (?:test|build)|ruff|mypy|pyright|tsc|eslint|rspec|rake|phpunit|ctest"
    r"|dotnet (?:test|build)|mix test|self-test)\b"
)


class UnverifiedEdit(Policy):
    """Turns that end with changed code that nothing has checked.

    ## What it does
    With `demand` on, an agent that edited code and wants to stop before a test or build command succeeded is asked to
    go on and run one. It asks once a turn, and the cap on consecutive stop blocks holds as well. Documents are exempt.
    ## Why
    "Done" should mean that somebody has looked.
    ## Known gaps
    A verification is known by the name of its command, and files that shell commands write are not seen.
    """

    id = "sane.unverified-edit"
    events = (PostToolUse, Stop)
    priority = 42
    preset = "strict"
    needs = (VERIFICATION_SECTION,)

    demand: Annotated[bool, ON] = False
    """Keep the agent from stopping; without it nothing happens."""

    def check(self, event: Event, facts: Facts) -> Verdict | None:
        if not self.demand:
            return None
        if isinstance(event, PostToolUse):
            return _count_edit(event, facts)
        edits = facts.state.read_number(VERIFICATION_SECTION, "edits")
        if not edits or not isinstance(event, Stop) or event.stop_hook_active:
            return None
        return deny(f"{edits:.0f} edits since the last test or build. Run the project's checks, then finish.")


def _count_edit(event: PostToolUse, facts: Facts) -> Verdict | None:
    if find_failure(event) or is_interrupted(event):
        return None
    file = next(iter(event.tool.paths), "")
    # Text for people has no test that could fail.
    if event.tool.is_edit and not file.endswith(DOCUMENTS):
        return record(Change(section=VERIFICATION_SECTION, add={"edits": 1}))
    if facts.state.read_number(VERIFICATION_SECTION, "edits") and facts.command and _runs_checks(facts.command.script):
        return record(Change(section=VERIFICATION_SECTION, put={"edits": 0}))
    return None


def _runs_checks(script: Script) -> bool:
    """Whether a test or a build runs."""
    return any(
        CHECK_COMMAND.search(" ".join((command.name, *command.args)))
        for command in script.commands
        if command.name not in TALKERS and NO_RUN_WORDS.isdisjoint(command.args[:LEADING_WORDS])
    )
