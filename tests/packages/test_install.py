"""Installing packages: what is written where, what is refused, and that nothing is left of what is refused."""

import os
import subprocess
import tomllib

import msgspec
import pytest

from synaptic.packages.hashes import hash_text
from synaptic.packages.install import apply_install
from synaptic.packages.lock import make_record_id
from synaptic.packages.rows import HookRow
from synaptic.setup.env import locate_env, read_env
from tests.packages.shelf import HOOK, Owner, file, made, refused, tree, variant


def test_a_package_becomes_files_entries_and_a_record(tmp_path):
    """S0-080, S0-081, S0-082, S0-083"""
    hooks = [
        ("PreToolUse", "hooks/pre.sh", {"matcher": "Bash", "priority": 10, "blocking": True}),
        ("PostToolUse", "hooks/post.sh", {"matcher": "mcp__filesystem__.*", "priority": 50}),
    ]
    files = {"hooks/pre.sh": "#!/bin/sh\n", "hooks/post.sh": "#!/bin/sh\n", "SKILL.md": "# x\n"}
    owner = Owner(tmp_path, made("alpha", files=files, hooks=hooks))
    owner.install("alpha")
    first, second = owner.entries()
    skills = read_env(owner.project)["SYNAPTIC_SKILLS"]
    assert first["script"] == f"{skills}/alpha/hooks/pre.sh"
    assert (first["event"], first["matcher"], first["priority"], first["blocking"]) == ("PreToolUse", "Bash", 10, True)
    assert (second["event"], second["priority"], second["blocking"]) == ("PostToolUse", 50, False)
    assert all(os.access(entry["script"], os.X_OK) for entry in (first, second))
    assert owner.lock().get("alpha").files["skills/alpha/SKILL.md"] == hash_text("# x\n")
    assert owner.faults() == []


def test_scripts_are_executable_and_everything_else_is_not(tmp_path):
    """S0-087, S0-091"""
    files = {"hooks/a.sh": "x", "scripts/b.py": "x", "agents/deep/y.md": "x", "commands/z.md": "x", "etc/c.json": "x"}
    owner = Owner(tmp_path, made("alpha", files=files, hooks=[]))
    owner.install("alpha")
    modes = {path: mode for path, (mode, _) in tree(owner.site.base).items()}
    assert modes["skills/alpha/hooks/a.sh"] == modes["skills/alpha/scripts/b.py"] == 0o755
    assert modes["agents/y.md"] == modes["commands/z.md"] == modes["skills/alpha/etc/c.json"] == 0o644


def test_the_project_gets_its_variables_and_says_what_is_local(tmp_path):
    """S0-110, S0-111, S0-113, S0-114, S0-172"""
    owner = Owner(tmp_path, made("alpha"))
    owner.install("alpha")
    values = tomllib.loads(locate_env(owner.project).read_text())
    assert len(values) == 6
    shell = f". '{locate_env(owner.project)}'; printf %s \"$SYNAPTIC_PROJECT_ROOT\""
    assert subprocess.run(["bash", "-c", shell], capture_output=True, text=True).stdout == str(owner.project)
    ignored = owner.path(".gitignore").read_text().split()
    assert {"env.toml", "logs/", ".install/", "hooks/.registry.lock"} <= set(ignored)
    assert "manifest.lock" not in ignored
    locate_env(owner.project).unlink()
    owner.install("alpha")
    assert locate_env(owner.project).exists()


def test_the_lockfile_holds_everything_and_no_path_of_this_machine(tmp_path):
    """S0-170, C-23"""
    owner = Owner(tmp_path, made("alpha", questions=[{"question_id": "q", "prompt": "?", "type": "text"}]))
    owner.install("alpha")
    text = owner.site.lockfile.read_text()
    assert str(tmp_path) not in text
    (record,) = tomllib.loads(text)["install"]
    keys = "id package version commit sha256 branch variant installed_at scope root site tracking template files hooks"
    assert set(f"{keys} answers questions requirements profile template_warnings".split()) == set(record)
    assert record["id"] == make_record_id("alpha", "project") == "pkg_alpha_project"
    assert set(record["requirements"]) == {"tools", "verified", "agents", "cli", "skills"}
    assert "secret" not in owner.site.pins.read_text()


