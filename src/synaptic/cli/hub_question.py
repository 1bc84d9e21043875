"""What `--hub` asks: the filters of the local verbs as the hub understands them, and who asks with which token."""

import os
from typing import Any

from synaptic.cli.place import find_place
from synaptic.hub.client import PersonClient, read_access
from synaptic.model.decision import Kind
from synaptic.model.errors import SynapticError
from synaptic.store.journal_filter import JournalFilter

MOST_ROWS = 500
"""Of one question."""
KINDS: dict[frozenset[Kind], str] = {
    frozenset(): "",
    frozenset({Kind.DENY}): "deny",
    frozenset({Kind.ASK}): "ask",
    frozenset({Kind.REWRITE}): "rewrite",
    frozenset({Kind.DENY, Kind.ASK}): "refused",
}


def open_hub() -> PersonClient:
    """Raises SynapticError where no hub is set up."""
    return PersonClient(read_access(find_place().home, os.environ))


def make_question(chosen: JournalFilter, words: tuple[str, ...] = ()) -> dict[str, Any]:
    """The filters as the hub's question. Raises SynapticError for what a hub cannot be asked."""
    kind = KINDS.get(frozenset(chosen.kinds))
    if kind is None:
        raise SynapticError("the hub finds one kind at a time", hint="one of --denied, --asked, --rewritten")
    if chosen.failed:
        raise SynapticError("the hub cannot look for what failed", hint="without --failed; or on the host itself")
    texts = (*words, chosen.grep, shorten_home(chosen.project))
    return {
        "kind": kind,
        "since": chosen.since,
        "until": chosen.until,
        "session": chosen.session,
        "agent": _require_one(chosen.agents, "--agent"),
        "tool": _require_one(chosen.tools, "--tool"),
        "policy": _require_one(chosen.policies, "--policy"),
        "q": " ".join(text for text in texts if text),
    }


def shorten_home(project: str) -> str:
    """A project as hosts ship it: the home folder is `~`."""
    home = os.environ.get("HOME", "").rstrip("/")
    return f"~{project.removeprefix(home)}" if home and project.startswith(f"{home}/") else project


def _require_one(names: tuple[str, ...], option: str) -> str:
    if len(names) > 1 or any(sign in name for name in names for sign in "*?["):
        raise SynapticError(f"the hub takes one {option}, and no pattern", hint=f"{option} NAME")
    return names[0] if names else ""
