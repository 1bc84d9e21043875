"""The real Claude Code with `synaptic mcp`: an agent asks, appeals and looks, and is refused as before."""

import json
import sys

import pytest

from synaptic.store import grants, refused
from synaptic.store.db import Store
from synaptic.store.refused import RefusedCall
from tests.clients.claude import ALLOWED, Session
from tests.clients.script import DONE, Rule, Use, bash
from tests.integrations.frameworks import ROOT, require_framework

pytestmark = pytest.mark.client
PUSH = "git push --force origin main"


def find_refusals(session: Session) -> tuple[RefusedCall, ...]:
    store = Store.open(session.synaptic_home)
    try:
        assert grants.list_grants(store) == ()
        return refused.list_refused(store)
    finally:
        store.close()


def test_an_agent_asks_appeals_looks_and_is_refused_as_before(session: Session):
    framework = require_framework("mcp")
    session.settings({"permissions": {"allow": [*ALLOWED["permissions"]["allow"], "mcp__synaptic"]}})
    session.bootstrap()
    session.run(Rule((bash(PUSH), DONE)))
    (call,) = find_refusals(session)
    server = {
        "command": sys.executable,
        "args": ["-m", "synaptic.cli.main", "mcp"],
        "env": {"PYTHONPATH": f"{framework}:{ROOT}", "HOME": str(session.home)},
    }
    file = session.folder / "servers.json"
    file.write_text(json.dumps({"mcpServers": {"synaptic": server}}))
    turns = (
        (Use("mcp__synaptic__check", {"would_run": PUSH}),),
        (Use("mcp__synaptic__appeal", {"refusal": call.code, "why": "the branch is mine"}),),
        (Use("mcp__synaptic__inbox_status", {}),),
        bash(PUSH),
        DONE,
    )
    ran = session.run(Rule(turns), args=("--mcp-config", str(file), "--strict-mcp-config"))
    checked, filed, status, again = ran.results
    assert '"decision":"deny"' in checked.text
    assert "go on with other work" in filed.text
    assert '"answer":"none yet","appealed":true' in status.text
    assert again.is_error
    assert call.code in again.text
    (after,) = find_refusals(session)
    assert (after.appeal, after.answer) == ("the branch is mine", "")
