"""Why an agent might run no hook: each cause is made, seen, and told with what to do."""

import json

import pytest

from synaptic.agents.shared.discover import find_agent, list_agent_names, load_agents
from synaptic.agents.shared.record import SetupChoices
from synaptic.setup.agent_health import examine_agent
from synaptic.setup.bootstrap import make_plan, run_bootstrap
from synaptic.setup.settings import ensure_token
from tests.packages.installation import options_for

FOREIGN = [agent for agent in list_agent_names() if agent != "claude"]


@pytest.fixture
def told(tmp_path):
    def install(agent, **more):
        options = options_for(tmp_path, choices=SetupChoices(agents=(agent,), trust=True, **more))
        run_bootstrap(options)
        return options

    return install


def remarks(options, agent):
    return list(examine_agent(options, find_agent(agent), make_plan(options, ensure_token(options.home))))


def failures(options, agent):
    return [remark for remark in remarks(options, agent) if remark.state == "fail"]


@pytest.mark.parametrize("agent", FOREIGN)
def test_a_good_installation_has_no_fault_and_names_what_no_hook_sees(told, agent):
    options = told(agent)
    found = remarks(options, agent)
    assert {remark.state for remark in found} == {"ok"}
    assert any(hole in remark.seen for remark in found for hole in find_agent(agent).unseen)


@pytest.mark.parametrize("agent", FOREIGN)
def test_missing_entries_are_a_fault_that_bootstrap_repairs(told, agent):
    options = told(agent)
    place = find_agent(agent).folder.locate(options.environment)
    for file in [path for path in place.rglob("*") if path.is_file() and path.name != "config.toml"]:
        file.unlink()
    faults = failures(options, agent)
    assert faults
    assert any(remark.ours and remark.fix == "synaptic bootstrap" for remark in faults)
    run_bootstrap(options)
    assert failures(options, agent) == []


def test_an_outdated_entry_and_a_broken_file_are_told_apart(told):
    options = told("gemini")
    path = options.user_home / ".gemini/settings.json"
    text = path.read_text()
    path.write_text(text.replace("600000", "5"))
    assert any("outdated entry for BeforeTool" in fault.seen for fault in failures(options, "gemini"))
    path.write_text("{ broken")
    assert any("invalid JSON" in fault.seen for fault in failures(options, "gemini"))


@pytest.mark.parametrize(
    ("agent", "switch"), [(one.name, switch) for one in load_agents() for switch in one.switches], ids=str
)
def test_every_switch_that_stops_hooks_is_seen(told, agent, switch):
    options = told(agent)
    path = find_agent(agent).locate_file(switch.file, options.environment)
    if path.suffix == ".toml":
        path.write_text(f"[{switch.keys[0]}]\n{switch.keys[1]} = false\n" + path.read_text())
    else:
        value = json.loads(path.read_text()) if path.exists() else {}
        inner = value
        for key in switch.keys[:-1]:
            inner = inner.setdefault(key, {})
        inner[switch.keys[-1]] = [switch.value] if isinstance(switch.value, str) else switch.value
        path.write_text("// a comment is no obstacle\n" * (agent in ("gemini", "qwen", "amp")) + json.dumps(value))
    seen = [remark for remark in remarks(options, agent) if f"{switch.keys[-1]}` {switch.told}" in remark.seen]
    assert [remark.state for remark in seen] == [switch.state]


def test_codex_without_an_agreement_is_a_fault_with_what_to_type(tmp_path):
    options = options_for(tmp_path, choices=SetupChoices(agents=("codex",)))
    run_bootstrap(options)
    (fault,) = failures(options, "codex")
    assert "skips 12 of 12 entries" in fault.seen
    assert "`/hooks`" in fault.fix
    assert "--trust" in fault.fix


def test_an_event_that_cursor_does_not_know_spoils_its_whole_file(told):
    options = told("cursor")
    path = options.user_home / ".cursor/hooks.json"
    value = json.loads(path.read_text())
    value["hooks"]["PreToolUse"] = []
    path.write_text(json.dumps(value))
    (fault,) = failures(options, "cursor")
    assert "'PreToolUse'" in fault.seen
