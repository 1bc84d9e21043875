"""Skills, commands and agents of packages in the agent's own folder: ours is marked, what is not ours stays."""

import pytest

from synaptic.packages.remove import prepare_removal
from synaptic.packages.shown import MARK, add_mark, locate_shown
from tests.packages.shelf import Owner, made, refused, tree

SKILL = "---\nname: alpha\ndescription: does it\n---\n# Alpha\n"
COMMAND = "Say hello to $ARGUMENTS.\n"
AGENT = "---\nname: reviewer\ndescription: reviews\ntools: Read\n---\nYou review.\n"
FILES = {"SKILL.md": SKILL, "commands/hello.md": COMMAND, "agents/reviewer.md": AGENT, "references/more.md": "# More\n"}
COPIES = ["agents/reviewer.md", "commands/hello.md", "skills/alpha/SKILL.md", "skills/alpha/references/more.md"]


def package(name="alpha", version="1.0.0", **files):
    return made(name, version, files=files.pop("files", FILES), hooks=[])


def copies(owner):
    folder = owner.project / ".claude"
    return sorted(tree(folder)) if folder.exists() else []


def test_an_install_brings_them_where_the_agent_reads_and_a_removal_takes_them_out(tmp_path):
    owner = Owner(tmp_path, package())
    owner.install("alpha")
    assert copies(owner) == COPIES
    for path in COPIES:
        (mark,) = MARK.findall((owner.project / ".claude" / path).read_bytes())
        assert mark == (b"alpha", b"1.0.0")
    text = (owner.project / ".claude/skills/alpha/SKILL.md").read_text()
    assert text.startswith("---\nname: alpha\ndescription: does it\n---\n<!-- synaptic:package alpha 1.0.0: ")
    assert owner.faults() == []
    owner.remove("alpha")
    assert not (owner.project / ".claude").exists()


def test_the_plan_and_the_plan_of_a_removal_name_every_copy(tmp_path):
    owner = Owner(tmp_path, package())
    (shown,) = owner.plan("alpha").summarise()
    assert [line.path for line in shown.files if line.path.startswith(".claude/")] == [
        f".claude/{path}" for path in ("agents/reviewer.md", "commands/hello.md", *COPIES[2:])
    ]
    owner.install("alpha")
    (shown,) = prepare_removal(owner.site, "alpha").summarise()
    assert {line.path for line in shown.files if line.state == "obsolete"} >= {f".claude/{path}" for path in COPIES}


def test_for_all_projects_they_go_to_the_users_own_folder_also_behind_a_link_of_theirs(tmp_path):
    owner = Owner(tmp_path, package())
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (owner.home.root.parent / ".claude").symlink_to(dotfiles)
    owner.install("alpha", owner.everywhere)
    assert sorted(tree(dotfiles)) == COPIES
    owner.remove("alpha", owner.everywhere)
    assert sorted(tree(dotfiles)) == []
    assert (owner.home.root.parent / ".claude").is_symlink()


@pytest.mark.parametrize("path", COPIES)
def test_a_file_of_somebody_else_is_neither_overwritten_nor_removed(tmp_path, path):
    owner = Owner(tmp_path, package())
    mine = owner.project / ".claude" / path
    mine.parent.mkdir(parents=True)
    mine.write_text("mine\n")
    (shown,) = owner.plan("alpha").summarise()
    assert any(path in warning and "your own" in warning for warning in shown.warnings)
    owner.install("alpha", force=True)
    assert mine.read_text() == "mine\n"
    assert copies(owner) == COPIES
    owner.remove("alpha")
    assert copies(owner) == [path]


@pytest.mark.parametrize("link", [".claude", ".claude/skills", ".claude/skills/alpha", ".claude/skills/alpha/SKILL.md"])
def test_nothing_is_written_through_a_link_of_the_project(tmp_path, link):
    owner = Owner(tmp_path, package())
    outside = tmp_path / "outside"
    outside.mkdir()
    place = owner.project / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(outside / "file" if link.endswith(".md") else outside)
    (shown,) = owner.plan("alpha").summarise()
    assert any("is a symbolic link" in warning for warning in shown.warnings)
    owner.install("alpha")
    assert list(outside.iterdir()) == []
    owner.remove("alpha")
    assert place.is_symlink()


