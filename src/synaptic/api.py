"""What a Python program may use: the hooks of an event, and the state of a project."""

import os
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from synaptic.agents.shared.lineage import require_person
from synaptic.daemon import emit
from synaptic.daemon.lifecycle import find_home
from synaptic.hooks.project import find_root
from synaptic.policies.self.verbs import SPEAKING_EVENTS
from synaptic.store import sections
from synaptic.store.db import Store
from synaptic.work.command import CommandContext
from synaptic.work.state import (
    CHANGE_STATE,
    GetSection,
    ResetSection,
    SectionCommand,
    SetValue,
    change_section,
)

Values = dict[str, object]


def run_hooks(event: str, context: Mapping[str, Any], blocking_only: bool = False) -> dict[str, Any]:
    """Run every hook of an orchestrator's event, as `synaptic emit` does; returns the merged result.

    What can be derived may be left out of the context: `session_id`, `timestamp`, `repository_root`. A result with
    `error` means that the act must not happen; only events before the act can have one. `blocking_only` asks only the
    hooks that block.
    """
    cwd = str(context.get("cwd") or context.get("repository_root") or os.getcwd())  # noqa: PTH109
    # Only HOME of the environment: CLAUDE_PROJECT_DIR of a session around us would count before the context.
    root = find_root(context, {"HOME": os.environ.get("HOME", "")}, cwd)
    if event in SPEAKING_EVENTS:
        require_person(find_home(os.environ), emit.SPEAK_AS_USER)
    whole = emit.complete_context(event, context, root)
    emission = emit.Emission(event=event, context=whole, blocking_only=blocking_only)
    return emit.emit_through(find_home(os.environ), emission).result


class ProjectState:
    """The sections of one project. Every change is signed, and one transaction.

    ```python
    with ProjectState("/path/of/project") as state:
        state.get("circuit_breaker", "tripped")
        state.update("edits", lambda edits: {**edits, "count": edits["count"] + 1})
    ```
    """

    def __init__(self, folder: str = "") -> None:
        self.root = find_root({}, {"HOME": os.environ.get("HOME", "")}, os.path.abspath(folder or "."))  # noqa: PTH100
        self._store = Store.open(find_home(os.environ))
        self._context = CommandContext(self._store)

    def get(self, section: str, key: str = "") -> object:
        """A section with every field, or one value. Raises SynapticError for a name that is not known."""
        return GetSection(root=self.root, section=section, key=key).run(self._context)

    def set(self, section: str, key: str, value: object) -> Values:
        """Write one value; returns the section. Raises PersonError below an agent, as all that writes."""
        self._require_person()
        return SetValue(root=self.root, section=section, key=key, value=value).run(self._context).values

    def update(self, section: str, function: Callable[[Values], Values]) -> Values:
        """The section as the function makes it from the stored one: nobody else writes in between."""
        self._require_person()
        return change_section(self._context, SectionCommand(root=self.root, section=section), function).values

    def reset(self, section: str) -> Values:
        """Back to the defaults."""
        self._require_person()
        return ResetSection(root=self.root, section=section).run(self._context).values

    def all(self) -> Values:
        """Every section, as the mirror shows them."""
        return sections.read_sections(self._store, self.root)

    def close(self) -> None:
        """Close the database."""
        self._store.close()

    def _require_person(self) -> None:
        require_person(self._context.home, CHANGE_STATE)

    def __enter__(self) -> "ProjectState":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
