import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.hooks.config import (
    AskConfig,
    Config,
    GrantsConfig,
    HttpConfig,
    HubConfig,
    ShipConfig,
    instantiate_policies,
    is_enabled,
    parse_config_text,
)
from synaptic.model.presets import PRESETS
from synaptic.policies.audit.tool_use import ToolUse
from synaptic.policies.base import load_policies


def test_an_empty_config_sets_nothing():
    settings = parse_config_text(b"", "c.toml")
    assert settings.values == {}
    assert settings.problems == ()
    assert Config(**settings.values) == Config()


def test_every_key_can_be_set():
    text = b"""
presets = ["essentials", "sane"]
trust = "all"
journal = "structure"
retention_days = 7
environment = "dev"
channel = "develop"
agents = "claude,codex"
fail = "closed"
stop_cap = 3
[http]
enabled = true
port = 9000
[grants]
never = ["git.*"]
pin = "always"
[ask]
wait = 20
notify = "bell"
[ship]
contents = "full"
jsonl = "/var/log/agents.jsonl"
[hub]
grants = ["git.*"]
longest = 600
[modes]
"@practice" = "shadow"
[policies."audit.tool-use"]
enabled = true
longest = 80
"""
    settings = parse_config_text(text, "c.toml")
    assert settings.problems == ()
    config = Config(**settings.values)
    assert set(settings.values) == set(Config.__struct_fields__)
    assert (config.presets, config.trust, config.http) == (
        ("essentials", "sane"),
        "all",
        HttpConfig(enabled=True, port=9000),
    )
    assert (config.grants, config.ask) == (
        GrantsConfig(never=("git.*",), pin="always"),
        AskConfig(wait=20.0, notify="bell"),
    )
    assert (config.ship, config.hub) == (
        ShipConfig(contents="full", jsonl="/var/log/agents.jsonl"),
        HubConfig(grants=("git.*",), longest=600),
    )
    assert config.policies == {"audit.tool-use": {"enabled": True, "longest": 80}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("preset = ['sane']", "unknown key `preset` (did you mean `presets`?)"),
        ("presets = ['saen']", "presets: unknown preset `saen` (did you mean `sane`?)"),
        ("presets = 'sane'", "presets: expected `array`, got `str`"),
        ("trust = 'some'", "trust: invalid enum value 'some'"),
        ("stop_cap = 0", "stop_cap: expected `int` >= 1"),
        ("http = true", "http: expected a table"),
        ("[http]\nprot = 1", "http: unknown key `prot` (did you mean `port`?)"),
        ("[http]\nport = 70000", "http: `port`: expected `int` <= 65535"),
        ("[policies.'audit.tool-usee']", 'policies."audit.tool-usee": unknown policy (did you mean `audit.tool-use`?)'),
        ("[policies.'audit.tool-use']\nlongst = 1", "unknown option `longst` (did you mean `longest`?)"),
        ("[policies.'audit.tool-use']\nlongest = 'x'", "expected `int`, got `str`; the default counts"),
        ("policies = 3", "policies: expected `object`, got `int`"),
        ("[[", "is no valid TOML, nothing in it counts"),
    ],
)
def test_a_wrong_key_is_told_and_the_rest_counts(text: str, message: str):
    settings = parse_config_text(f"channel = 'x'\n{text}".encode(), "/u/config.toml")
    assert len(settings.problems) == 1
    assert settings.problems[0].startswith("/u/config.toml: ")
    assert message in settings.problems[0]
    assert settings.values.get("channel") == "x" or text == "[["


def test_a_guard_does_not_vanish_by_a_typo():
    text = b"[policies.'audit.tool-use']\nenabled = true\nlongest = 'many'\nlongset = 3"
    config = Config(**parse_config_text(text, "c").values)
    assert ToolUse() in instantiate_policies(config)


def test_options_reach_the_policy():
    config = Config(policies={"audit.tool-use": {"enabled": True, "longest": 5}})
    assert ToolUse(longest=5) in instantiate_policies(config)


def test_presets_switch_policies_and_names_win():
    assert not is_enabled(ToolUse, Config())
    assert is_enabled(ToolUse, Config(presets=("practice",)))
    assert not is_enabled(ToolUse, Config(presets=("practice",), policies={"audit.tool-use": {"enabled": False}}))
    assert is_enabled(ToolUse, Config(presets=(), policies={"audit.tool-use": {"enabled": True}}))


def test_strict_is_every_policy():
    on = instantiate_policies(Config(presets=("strict",)))
    assert [policy.id for policy in on] == list(load_policies())


@given(st.binary(max_size=100))
def test_no_bytes_make_the_reader_raise(text: bytes):
    parse_config_text(text, "c")


JSON = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.text(max_size=4) | st.sampled_from(PRESETS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["enabled", "x"]), inner, max_size=2),
)


@given(st.dictionaries(st.sampled_from([*Config.__struct_fields__, "unknown"]), JSON, max_size=4))
def test_whatever_is_set_the_config_can_be_made(table: dict[str, object]):
    import tomlkit

    try:
        text = tomlkit.dumps(table).encode()
    except (ValueError, UnicodeEncodeError):
        return
    instantiate_policies(Config(**parse_config_text(text, "c").values))
