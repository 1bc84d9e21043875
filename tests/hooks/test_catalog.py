import os
import time
from pathlib import Path

import pytest

from synaptic.hooks.catalog import MAX_ROOTS, HookCatalogs
from synaptic.hooks.declaration import DECLARATION_LIMIT
from synaptic.model.environment import build_project_variables
from synaptic.model.hook import Builtin, Command
from tests.hooks.projects import Project, entry

YAML = "id: {id}\nevent_type: PreToolUse\nhandler:\n  kind: script\n  command: ./{id}.sh\n"


def ids(project: Project) -> list[str]:
    return [hook.id for hook in project.catalog().hooks if not isinstance(hook.handler, Builtin)]


def test_a_hook_of_the_project_registry_is_in_the_catalog(project: Project):
    """S0-022"""
    project.registry(entry("/opt/a.sh", skill="s"))
    assert ids(project) == ["s:a.sh"]


def test_hooks_are_in_ascending_priority(project: Project):
    """S0-026"""
    project.registry(*(entry(f"/{p}.sh", priority=p, skill="s") for p in (20, 10, 50)))
    assert ids(project) == ["s:10.sh", "s:20.sh", "s:50.sh"]


def test_equal_priorities_keep_the_order_of_the_file(project: Project):
    """S0-027"""
    project.registry(*(entry(f"/{name}.sh", skill="s", priority=10) for name in "zayb"))
    assert ids(project) == ["s:z.sh", "s:a.sh", "s:y.sh", "s:b.sh"]


def test_sources_follow_each_other_in_a_known_order(project: Project):
    """S2-028: built in, user registry, user YAML, project registry, `.system/hooks`, `.synaptic/hooks`."""
    project.write(".synaptic/hooks/f.yaml", YAML.format(id="f"))
    project.write(".system/hooks/e.yml", YAML.format(id="e"))
    project.write(".system/hooks/d.yaml", YAML.format(id="d"))
    project.registry(entry(id="c"))
    project.write_user("hooks/b.yaml", YAML.format(id="b"))
    project.write_user("hooks/registry.toml", f"[[hook]]\n{entry(id='a')}")
    catalog = project.catalog()
    assert catalog.problems == ()
    assert ids(project) == ["a", "b", "c", "d", "e", "f"]
    declared = [hook for hook in catalog.hooks if hook.scope != "builtin"]
    assert [hook.scope for hook in declared][:3] == ["user", "user", "project"]
    assert [hook.order for hook in declared] == sorted(hook.order for hook in declared)


def test_ids_are_made_unique(project: Project):
    project.registry(entry("/a.sh", skill="s"), entry("/a.sh", skill="s", event="PostToolUse"), entry(id="s:a.sh"))
    assert ids(project) == ["s:a.sh", "s:a.sh#2", "s:a.sh#3"]


def test_without_any_file_there_is_nothing_and_no_warning(project: Project):
    """S0-045, S2-016"""
    assert project.catalog().problems == ()
    assert ids(project) == []


def test_an_edit_between_two_calls_is_seen(project: Project):
    """S0-061"""
    project.registry(entry("/a.sh", skill="s", priority=20), entry("/b.sh", skill="s", priority=30))
    assert ids(project) == ["s:a.sh", "s:b.sh"]
    project.registry(entry("/a.sh", skill="s", priority=40), entry("/b.sh", skill="s", priority=30))
    assert ids(project) == ["s:b.sh", "s:a.sh"]


def test_many_edits_of_the_same_size_within_a_clock_tick_are_all_seen(project: Project):
    """S0-061: the file keeps its size and inode, its times may not move between two writes."""
    for number in range(100, 400):
        project.registry(entry("/a.sh", id="only", priority=number))
        assert [hook.priority for hook in project.catalog().hooks if hook.id == "only"] == [number]


def test_an_edit_with_its_time_set_back_is_seen(project: Project):
    path = project.registry(entry(priority=11))
    before = path.stat()
    time.sleep(0.06)
    assert project.catalog().hooks[0].priority == 11
    project.registry(entry(priority=12))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert project.catalog().hooks[0].priority == 12


def test_an_untouched_project_keeps_its_catalog(project: Project):
    """S2-025"""
    project.registry(entry())
    first = project.catalog()
    assert project.catalog() is first
    time.sleep(0.06)
    assert project.catalog() is first
    assert project.catalog() is first


