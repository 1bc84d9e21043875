"""Links that a repository brings in the place of our files and folders, and links that appear while we write."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from synaptic.engine.operator_files import write_files
from synaptic.model.effect import AppendLine, KeepLines, RemoveFile, WriteFile
from synaptic.model.errors import LayerError, SettingsError, SynapticError
from synaptic.model.home import Home
from synaptic.model.layers import Effort
from synaptic.setup.env import remove_env, write_env
from synaptic.store import mirror
from synaptic.store.db import Store
from synaptic.work.task_files import append_log_entry
from tests.cli.conftest import User
from tests.packages.shelf import made, refused, tree
from tests.security.packages.market import Market, Victim

FOLDERS = (".synaptic", ".synaptic/hooks", ".synaptic/skills", ".synaptic/skills/alpha", ".synaptic/skills/alpha/hooks")
FILES = {
    "manifest.lock": "",
    "hooks/registry.toml": "",
    "env.toml": "",
    ".gitignore": "",
    "skills/alpha/SKILL.md": "",
    "skills/alpha/hooks/pre.sh": "",
    "hooks/.registry.lock": "",
}


def link_folder(victim: Victim, name: str) -> None:
    """A folder of the project that leads outside, where a folder of the same shape waits."""
    link = victim.project / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(victim.outside)


@pytest.mark.parametrize("name", FOLDERS)
def test_nothing_is_installed_through_a_linked_folder(victim: Victim, name: str) -> None:
    link_folder(victim, name)
    with pytest.raises(SynapticError) as raised:
        victim.install("alpha")
    assert "symbolic link" in str(raised.value)
    assert f"rm {victim.project / name}" in str(raised.value)
    assert victim.is_unharmed


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("leads", ["to a file", "to nothing", "inside the project"])
def test_nothing_is_installed_through_a_linked_file(victim: Victim, name: str, leads: str) -> None:
    link = victim.site.base / name
    link.parent.mkdir(parents=True, exist_ok=True)
    own = victim.project / "main.py"
    own.write_text("mine\n")
    places = {"to a file": victim.outside / "precious", "to nothing": victim.outside / "new", "inside the project": own}
    link.symlink_to(places[leads])
    with pytest.raises(SynapticError):
        victim.install("alpha", force=True)
    assert victim.is_unharmed
    assert own.read_text() == "mine\n"
    assert link.is_symlink()


@pytest.mark.parametrize("name", FOLDERS)
def test_nothing_is_removed_through_a_linked_folder(victim: Victim, name: str) -> None:
    victim.install("alpha")
    folder = victim.project / name
    moved = victim.outside / "moved"
    folder.rename(moved)
    folder.symlink_to(moved)
    before = tree(moved)
    with pytest.raises(SynapticError):
        victim.remove("alpha")
    assert tree(moved) == before


@pytest.mark.parametrize("verb", ["install", "remove"])
@pytest.mark.parametrize("name", FOLDERS[1:])
def test_a_folder_that_becomes_a_link_between_two_steps_wins_nothing(victim: Victim, name: str, verb: str) -> None:
    """At every step of the transaction in turn: what was decided is not carried out through the link."""
    if verb == "remove":
        victim.install("alpha")
    steps: list[str] = []
    clone = victim.folder / "clone"
    shutil.copytree(victim.folder / "project", clone)
    work: Callable[..., object] = getattr(victim, verb)
    work("alpha", after=steps.append)
    for number in range(len(steps)):
        _race(victim, clone, name, work, number)


def _race(victim: Victim, clone: Path, name: str, work: Callable[..., object], number: int) -> None:
    shutil.rmtree(victim.project)
    shutil.copytree(clone, victim.project)
    shutil.rmtree(victim.home.root / "installed", ignore_errors=True)
    seen: list[str] = []

    def swap(step: str) -> None:
        seen.append(step)
        folder = victim.project / name
        if len(seen) == number + 1 and folder.is_dir() and not folder.is_symlink():
            folder.rename(victim.project / "aside")
            folder.symlink_to(victim.outside)

    try:
        work("alpha", after=swap)
    except SynapticError:
        pass
    finally:
        shutil.rmtree(victim.home.root / "install", ignore_errors=True)
    assert victim.is_unharmed, f"after {seen[-1]}"


@pytest.mark.parametrize("name", [".synaptic", ".synaptic/.install", ".synaptic/hooks", ".synaptic/skills"])
def test_an_interrupted_call_is_not_finished_through_a_link(victim: Victim, name: str) -> None:
    def stop(step: str) -> None:
        if step == "decided":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        victim.install("alpha", after=stop)
    folder = victim.project / name
    if folder.exists():
        folder.rename(victim.project / "aside")
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.symlink_to(victim.outside)
    with pytest.raises(SynapticError):
        victim.install("alpha")
    assert victim.is_unharmed


@pytest.mark.parametrize(
    "name",
    [
        ".synaptic",
        ".synaptic/env.toml",
        ".synaptic/.gitignore",
        ".synaptic/lib",
        ".synaptic/lib/.gitignore",
        ".synaptic/logs",
    ],
)
def test_up_writes_through_no_link_of_the_project(user: User, name: str) -> None:
    outside = user.folder / "outside"
    outside.mkdir()
    (outside / "precious").write_text("precious\n")
    link = user.project / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / "precious" if Path(name).suffix or "ignore" in name else outside)
    done = user.types("up")
    assert done.code != 0
    assert "symbolic link" in done.err
    assert f"rm {link}" in done.err
    assert tree(user.folder / "outside") == {"precious": (0o644, b"precious\n")}
    assert not user.settings.exists(), "refused before anything was written"


@pytest.mark.parametrize("name", [".synaptic", ".synaptic/env.toml", ".synaptic/lib", ".synaptic/logs"])
def test_down_deletes_through_no_link_of_the_project(tmp_path: Path, name: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    write_env(project)
    moved = tmp_path / "moved"
    (project / name).rename(moved)
    (project / name).symlink_to(moved)
    before = tree(tmp_path / "moved") if moved.is_dir() else moved.read_bytes()
    try:
        remove_env(project)
    except SettingsError as error:
        assert "symbolic link" in str(error)
    assert (tree(moved) if moved.is_dir() else moved.read_bytes()) == before


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["config", "set", "journal", "off", "--project"], ".synaptic/config.toml"),
        (["config", "set", "journal", "off", "--project"], ".synaptic"),
        (["policy", "enable", "@strict", "--project"], ".synaptic/config.toml"),
        (["policy", "enable", "@strict", "--project"], ".synaptic"),
        (["hook", "new", "mine", "--event", "SessionStart"], ".system"),
        (["hook", "new", "mine", "--event", "SessionStart"], ".system/hooks"),
        (["hook", "new", "mine", "--event", "SessionStart"], "scripts"),
        (["hook", "new", "mine", "--event", "SessionStart"], "scripts/hooks"),
        (["hook", "new", "mine", "--event", "SessionStart"], "scripts/hooks/mine.py"),
        (["hook", "new", "mine", "--event", "SessionStart"], ".system/hooks/mine.yaml"),
    ],
    ids=lambda one: " ".join(one[:2]) if isinstance(one, list) else one,
)
def test_a_verb_that_writes_into_the_project_follows_no_link(user: User, words: list[str], name: str) -> None:
    outside = user.folder / "outside"
    outside.mkdir()
    link = user.project / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / "new" if link.suffix in (".toml", ".py", ".yaml") else outside)
    done = user.types(*words)
    assert done.code != 0, done.out
    assert list(outside.iterdir()) == []


def test_hooks_of_linked_project_settings_are_not_taken_over(user: User) -> None:
    assert user.types("bootstrap").code == 0
    real = user.folder / "elsewhere.json"
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}
    real.write_text(json.dumps({"hooks": {"PreToolUse": [group]}}))
    (user.project / ".claude").mkdir()
    (user.project / ".claude" / "settings.json").symlink_to(real)
    before = real.read_bytes()
    assert user.types("import", "claude", "--project").code != 0
    assert real.read_bytes() == before


EFFECTS = {
    "append": lambda path: AppendLine(path, "line"),
    "replace": lambda path: WriteFile(path, "text"),
    "remove": RemoveFile,
    "cut": lambda path: KeepLines(path, 1),
}


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize(
    ("folder", "file"),
    [
        (".claude", "audit.jsonl"),
        (".claude", "state.json"),
        (".synaptic/logs", "audit.log"),
        (".synaptic", "logs/audit.log"),
        (".system", "logs/tool_call.md"),
        (".system/cache", "ability_usage.json"),
    ],
)
def test_an_operators_file_is_not_written_through_a_linked_folder(
    victim: Victim, folder: str, file: str, effect: str
) -> None:
    target = victim.outside / file
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("one\ntwo\nthree\n")
    before = tree(victim.outside)
    link_folder(victim, folder)
    (warning,) = write_files(str(victim.project), [EFFECTS[effect](f"{victim.project}/{folder}/{file}")]) or ("quiet",)
    assert "symbolic link" in warning or effect == "cut"
    assert tree(victim.outside) == before


@pytest.mark.parametrize(
    "name", [".claude", ".claude/state.json.lock", ".claude/state.json", ".claude/state.json.forged"]
)
def test_the_signed_state_is_not_written_through_a_link(victim: Victim, name: str) -> None:
    link = victim.project / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(victim.outside if name == ".claude" else victim.outside / "precious")
    store = Store.open(victim.home)
    try:
        mirror.write_mirror(store, str(victim.project))
    finally:
        store.close()
    assert victim.is_unharmed


def test_a_pipe_in_the_place_of_a_log_keeps_nobody_waiting(victim: Victim) -> None:
    (victim.project / ".claude").mkdir()
    os.mkfifo(victim.project / ".claude" / "audit.jsonl")
    (warning,) = write_files(str(victim.project), [AppendLine(f"{victim.project}/.claude/audit.jsonl", "x")])
    assert "audit.jsonl" in warning


@pytest.mark.parametrize(
    "path", ["/etc/precious", "{project}/../outside/precious", "{project}", "relative", "{project}/a\0b"]
)
def test_an_operators_file_outside_of_the_project_is_not_written(victim: Victim, path: str) -> None:
    shown = path.format(project=victim.project)
    assert len(write_files(str(victim.project), [AppendLine(shown, "x"), WriteFile(shown, "x")])) == 2
    assert victim.is_unharmed


@pytest.mark.parametrize("name", [".tasks", ".tasks/one", ".tasks/one/1_BUILD_LOG.md"])
def test_the_log_of_a_task_is_not_written_through_a_link(victim: Victim, name: str) -> None:
    link = victim.project / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(victim.outside / "precious" if name.endswith(".md") else victim.outside)
    effort = Effort(id=1, project=1, task=f"{victim.project}/.tasks/one", skill="build", ordinal=1)
    with pytest.raises(LayerError):
        append_log_entry(str(victim.project), effort, "## x")
    assert victim.is_unharmed


def test_a_snapshot_of_a_changed_file_goes_nowhere_else(victim: Victim) -> None:
    """The name of a channel is part of the path that copies are kept at."""
    victim.install("alpha")
    victim.path("skills/alpha/SKILL.md").write_text("mine\n")
    victim.rewrite_lock(branch="..")
    assert refused(lambda: victim.remove("alpha")).code == "validation_failed"
    victim.rewrite_lock(branch="main")
    victim.remove("alpha")
    kept = [path for path in tree(victim.home.root) if path.endswith("SKILL.md")]
    assert [path.split("/")[:3] for path in kept] == [["mod-snapshots", "alpha", "main"]]


@pytest.mark.parametrize("linked", [".claude", ".claude/settings.json", ".synaptic"])
def test_links_in_the_users_own_home_are_followed(user: User, linked: str) -> None:
    """Not an attempt by anybody: settings in a repository of dotfiles must go on working."""
    dotfiles = user.folder / "dotfiles"
    dotfiles.mkdir()
    link = user.folder / linked
    link.parent.mkdir(exist_ok=True)
    if linked.endswith(".json"):
        (dotfiles / "settings.json").write_text("{}\n")
        link.symlink_to(dotfiles / "settings.json")
    else:
        link.symlink_to(dotfiles)
    done = user.types("bootstrap")
    assert done.code == 0, done.err
    assert link.is_symlink()
    assert "dispatch" in user.settings.read_text()


def test_a_project_below_a_link_is_a_project_like_any_other(tmp_path: Path, market: Market) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    victim = Victim(tmp_path / "link" / "here", market)
    victim.install("alpha")
    assert victim.faults() == []


def test_a_package_of_all_projects_is_not_written_through_a_link_either(victim: Victim) -> None:
    victim.home.root.joinpath("skills").symlink_to(victim.outside)
    assert "symbolic link" in refused(lambda: victim.install("alpha", victim.everywhere)).message
    assert victim.is_unharmed


def test_a_dependency_is_not_written_through_a_link(victim: Victim, market: Market) -> None:
    market.put(made("needs-alpha", deps=[{"dep_name": "alpha", "dep_type": "skill"}]))
    link_folder(victim, ".synaptic/skills/alpha")
    assert "symbolic link" in refused(lambda: victim.install("needs-alpha")).message
    assert victim.is_unharmed
    assert not victim.path("skills/needs-alpha").exists()


def test_the_home_of_the_engine_is_not_a_project(user: User) -> None:
    home = Home(user.folder / ".synaptic")
    (user.project / ".synaptic").symlink_to(home.root)
    assert user.types("up").code != 0
    assert not home.root.joinpath("env.toml").exists()
