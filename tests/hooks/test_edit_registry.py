import threading
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.hooks.edit_registry import (
    EntryOwner,
    RegistryLine,
    lock_registry,
    parse_entries,
    upsert_entries,
    withdraw_entries,
)
from synaptic.model.errors import DeclarationError

ALPHA, BETA = EntryOwner("alpha", "project"), EntryOwner("beta", "project")


def line(skill, script="hooks/pre.sh", event="PreToolUse", **keys):
    return RegistryLine(event=event, script=f"/p/.synaptic/skills/{skill}/{script}", **keys)


BOTH = upsert_entries(upsert_entries("", ALPHA, [line("alpha")]), BETA, [line("beta", priority=20)])


def skills(text):
    return [entry["skill"] for entry in parse_entries(text)]


def test_an_entry_has_the_six_keys_and_its_scope():
    """S0-080"""
    (entry,) = parse_entries(upsert_entries("", ALPHA, [line("alpha", matcher="Bash", priority=10, blocking=True)]))
    assert entry == {
        "event": "PreToolUse",
        "matcher": "Bash",
        "skill": "alpha",
        "script": "/p/.synaptic/skills/alpha/hooks/pre.sh",
        "priority": 10,
        "blocking": True,
        "scope": "project",
    }


def test_a_changed_priority_survives_the_upgrade_of_another_skill_and_of_its_own():
    """S0-062, S0-063"""
    edited = BOTH.replace("priority = 20", "priority = 5")
    again = upsert_entries(edited, ALPHA, [line("alpha", priority=7)], [line("alpha")])
    assert [(entry["skill"], entry["priority"]) for entry in parse_entries(again)] == [("alpha", 7), ("beta", 5)]
    own = upsert_entries(edited, BETA, [line("beta", priority=30)], [line("beta", priority=20)])
    assert parse_entries(own)[1]["priority"] == 5


def test_what_the_user_did_not_touch_follows_the_package():
    changed = upsert_entries(BOTH, BETA, [line("beta", priority=30, matcher="Write")], [line("beta", priority=20)])
    assert (parse_entries(changed)[1]["priority"], parse_entries(changed)[1]["matcher"]) == (30, "Write")


@pytest.mark.parametrize("key", ['matcher = ".*"', "blocking = false"])
def test_every_key_that_a_user_may_decide_is_kept(key):
    mine = {'matcher = ".*"': 'matcher = "Edit"', "blocking = false": "blocking = true"}[key]
    edited = upsert_entries("", ALPHA, [line("alpha")]).replace(key, mine)
    again = upsert_entries(edited, ALPHA, [line("alpha", matcher="Bash")], [line("alpha")])
    assert mine in again


def test_comments_unknown_keys_order_and_spacing_of_others_survive():
    """S0-064"""
    text = (
        "# my registry\n\n[[hook]]   # first\nevent='Stop'\nskill = \"mine\"\nmine = {a=1}   # kept\nscript='/x'\n\n\n"
        '# about beta\n[[hook]]\nskill="beta"\nevent="PreToolUse"\n'
        'script="/p/.synaptic/skills/beta/hooks/pre.sh"\ntimeout = 7\n# the end\n'
    )
    assert upsert_entries(text, ALPHA, [line("alpha")]).startswith(text)
    both = upsert_entries(text, ALPHA, [line("alpha")])
    assert withdraw_entries(both, ALPHA) == text
    renewed = upsert_entries(text, BETA, [line("beta", priority=9)], [line("beta")])
    assert "timeout = 7" in renewed
    assert "# about beta" in renewed
    assert renewed.startswith(text.split("# about")[0])


def test_removal_takes_exactly_one_skills_entries_and_the_comment_above_them():
    """S0-065"""
    head, _, tail = BOTH.rpartition("[[hook]]")
    text = f"# the file's\n{head}# about beta\n[[hook]]{tail}"
    assert skills(withdraw_entries(text, ALPHA)) == ["beta"]
    assert "# about beta" in withdraw_entries(text, ALPHA)
    assert skills(withdraw_entries(text, BETA)) == ["alpha"]
    assert "# about beta" not in withdraw_entries(text, BETA)
    assert withdraw_entries(withdraw_entries(text, BETA), ALPHA).strip() == "# the file's"
    assert withdraw_entries(BOTH, EntryOwner("nobody", "project")) == BOTH
    assert withdraw_entries(withdraw_entries(BOTH, BETA), ALPHA) == ""


