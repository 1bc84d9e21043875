"""Agreements for Codex: to our entries and no other, proved before they are written, and out again."""

import json
import tomllib

import pytest

from synaptic.agents.base import UserEnvironment
from synaptic.agents.codex import AGENT, AGREEMENT_HEADER
from synaptic.agents.shared import record
from synaptic.agents.shared.ours import EntryPlan
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup import agreements as written
from synaptic.setup import settings
from synaptic.setup.agreements import AgreementFile
from synaptic.setup.settings import FileOwner

CONFIG = 'model = "x" # mine\n\n[hooks.state."other"]\ntrusted_hash = "sha256:1"'


@pytest.fixture
def home(tmp_path):
    (tmp_path / ".synaptic").mkdir()
    return Home(tmp_path / ".synaptic")


@pytest.fixture
def hooks(home, tmp_path):
    (entries,) = AGENT.list_files(UserEnvironment(tmp_path), EntryPlan(str(home.dispatch), "a" * 32))
    return entries


@pytest.fixture
def told(home, hooks):
    settings.register_entries(home, hooks.path, hooks.wanted, FileOwner("codex"))
    return hooks


def held(hooks):
    return AgreementFile(AGENT, AGENT.agreement, hooks)


def config_file(hooks):
    return held(hooks).path


def standing(hooks):
    return held(hooks).read_standing()


def agreements(hooks):
    return held(hooks).list_wanted()


def agree(home, hooks):
    return written.write_agreements(home, held(hooks))


def withdraw(home, path):
    return written.withdraw_agreements(home, path, AGENT.agreement)


def state(hooks):
    return tomllib.loads(config_file(hooks).read_text())["hooks"]["state"]


def test_the_hash_is_the_one_that_codex_computes(tmp_path):
    """As `hooks/list` of Codex 0.166 shows it, for an event with a matcher and for one that has none."""
    plan = EntryPlan("/home/ann lee/.synaptic/bin/dispatch", "a" * 32)
    (entries,) = AGENT.list_files(UserEnvironment(tmp_path), plan)
    before, stop = entries.wanted.groups["PreToolUse"], entries.wanted.groups["Stop"]
    entries.path.parent.mkdir()
    entries.path.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "*", **before}], "Stop": [stop]}}))
    assert agreements(entries) == {
        f"{entries.path}:pre_tool_use:0:0": "sha256:6101ca504fa35031c5eb76636d6061bf2be340ead1ba93be2f53048cdbdd1fb9",
        f"{entries.path}:stop:0:0": "sha256:c8bd81527bef8a4f5c78e1623554d1e3b2eac9b8917e1bef687f0b18cfbec84f",
    }


def test_before_anything_is_written_nothing_is_trusted(home, hooks, told):
    assert not standing(hooks).is_trusted
    assert standing(hooks).entries == len(AGENT.events)
    assert not config_file(hooks).exists()


def test_agreeing_covers_our_entries_where_they_stand_and_no_other(home, hooks):
    hooks.path.parent.mkdir()
    mine = {"hooks": [{"type": "command", "command": "true"}]}
    hooks.path.write_text(json.dumps({"hooks": {"Stop": [mine, mine]}}))
    settings.register_entries(home, hooks.path, hooks.wanted, FileOwner("codex"))
    assert agree(home, hooks)
    assert f"{hooks.path}:stop:2:0" in state(hooks)
    assert f"{hooks.path}:pre_tool_use:0:0" in state(hooks)
    assert len(state(hooks)) == len(AGENT.events)
    assert standing(hooks).is_trusted
    assert not agree(home, hooks)


@pytest.mark.parametrize("before", [None, "", CONFIG, CONFIG + "\n", '[a]\nb = """\n[hooks]\n"""\n'])
def test_agreeing_and_withdrawing_is_identity(home, told, before):
    path = config_file(told)
    if before is not None:
        path.write_text(before)
    agree(home, told)
    assert AGREEMENT_HEADER in path.read_text()
    assert withdraw(home, path)
    assert (path.read_text() if path.exists() else None) == before
    assert record.load_record(home).agreements == {}
    assert not withdraw(home, path)


def test_a_changed_entry_needs_a_new_agreement_and_gets_it(home, told):
    config_file(told).write_text(CONFIG)
    agree(home, told)
    (other,) = AGENT.list_files(UserEnvironment(told.path.parents[1]), EntryPlan(str(home.dispatch), "b" * 32))
    settings.register_entries(home, other.path, other.wanted, FileOwner("codex"))
    assert standing(other).agreed == 0
    assert agree(home, other)
    assert standing(other).is_trusted
    assert config_file(told).read_text().count(AGREEMENT_HEADER) == 1
    withdraw(home, config_file(told))
    assert config_file(told).read_text() == CONFIG


def test_what_the_user_agreed_to_is_not_written_again(home, told):
    key, value = next(iter(agreements(told).items()))
    config_file(told).write_text(f'[hooks.state."{key}"]\ntrusted_hash = "{value}"\n')
    agree(home, told)
    assert standing(told).is_trusted
    withdraw(home, config_file(told))
    assert list(state(told)) == [key]


@pytest.mark.parametrize("text", ["hooks = { state = {} }\n", '[hooks.state."KEY"]\ntrusted_hash = "sha256:old"\n'])
def test_a_file_that_cannot_take_it_is_left_alone_with_what_to_type(home, told, text):
    text = text.replace("KEY", next(iter(agreements(told))))
    config_file(told).write_text(text)
    with pytest.raises(SettingsError, match=r"config\.toml: cannot take an agreement.*`/hooks`"):
        agree(home, told)
    assert config_file(told).read_text() == text


def test_broken_toml_is_refused(home, told):
    config_file(told).write_text("= 1")
    with pytest.raises(SettingsError, match="invalid TOML"):
        agree(home, told)


def test_tables_that_codex_moved_are_found(home, told):
    config_file(told).write_text(CONFIG)
    agree(home, told)
    path = config_file(told)
    lines = path.read_text().split(AGREEMENT_HEADER)
    path.write_text(lines[0] + AGREEMENT_HEADER + "[late]\nx = 1\n" + lines[1])
    withdraw(home, path)
    assert tomllib.loads(path.read_text()) == {**tomllib.loads(CONFIG), "late": {"x": 1}}