@pytest.mark.parametrize("name", [".system/hooks/x.yaml", ".synaptic/hooks/x.yml"])
def test_a_yaml_file_that_appears_changes_or_vanishes_is_seen(project: Project, name: str):
    """S2-025"""
    assert ids(project) == []
    path = project.write(name, YAML.format(id="one"))
    assert ids(project) == ["one"]
    project.write(name, YAML.format(id="two"))
    assert ids(project) == ["two"]
    path.unlink()
    assert ids(project) == []


def test_a_registry_that_appears_behind_a_dangling_link_is_seen(project: Project, tmp_path: Path):
    link = project.write(".synaptic/hooks/registry.toml", "")
    link.unlink()
    link.symlink_to(tmp_path / "later.toml")
    assert ids(project) == []
    (tmp_path / "later.toml").write_text(f"[[hook]]\n{entry(id='late')}")
    assert ids(project) == ["late"]


def test_configs_and_environment_files_are_watched(project: Project):
    assert project.catalog().config.presets == ("essentials",)
    project.write_user("config.toml", 'presets = ["practice"]')
    assert project.catalog().config.presets == ("practice",)
    project.write(".synaptic/config.toml", 'presets = ["sane"]')
    assert project.catalog().config.presets == ("sane", "practice")
    project.write(".synaptic/env.toml", 'SYNAPTIC_CHANNEL="develop"')
    assert project.catalog().variables["SYNAPTIC_CHANNEL"] == "develop"


def test_the_six_variables_equal_those_of_env_toml(project: Project):
    """S0-028, S0-029, S0-031"""
    written = build_project_variables(project.root, "develop", "claude,codex")
    project.write(".synaptic/env.toml", "".join(f"{key}='{value}'\n" for key, value in written.items()))
    catalog = project.catalog()
    assert catalog.variables == written
    assert catalog.problems == ()


def test_an_env_toml_of_another_place_is_told(project: Project):
    """S0-031"""
    project.write(".synaptic/env.toml", 'SYNAPTIC_PROJECT_ROOT="/elsewhere"')
    catalog = project.catalog()
    assert catalog.variables["SYNAPTIC_PROJECT_ROOT"] == project.root
    assert "SYNAPTIC_PROJECT_ROOT belong to another place (run `synaptic up`" in catalog.problems[0]


def test_policies_are_hooks_before_all_others(project: Project):
    project.write_user("config.toml", 'presets = ["strict"]')
    hooks = {hook.id: hook for hook in project.catalog().hooks}
    guard = hooks["paths.outside-project"]
    assert (guard.events, guard.protocol, guard.scope, guard.priority) == (("PreToolUse",), "native", "builtin", 20)
    assert hooks["audit.tool-use"].recheck is False


def test_the_users_own_folder_is_no_project(project: Project):
    """C-07"""
    project.write_user("hooks/registry.toml", f"[[hook]]\n{entry(id='mine')}")
    catalog = project.catalogs.get(str(project.user))
    assert [(hook.id, hook.scope) for hook in catalog.hooks if hook.id == "mine"] == [("mine", "user")]
    assert catalog.root == ""


def test_no_project_still_has_the_users_hooks(project: Project):
    project.write_user("hooks/registry.toml", f"[[hook]]\n{entry(id='mine')}")
    catalog = project.catalogs.get("")
    assert "mine" in {hook.id for hook in catalog.hooks}
    assert all(Path(catalog.variables[key]).is_absolute() for key in ("SYNAPTIC_ROOT", "SYNAPTIC_SKILLS"))


def test_a_registry_over_the_limit_is_refused_and_the_rest_runs(project: Project):
    """10 MB of registry."""
    project.registry(entry(id="big"), "# " + "x" * DECLARATION_LIMIT)
    project.write(".system/hooks/a.yaml", YAML.format(id="small"))
    assert ids(project) == ["small"]
    assert "registry.toml: is larger than 512 KiB; nothing in it counts" in project.catalog().problems[0]


def test_a_pipe_in_the_place_of_a_registry_does_not_block(project: Project):
    path = project.registry(entry())
    path.unlink()
    os.mkfifo(path)
    assert "is not a regular file" in project.catalog().problems[0]