def test_reinstalling_replaces_and_does_not_append():
    """S0-066"""
    again = upsert_entries(BOTH, ALPHA, [line("alpha", "hooks/v2.sh")], [line("alpha")])
    assert sorted((entry["skill"], entry["script"][-5:]) for entry in parse_entries(again)) == [
        ("alpha", "v2.sh"),
        ("beta", "re.sh"),
    ]


def test_an_entry_without_a_scope_belongs_to_its_skill_in_any_and_another_scope_does_not():
    """S0-067"""
    text = BOTH.replace('scope = "project"\n', "", 1)
    assert skills(withdraw_entries(text, EntryOwner("alpha", "global"))) == ["beta"]
    assert skills(withdraw_entries(text, EntryOwner("beta", "global"))) == ["alpha", "beta"]


def test_an_entry_is_known_again_after_the_project_has_moved():
    """C-24"""
    moved = RegistryLine(event="PreToolUse", script="/q/.synaptic/skills/beta/hooks/pre.sh")
    text = upsert_entries(BOTH.replace("priority = 20", "priority = 3"), BETA, [moved], [moved])
    assert (parse_entries(text)[1]["script"], parse_entries(text)[1]["priority"]) == (moved.script, 3)


def test_text_that_looks_like_a_header_is_none():
    text = (
        '[[hook]]\nskill = "x"\nevent = "Stop"\ncommand = """\n[[hook]]\n[[ -f a ]]\n[other]\n"""\n'
        "[hook.extra]\na = [\n  [1],\n]\n\n[other]\nb = 1 # [[hook]]\n"
    )
    after = upsert_entries(text, ALPHA, [line("alpha")])
    assert after.startswith(text)
    assert skills(after) == ["x", "alpha"]
    assert tomllib.loads(withdraw_entries(after, EntryOwner("x", "project")))["other"] == {"b": 1}


@pytest.mark.parametrize(
    "text", ["[[hook", "hook = 1", "hook = [{event = 'Stop', skill = 'x'}]", "[hook]\na = 1", "\x00"]
)
def test_a_file_that_cannot_be_edited_safely_is_refused(text):
    with pytest.raises(DeclarationError):
        upsert_entries(text, ALPHA, [line("alpha")], where="registry.toml")


NAMES = st.sampled_from(["alpha", "beta", "gamma"])


@given(st.lists(st.tuples(NAMES, st.booleans(), st.integers(0, 99)), max_size=12))
def test_whatever_is_installed_and_removed_others_entries_stay_as_they_were(steps):
    """S0-086"""
    text, expected = "# mine\n", {}
    for skill, installs, priority in steps:
        before = {entry["skill"]: entry for entry in parse_entries(text) if entry["skill"] != skill}
        owner = EntryOwner(skill, "project")
        lines = [line(skill, priority=priority)] if installs else []
        text = upsert_entries(text, owner, lines, [line(skill, priority=expected.get(skill, 0))])
        expected[skill] = priority
        assert {entry["skill"]: entry for entry in parse_entries(text) if entry["skill"] != skill} == before
        assert (skill in skills(text)) == installs
    assert text.startswith("# mine\n")


def test_one_writer_at_a_time(tmp_path):
    """S0-068"""
    path = tmp_path / "hooks" / "registry.toml"
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / ".registry.lock").write_text("left behind")
    path.write_text("")

    def add(number):
        with lock_registry(path.parent, path):
            owner = EntryOwner(f"s{number}", "project")
            path.write_text(upsert_entries(path.read_text(), owner, [line(owner.skill)]))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(skills(path.read_text())) == sorted(f"s{number}" for number in range(20))
