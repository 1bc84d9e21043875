"""`synaptic import hookify` and its like: what is found, written, already there, and what stays."""

import json
import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import User

HOOKIFY = (
    "---\nname: block-rm\nenabled: true\nevent: bash\npattern: rm\\s+-rf|mkfs\naction: block\n---\n\nNot this way.\n"
)


def rules(file: Path) -> list[dict[str, object]]:
    return tomllib.loads(file.read_text()).get("rule", []) if file.exists() else []


def project_rules(user: User) -> Path:
    return user.project / ".synaptic" / "rules.toml"


def test_a_dry_run_only_tells(user: User):
    source = user.writes(".claude/hookify.rm.local.md", HOOKIFY)
    shown = user.types("import", "hookify", "--project", "--dry-run")
    assert shown.code == 0, shown.err
    assert "1 rule would be written" in shown.out
    assert "hookify.block-rm  deny  run rm, flags -rf" in shown.out
    assert "stays: block-rm (.claude/hookify.rm.local.md): `mkfs`" in shown.out
    assert not project_rules(user).exists()
    assert not user.home.root.exists()
    assert source.read_text() == HOOKIFY


def test_it_writes_with_the_origin_and_importing_twice_adds_nothing_twice(user: User):
    source = user.writes(".claude/hookify.rm.local.md", HOOKIFY)
    user.types("import", "hookify", "--project")
    once = project_rules(user).read_text()
    assert once.startswith("# from hookify, .claude/hookify.rm.local.md\n[[rule]]\n")
    shown = user.types("import", "hookify", "--project", "--json").json
    assert (shown["rules"], shown["known"]) == ([], ["hookify.block-rm"])
    assert project_rules(user).read_text() == once
    assert source.read_text() == HOOKIFY


def test_a_rule_that_somebody_has_changed_since_stays_as_it_is(user: User):
    user.writes(".claude/hookify.rm.local.md", HOOKIFY)
    user.types("import", "hookify", "--project")
    changed = project_rules(user).read_text().replace('then = "deny"', 'then = "ask"')
    project_rules(user).write_text(changed)
    user.types("import", "hookify", "--project")
    assert project_rules(user).read_text() == changed


def test_the_users_permissions_go_into_the_users_config_with_its_comments_kept(user: User):
    user.settings.parent.mkdir()
    permissions = {"deny": ["Bash(npm publish:*)", "Edit(/notes.md)"], "allow": ["Bash(ls:*)"]}
    user.settings.write_text(json.dumps({"permissions": permissions}))
    before = user.settings.read_bytes()
    user.configures('# mine\npresets = ["essentials"]  # only these\n')
    shown = user.types("import", "permissions", "--json").json
    assert shown["file"] == str(user.home.config)
    assert [rule["id"] for rule in shown["rules"]] == ["permissions.npm-publish", "permissions.edit-notes-md"]
    assert [one["what"] for one in shown["staying"]] == ["allow: Bash(ls:*)"]
    assert user.home.config.read_text().startswith('# mine\npresets = ["essentials"]  # only these\n\n# from perm')
    assert rules(user.home.config)[1]["write"] == "~/.claude/notes.md"
    assert user.settings.read_bytes() == before


def test_rulebooks_are_found_by_the_file_that_lists_them(user: User):
    user.writes(".cc-safety-net/rules/rule.json", json.dumps({"version": 1, "rules": ["ours"]}))
    rule = {"name": "no-prune", "command": "docker", "subcommand": "system", "block_args": ["prune"], "reason": "No."}
    book = {"rulebook_version": 1, "name": "ours", "version": "1", "allowed_commands": ["docker"], "rules": [rule]}
    user.writes(".cc-safety-net/rules/ours/rulebook.json", json.dumps(book))
    inline = {"name": "no-add", "command": "git", "subcommand": "add", "block_args": ["-A"], "reason": "No."}
    user.writes(".safety-net.json", json.dumps({"version": 1, "rules": [inline]}))
    user.types("import", "cc-safety-net", "--project")
    assert [rule["id"] for rule in rules(project_rules(user))] == ["safety-net.no-add", "safety-net.no-prune"]