def test_a_plan_writes_nothing_and_names_everything(tmp_path):
    """S0-092, S0-104"""
    owner = Owner(tmp_path, made("alpha", files={"hooks/pre.sh": "#!/bin/sh\n" + "x" * 300, "SKILL.md": "hi"}))
    before = tree(owner.folder)
    (shown,) = owner.plan("alpha").summarise()
    assert tree(owner.folder) == before
    shared = ".claude/skills/alpha/SKILL.md"
    assert [line.path for line in shown.files] == ["skills/alpha/SKILL.md", "skills/alpha/hooks/pre.sh", shared]
    assert len(shown.files[1].preview) == 120
    (hook,) = shown.hooks
    assert (hook.event, hook.matcher, hook.priority, hook.blocking) == ("PreToolUse", "Bash", 20, True)
    assert hook.script.endswith("skills/alpha/hooks/pre.sh")


def broken_rows(**changes):
    bundle = made("alpha")
    return msgspec.structs.replace(bundle, **{key: change(bundle) for key, change in changes.items()})


def with_file(path, text="x"):
    return lambda bundle: (*bundle.files, file("alpha", path, text))


BAD = {
    "a wrong hash": (
        {"files": lambda one: (msgspec.structs.replace(one.files[0], content="changed"), *one.files[1:])},
        "SKILL.md",
    ),
    "a wrong aggregate": ({"package": lambda one: msgspec.structs.replace(one.package, sha256="0" * 64)}, "aggregate"),
    "a way out": ({"files": with_file("../../etc/x")}, "leads out"),
    "an absolute path": ({"files": with_file("/etc/x")}, "absolute"),
    "a runtime folder": ({"files": with_file(".synaptic/x")}, "hidden"),
    "a huge file": ({"files": with_file("big", "x" * (17 << 20))}, "larger"),
    "a script without a file": (
        {"hooks": lambda one: (HookRow(package_id="alpha", event="Stop", script_path="hooks/none.sh"),)},
        "not among its files",
    ),
    "a name that is a path": (
        {"package": lambda one: msgspec.structs.replace(one.package, name="../alpha")},
        "no name of a package",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_with_a_package_is_said_and_nothing_is_left(tmp_path, case):
    """S0-088, S0-089, S0-139"""
    changes, word = BAD[case]
    owner = Owner(tmp_path)
    bundle = broken_rows(**changes)
    owner.source.find_bundle = lambda name, channel, version=None: bundle
    before = tree(owner.folder)
    refusal = refused(lambda: owner.install("alpha"))
    assert refusal.code == "validation_failed"
    assert word in str(refusal)
    assert tree(owner.folder) == before


def test_a_correct_aggregate_is_accepted(tmp_path):
    """S0-089"""
    owner = Owner(tmp_path, made("alpha"))
    owner.install("alpha")


def test_nothing_is_installed_through_a_link(tmp_path):
    owner = Owner(tmp_path, made("alpha"))
    (tmp_path / "elsewhere").mkdir()
    owner.site.base.mkdir()
    owner.site.skills.symlink_to(tmp_path / "elsewhere")
    refusal = refused(lambda: owner.install("alpha"))
    assert (refusal.code, refusal.where) == ("conflict", str(owner.site.skills))
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_file_of_somebody_else_is_kept_unless_forced(tmp_path):
    owner = Owner(tmp_path, made("alpha", files={"agents/helper.md": "ours"}, hooks=[]))
    mine = owner.path("agents/helper.md")
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    assert refused(lambda: owner.install("alpha")).code == "conflict"
    assert mine.read_text() == "mine"
    owner.install("alpha", force=True)
    assert mine.read_text() == "ours"


def test_a_registry_that_cannot_be_edited_stops_everything_before_it_begins(tmp_path):
    owner = Owner(tmp_path, made("alpha"))
    owner.site.registry.parent.mkdir(parents=True)
    owner.site.registry.write_text("[[hook")
    before = tree(owner.folder)
    with pytest.raises(Exception, match="no valid TOML"):
        owner.install("alpha")
    assert tree(owner.folder) == before


def test_both_scopes_or_none(tmp_path):
    """S0-094"""
    owner = Owner(tmp_path, made("alpha"))
    before = tree(owner.project)
    blocked = owner.everywhere.skills / "alpha" / "SKILL.md"
    plan = owner.plan("alpha", owner.site, owner.everywhere)
    (blocked / "inside").mkdir(parents=True)
    refusal = refused(lambda: apply_install(owner.home, plan))
    assert str(owner.home.root) in str(refusal)
    left = tree(owner.project)
    del left[".synaptic/.gitignore"]  # it keeps the lock of the registry, which stays, out of the repository
    assert left == before
    assert owner.lock().list_names() == owner.lock(owner.everywhere).list_names() == ()
    (blocked / "inside").rmdir()
    blocked.rmdir()
    owner.install("alpha", owner.site, owner.everywhere)
    assert owner.lock().list_names() == owner.lock(owner.everywhere).list_names() == ("alpha",)
    assert owner.entries(owner.everywhere)[0]["scope"] == "global"


def test_a_local_package_is_refused_globally_before_any_write(tmp_path):
    """S0-093"""
    owner = Owner(tmp_path, made("alpha", install_scope="local-only"))
    before = tree(owner.folder)
    for sites in ((owner.everywhere,), (owner.site, owner.everywhere)):
        assert refused(lambda sites=sites: owner.install("alpha", *sites)).code == "invalid_args"
    assert tree(owner.folder) == before


def test_others_are_not_touched(tmp_path):
    """S0-086"""
    owner = Owner(tmp_path, made("alpha"), made("beta"))
    owner.install("alpha")
    files, entry = tree(owner.site.skills / "alpha"), owner.entries()[0]
    owner.install("beta")
    owner.remove("beta")
    assert tree(owner.site.skills / "alpha") == files
    assert owner.entries() == [entry]


def test_templates_are_filled_in_and_their_suffix_goes(tmp_path):
    """S0-115, S0-160, S0-164"""
    files = {"note.md.j2": "{{ env.synaptic_root }} {{ answers.who }} {{ answers.later }}\n"}
    questions = [{"question_id": "who", "prompt": "Who?", "type": "text", "default_val": "you"}]
    owner = Owner(tmp_path, made("alpha", files=files, hooks=[], questions=questions))
    owner.install("alpha", given={"who": "me"})
    text = owner.path("skills/alpha/note.md").read_text()
    assert text.startswith(f"{owner.site.base} me ")
    record = owner.lock().get("alpha")
    assert record.template
    assert record.files == {"skills/alpha/note.md": hash_text(text)}
    assert record.template_warnings
    assert record.answers == {"who": "me"}


def test_questions_are_asked_once(tmp_path):
    """S0-161"""
    one = {"question_id": "one", "prompt": "?", "type": "text", "default_val": "1"}
    two = {"question_id": "two", "prompt": "?", "type": "text", "default_val": "2"}
    owner = Owner(tmp_path, made("alpha", questions=[one]))
    seen = []

    def ask(question, default):
        seen.append(question.question_id)
        return f"said {default}"

    owner.install("alpha", ask=ask)
    owner.source.add(made("alpha", "2.0.0", questions=[one, two]))
    owner.install("alpha", ask=ask)
    assert seen == ["one", "two"]
    assert owner.lock().get("alpha").answers == {"one": "said 1", "two": "said 2"}
    owner.source.add(made("alpha", "3.0.0", questions=[two]))
    owner.install("alpha", ask=ask)
    assert owner.lock().get("alpha").answers == {"two": "said 2"}
    assert refused(lambda: owner.install("alpha", given={"none": "x"})).code == "invalid_args"


def test_an_include_in_a_template_is_refused(tmp_path):
    """S0-165"""
    owner = Owner(tmp_path, made("alpha", files={"x.md.j2": "{% include '/etc/passwd' %}"}, hooks=[]))
    before = tree(owner.folder)
    assert refused(lambda: owner.install("alpha")).code == "validation_failed"
    assert tree(owner.folder) == before


def test_the_variant_for_the_users_agent_is_taken(tmp_path):
    """S0-148"""
    owner = Owner(tmp_path, made("guard-claude"))
    owner.source._variants = (variant("guard", "claude", "guard-claude"),)
    owner.install("guard")
    assert owner.lock().list_names() == ("guard-claude",)
    owner.source._variants = (variant("guard", "gemini", "guard-gemini"),)
    refusal = refused(lambda: owner.install("guard"))
    assert (refusal.code, "gemini" in str(refusal)) == ("blocked", True)


def test_an_unknown_package_is_not_found(tmp_path):
    """S0-181"""
    refusal = refused(lambda: Owner(tmp_path).install("nothing"))
    assert refusal.code == "not_found"
    assert "synaptic skill search" in refusal.hint


def test_two_hundred_files_are_one_transaction(tmp_path):
    files = {f"docs/{number}.md": f"# {number}\n" * 20 for number in range(199)} | {"hooks/pre.sh": HOOK}
    owner = Owner(tmp_path, made("big", files=files))
    owner.install("big")
    assert len(owner.lock().get("big").files) == 200
    assert owner.faults() == []
