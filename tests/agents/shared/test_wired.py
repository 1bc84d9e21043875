"""Whether an agent has entries of ours, on record and in its files."""

from synaptic.agents.shared.record import SetupChoices
from synaptic.agents.shared.wired import has_own_entry, list_wired_agents
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse, WorktreeCreate
from synaptic.setup.bootstrap import remove_bootstrap, run_bootstrap
from tests.packages.installation import options_for


def call(options, agent="copilot", kind=PreToolUse, **env):
    event = kind(hook_event_name=kind.__name__)
    return Call("1", agent, event, {}, env={"HOME": str(options.user_home), **env})


def test_an_agent_is_wired_from_its_installation_to_its_removal(tmp_path):
    options = options_for(tmp_path, choices=SetupChoices(agents=("copilot",)))
    assert list_wired_agents(options.home) == frozenset()
    run_bootstrap(options)
    assert list_wired_agents(options.home) == {"copilot"}
    assert has_own_entry(options.home, call(options))
    remove_bootstrap(options)
    assert list_wired_agents(options.home) == frozenset()
    assert not has_own_entry(options.home, call(options))


def test_only_an_event_that_has_an_entry_where_the_agent_looks_is_its_own(tmp_path):
    options = options_for(tmp_path, choices=SetupChoices(agents=("copilot",)))
    run_bootstrap(options)
    assert not has_own_entry(options.home, call(options, "cursor"))
    assert not has_own_entry(options.home, call(options, kind=WorktreeCreate))
    assert not has_own_entry(options.home, call(options, COPILOT_HOME=str(tmp_path)))
    assert not has_own_entry(options.home, call(options, HOME=""))


def test_a_file_that_nobody_put_on_record_silences_nothing(tmp_path):
    """A repository can set a hook's environment, and bring a file that looks like ours."""
    options = options_for(tmp_path, choices=SetupChoices(agents=("copilot",)))
    run_bootstrap(options)
    forged = tmp_path / "forged" / "hooks" / "synaptic.json"
    forged.parent.mkdir(parents=True)
    forged.write_bytes((options.user_home / ".copilot/hooks/synaptic.json").read_bytes())
    assert not has_own_entry(options.home, call(options, COPILOT_HOME=str(tmp_path / "forged")))
