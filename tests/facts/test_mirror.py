import asyncio
from pathlib import Path

from synaptic.facts.gather import EngineMeans, gather_facts
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse
from synaptic.model.home import Home
from synaptic.model.sane import MirroredFiles
from synaptic.runners.execute import HookRunners
from synaptic.store import mirror
from synaptic.store.db import Store


def test_the_files_are_looked_at_when_a_policy_needs_it(tmp_path: Path) -> None:
    means = EngineMeans(Store.open(Home(tmp_path / "home")), HookRunners(tmp_path / "spool"))

    def found(root: str) -> MirroredFiles:
        event = PreToolUse(hook_event_name="PreToolUse", session_id="s", tool_name="Bash")
        call = Call("c", "claude", event, {}, root=root, at=5.0, env={})
        return asyncio.run(gather_facts(call, frozenset({"mirror"}), means)).mirror

    assert found(str(tmp_path)) == MirroredFiles("missing", "missing")
    mirror.write_mirror(means.store, str(tmp_path))
    assert found(str(tmp_path)) == MirroredFiles("genuine", "missing")
    assert found("") == MirroredFiles()
