"""Whether a person typed a command: some things an agent may ask for and not do."""

import os
from collections.abc import Mapping

from synaptic.model.errors import SynapticError

AGENTS: Mapping[str, str] = {
    "CLAUDECODE": "claude",
    "CODEX_THREAD_ID": "codex",
    "CODEX_SESSION_ID": "codex",
    "CODEX_SANDBOX": "codex",
    "QWEN_CODE": "qwen",
    "GEMINI_CLI": "gemini",
    "COPILOT_CLI": "copilot",
    "OPENCODE": "opencode",
    "CLINE_CONNECTOR_CLI_LAUNCH": "cline",
    "CURSOR_AGENT": "cursor",
}
"""Variables that agents set for the commands they run. droid sets none by which it could be told."""


def agents_variable() -> str:
    """The variable that says that an agent's shell runs this; nothing for a person's."""
    return next((name for name in AGENTS if os.environ.get(name)), "")


def by_a_person(what: str) -> None:
    """Raises where an agent's own shell says that it is one."""
    if found := agents_variable():
        raise SynapticError(f"an agent may not {what} ({found} is set)", hint="type it in a terminal of your own")