def test_a_link_that_comes_after_the_plan_stops_everything(tmp_path):
    owner = Owner(tmp_path, package())
    prepared = owner.plan("alpha")
    assert not any(one.problem for one in prepared.items[0].shown)
    outside = tmp_path / "outside"
    outside.mkdir()

    def put_link(step):
        if step == "decided":
            (owner.project / ".claude").symlink_to(outside)

    refusal = refused(lambda: owner.install("alpha", after=put_link))
    assert ".claude" in str(refusal)
    assert list(outside.iterdir()) == []
    assert owner.lock().list_names() == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("---\nname: a\nhooks:\n  PreToolUse: []\n---\n", "hooks of its own"),
        ("---\nname: a\nallowed-tools: Bash\n---\n", "`allowed-tools`"),
        ("---\nname: a\npermissionMode: bypassPermissions\n---\n", "`permissionMode`"),
        ("---\nname: a\nmcpServers: {}\n---\n", "`mcpServers`"),
        ("---\nname: [\n---\n", "cannot be read"),
        ("---\ndescription: |\n  x\n  hooks: {}\n---\n", "hooks of its own"),
        ("Look: !`id`\n", "run a command"),
        ("```!\nid\n```\n", "run a command"),
    ],
)
def test_what_would_run_or_ask_less_is_installed_and_not_shown(tmp_path, text, told):
    owner = Owner(tmp_path, package(files={"SKILL.md": text}))
    (shown,) = owner.plan("alpha").summarise()
    assert any(told in warning for warning in shown.warnings), shown.warnings
    owner.install("alpha")
    assert copies(owner) == []
    assert owner.path("skills/alpha/SKILL.md").read_text() == text


def test_a_command_named_skill_would_hide_all_others(tmp_path):
    owner = Owner(tmp_path, package(files={"commands/Skill.md": "x\n"}))
    owner.install("alpha")
    assert copies(owner) == []


def test_an_upgrade_renews_them_and_drops_what_is_gone(tmp_path):
    owner = Owner(tmp_path, package())
    owner.install("alpha")
    owner.source.add(package(version="1.1.0", files={"SKILL.md": SKILL.replace("does it", "does more")}))
    owner.install("alpha")
    assert copies(owner) == ["skills/alpha/SKILL.md"]
    text = (owner.project / ".claude/skills/alpha/SKILL.md").read_text()
    assert "does more" in text
    assert "alpha 1.1.0:" in text


def test_an_upgrade_that_may_not_be_shown_leaves_no_old_copy(tmp_path):
    owner = Owner(tmp_path, package())
    owner.install("alpha")
    owner.source.add(package(version="1.1.0", files={"SKILL.md": "---\nhooks: {}\n---\n"}))
    owner.install("alpha")
    assert copies(owner) == []


def test_a_copy_that_was_edited_is_kept_beside_and_told_before_a_removal(tmp_path):
    owner = Owner(tmp_path, package())
    owner.install("alpha")
    copy = owner.project / ".claude/skills/alpha/SKILL.md"
    copy.write_text(copy.read_text() + "mine\n")
    assert prepare_removal(owner.site, "alpha").modified_files == (".claude/skills/alpha/SKILL.md",)
    owner.install("alpha")
    assert "mine" not in copy.read_text()
    (kept,) = (one for one in (owner.home.root / "mod-snapshots").rglob("SKILL.md"))
    assert kept.read_text().endswith("mine\n")


def test_a_file_of_two_packages_goes_with_the_last(tmp_path):
    files = {"agents/reviewer.md": AGENT}
    owner = Owner(tmp_path, package("alpha", files=files), package("beta", files=files))
    owner.install("alpha")
    owner.install("beta")
    owner.remove("alpha")
    assert copies(owner) == ["agents/reviewer.md"]
    owner.remove("beta")
    assert copies(owner) == []


def test_a_skill_that_another_package_has_brought_is_not_replaced(tmp_path):
    inner = {"skills/shared/SKILL.md": SKILL}
    owner = Owner(tmp_path, package("alpha", files=inner), package("beta", files=inner))
    owner.install("alpha")
    (shown,) = owner.plan("beta").summarise()
    assert any("alpha has brought one" in warning for warning in shown.warnings)
    owner.install("beta")
    assert b"synaptic:package alpha" in (owner.project / ".claude/skills/shared/SKILL.md").read_bytes()


def test_which_files_have_a_copy():
    assert locate_shown("alpha", ["skills/alpha/README.md", "skills/alpha/hooks/pre.sh"]) == {}
    nested = [
        "skills/alpha/SKILL.md",
        "skills/alpha/skills/in/SKILL.md",
        "skills/alpha/skills/in/a.md",
        "commands/c.md",
    ]
    assert locate_shown("alpha", nested) == {
        "commands/c.md": "commands/c.md",
        "skills/alpha/SKILL.md": "skills/alpha/SKILL.md",
        "skills/alpha/skills/in/SKILL.md": "skills/in/SKILL.md",
        "skills/alpha/skills/in/a.md": "skills/in/a.md",
    }


def test_the_mark_never_comes_before_front_matter_and_always_before_what_only_looks_like_it():
    assert add_mark(b"---\na: 1\n---\nx", "p", "1", "s").split(b"\n")[:3] == [b"---", b"a: 1", b"---"]
    assert add_mark(b"\xef\xbb\xbf---\nhooks: 1\n---\n", "p", "1", "s").startswith(b"<!-- synaptic:package")
    assert add_mark(b"---\nnever closed", "p", "1", "s").startswith(b"<!-- synaptic:package")