def test_packs_are_found_by_the_configuration_that_names_them(user: User):
    pack = user.folder / "packs" / "ours.yaml"
    pack.parent.mkdir()
    pack.write_text("id: ours.net\ndestructive_patterns:\n  - name: purge\n    pattern: npm\\s+unpublish\n")
    config = user.folder / ".config" / "dcg" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[packs]\ncustom_paths = ["~/packs/*.yaml"]\n')
    shown = user.types("import", "dcg", "--json").json
    assert [(rule["id"], rule["run"]) for rule in shown["rules"]] == [("dcg.ours-net-purge", "npm unpublish")]


def test_files_can_be_named(user: User):
    user.writes("old/one.md", HOOKIFY)
    shown = user.types("import", "hookify", "old/one.md", "old/none.md", "--dry-run", "--json").json
    assert [rule["id"] for rule in shown["rules"]] == ["hookify.block-rm"]
    assert {"what": "old/none.md", "why": "it cannot be read: there is no such file"} in shown["staying"]


@pytest.mark.parametrize("name", ["hookify", "permissions", "cc-safety-net", "dcg"])
@pytest.mark.parametrize("scope", ["--user", "--project"])
def test_nothing_to_import_says_where_it_looked(user: User, name: str, scope: str):
    shown = user.types("import", name, scope)
    assert shown.code == 1
    assert "none of" in shown.err
    assert f"synaptic import {name} FILE" in shown.err


def test_a_config_that_cannot_be_edited_stays_as_it_is(user: User):
    user.writes(".claude/hookify.rm.local.md", HOOKIFY)
    user.writes(".synaptic/rules.toml", "rule = [\n")
    shown = user.types("import", "hookify", "--project")
    assert shown.code == 1
    assert "no valid TOML" in shown.err
    assert project_rules(user).read_text() == "rule = [\n"


def test_a_repositorys_file_leads_to_nothing_outside_of_it(user: User):
    outside = user.folder / "outside.yaml"
    outside.write_text("id: a.b\ndestructive_patterns:\n  - name: x\n    pattern: npm\\s+publish\n")
    user.writes(".dcg.toml", f'[packs]\ncustom_paths = ["{outside}", "~/*.yaml", "../home/*.yaml"]\n')
    assert user.types("import", "dcg", "--project", "--json").json["rules"] == []


def test_the_agents_folder_may_be_elsewhere(user: User, monkeypatch: pytest.MonkeyPatch):
    moved = user.folder / "elsewhere"
    moved.mkdir()
    (moved / "settings.json").write_text(json.dumps({"permissions": {"deny": ["Bash(npm publish:*)"]}}))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(moved))
    shown = user.types("import", "permissions", "--json").json
    assert [rule["id"] for rule in shown["rules"]] == ["permissions.npm-publish"]


def test_a_rule_that_says_nothing_new_is_told_and_not_written(user: User):
    user.types("rule", "add", "--run", "npm publish", "--deny", "No.", "--project", "--id", "ours.first")
    user.writes(".claude/settings.json", json.dumps({"permissions": {"ask": ["Bash(npm publish:*)"]}}))
    shown = user.types("import", "permissions", "--project", "--json").json
    assert shown["rules"] == []
    assert "says nothing new" in shown["staying"][0]["why"]


def test_a_file_that_would_be_too_large_for_the_engine_stays_as_it_is(user: User):
    user.writes(".synaptic/rules.toml", "# x\n" * (32 << 10))
    shown = user.types("rule", "add", "--run", "npm publish", "--deny", "No.", "--project")
    assert shown.code == 1
    assert "would be larger than 128 KiB" in shown.err