def test_only_so_many_problems_are_told(project: Project):
    project.registry(*(entry(priority="x") for _ in range(150)), entry(id="good"))
    problems = project.catalog().problems
    assert len(problems) == 101
    assert problems[-1] == "and 50 problems more"
    assert ids(project) == ["good"]


def test_a_name_that_is_no_utf8_can_still_be_told(project: Project):
    folder = project.path / ".system/hooks"
    folder.mkdir(parents=True)
    Path(os.fsdecode(bytes(folder) + b"/\xff.yaml")).write_text("id: [")
    assert "\ufffd" in project.catalog().problems[0] or "?" in project.catalog().problems[0]


@pytest.mark.parametrize("name", ["with space", "quo'te\"", "$HOME", "new\nline", "ünï"])
def test_a_project_path_of_any_name_works(tmp_path: Path, name: str):
    (tmp_path / name).mkdir()
    project = Project(tmp_path / name)
    project.registry(entry(id="a"))
    project.write(".system/hooks/b.yaml", YAML.format(id="b"))
    catalog = project.catalog()
    assert [hook.id for hook in catalog.hooks if hook.scope == "project"] == ["a", "b"]
    assert catalog.hooks[-1].handler == Command(argv=(f"{project.root}/b.sh",), cwd=project.root)


def test_only_so_many_projects_are_kept(project: Project):
    catalogs = HookCatalogs(project.home)
    first = catalogs.get("/nowhere/0")
    for number in range(MAX_ROOTS + 1):
        catalogs.get(f"/nowhere/{number}")
    assert catalogs.get(f"/nowhere/{MAX_ROOTS}") is catalogs.get(f"/nowhere/{MAX_ROOTS}")
    assert catalogs.get("/nowhere/0") is not first


def test_a_read_only_folder_is_no_reason_to_fail(project: Project):
    project.registry(entry(id="a"))
    (project.path / ".synaptic/hooks").chmod(0o500)
    assert ids(project) == ["a"]
    (project.path / ".synaptic/hooks").chmod(0o700)


def test_settings_of_every_folder_tighten_in_their_order(project: Project):
    project.write(".synaptic/config.toml", 'presets = ["strict"]\n[policies."git.force-push"]\nprotected = ["a"]\n')
    project.write("web/.synaptic/config.toml", '[policies."git.force-push"]\nprotected = ["b"]\nenabled = false\n')
    found = project.catalogs.get(f"{project.root}/web", cwd=f"{project.root}/web")
    assert "strict" in found.config.presets
    assert found.config.policies["git.force-push"]["protected"] == ("main", "master", "a", "b")
    assert any("a project cannot switch a policy off" in one for one in found.problems)
    assert found.folders == (project.root, f"{project.root}/web")


def test_a_new_folder_of_declarations_is_seen_with_the_next_call(project: Project):
    inner = f"{project.root}/web"
    project.write("web/.claude/settings.json", "{}")
    assert project.catalogs.get(inner, cwd=inner).rules == ()
    project.write(".synaptic/rules.toml", '[[rule]]\nid = "a.b"\nrun = "npm"\nthen = "deny"\nsay = "x"\n')
    assert [rule.id for rule in project.catalogs.get(inner, cwd=inner).rules] == ["a.b"]
    project.write(".synaptic/rules.toml", "")
    assert project.catalogs.get(inner, cwd=inner).rules == ()


def test_a_rule_of_another_environment_does_not_hold(project: Project):
    project.write(
        ".synaptic/rules.toml",
        '[[rule]]\nid = "a.b"\nrun = "npm"\nenvironment = ["prod"]\nthen = "deny"\nsay = "x"\n',
    )
    assert [rule.id for rule in project.catalog("prod").rules] == ["a.b"]
    assert project.catalog("dev").rules == ()


def test_a_rule_with_the_id_of_a_policy_has_a_name_of_its_own(project: Project):
    rule = '[[rule]]\nid = "git.force-push"\nrun = "git push"\nthen = "ask"\nsay = "x"\n'
    project.write(".synaptic/rules.toml", rule)
    project.write_user("config.toml", rule)
    names = [one.id for one in project.catalog().hooks if one.id.startswith("git.force-push")]
    assert sorted(names) == ["git.force-push", "git.force-push#2", "git.force-push#3"]
