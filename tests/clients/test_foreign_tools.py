"""Tools of the true clients that would slip past a table of names: each call is judged as what it does."""

from collections.abc import Mapping

import pytest

from synaptic.verification.driver import Driver, Stage
from synaptic.verification.drivers.cline import ClineDriver
from synaptic.verification.drivers.copilot import CopilotDriver
from synaptic.verification.drivers.opencode import FOLDER, OpenCodeDriver
from tests.clients.kit.agents import PinnedClient
from tests.clients.kit.driver import Run, User
from tests.clients.kit.situation import arrange
from tests.clients.script import Turn, Use
from tests.clients.test_conformance import installed

pytestmark = pytest.mark.client

MODEL = "gpt-5.5-codex"
"""Its name decides that clients offer patches instead of edits."""
WORD = "forbidden-word-1"


class PatchingCopilot(CopilotDriver):
    """With a model of OpenAI, in a folder that the user trusts."""

    def variables(self, stage: Stage) -> dict[str, str]:
        return {**super().variables(stage), "COPILOT_MODEL": MODEL, "COPILOT_ALLOW_ALL": "true"}


class PatchingOpenCode(OpenCodeDriver):
    def prepare(self, stage: Stage) -> None:
        super().prepare(stage)
        settings = stage.home / FOLDER / "opencode.json"
        settings.write_text(settings.read_text().replace("fake-model", MODEL))


class PatchingCline(ClineDriver):
    def command(self, stage: Stage, prompt: str) -> list[str]:
        return [MODEL if word == "fake-model" else word for word in super().command(stage, prompt)]


PATCHING: Mapping[str, type[Driver]] = {
    "copilot": PatchingCopilot,
    "opencode": PatchingOpenCode,
    "cline": PatchingCline,
}


def make_client(agent: str) -> PinnedClient:
    client = PinnedClient(agent)
    if agent in PATCHING:
        client.driver = PATCHING[agent]()
    return client


@pytest.fixture
def user(request):
    with installed(request.param):
        made = User(make_client(request.param))
    arrange(made)
    yield made
    made.close()


def run(user: User, *turns: Turn) -> Run:
    user.session.synaptic("bootstrap", *user.driver.bootstrap)
    user.session.trust()
    return user.run(*turns)


def patch(user: User, text: str) -> Turn:
    return (Use("apply_patch", {"patchText" if user.driver.name == "opencode" else "input": text}),)


LOOSE = {
    "copilot": "*** Begin Patch\n*** Add File: {}\n+x\n*** End Patch\n",
    "opencode": "*** Begin Patch\n*** Add File:{}\n+x\n*** End Patch\n",
    "cline": "*** Add File: {}\n+x\n",
}
"""As loosely as each client reads it."""


@pytest.mark.parametrize("user", LOOSE, indirect=True)
def test_a_patch_is_judged_by_the_files_it_names(user):
    form, closed = LOOSE[user.driver.name], user.home / ".synaptic" / "hooks" / "closed.txt"
    run(user, patch(user, form.format("open.txt")), patch(user, form.format(closed)))
    assert (user.project / "open.txt").exists()
    assert not closed.exists()
    assert [(entry.tool, entry.decision.kind) for entry in user.session.journal("PreToolUse")] == [
        ("Write", "none"), ("Write", "deny"),
    ]  # fmt: skip


SHELLS = {
    "cline": ({"commands": ["echo '", f"touch {WORD}", "echo '"]}, {"cmd": "true", "command": f"touch {WORD}"}),
    "qwen": ({"name": "monitor", "arguments": {"command": f"touch {WORD}", "description": "step"}},),
}
RUNNERS = {"cline": "run_commands", "qwen": "tool_call"}


@pytest.mark.parametrize("user", SHELLS, indirect=True)
def test_every_way_to_run_a_command_is_a_shell_call(user):
    name = user.driver.name
    run(user, *((Use(RUNNERS[name], given),) for given in SHELLS[name]))
    assert not (user.project / WORD).exists()
    found = [(entry.tool, entry.decision.kind) for entry in user.session.journal("PreToolUse")]
    assert found == [("Bash", "deny")] * len(SHELLS[name])


@pytest.mark.parametrize("user", ["copilot"], indirect=True)
def test_an_agent_that_runs_claudes_entries_too_is_judged_once_and_never_not_at_all(user):
    """Its own entry judges; once that is gone, the entry in the project's `.claude/settings.json` does."""
    user.session.synaptic("bootstrap", "--agent", "claude", *user.driver.bootstrap)
    user.session.project_settings({})
    (user.project / ".claude" / "settings.json").write_bytes((user.home / ".claude" / "settings.json").read_bytes())
    user.session.trust()
    for _ in range(2):
        before = len(user.session.journal("PreToolUse"))
        user.run((user.driver.shell(f"touch {WORD}"),))
        (entry,) = user.session.journal("PreToolUse")[before:]
        assert (entry.agent, entry.decision.kind) == ("copilot", "deny")
        assert not (user.project / WORD).exists()
        (user.home / ".copilot" / "hooks" / "synaptic.json").unlink(missing_ok=True)
