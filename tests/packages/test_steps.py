"""All or nothing: a kill after every step, a refusal by the operating system, and many installers at once."""

import os
import re
import signal

import pytest

from synaptic.packages.steps import DropFile, FileTransaction, PutFile, commit_changes, hold_install_lock
from tests.packages.shelf import Owner, made, refused, tree

ALPHA = made("alpha")
BETA = made("beta", deps=[{"dep_name": "alpha", "dep_type": "skill"}])
ALPHA_2 = made(
    "alpha",
    "2.0.0",
    files={"hooks/post.sh": "#!/bin/sh\necho 2\n", "README.md": "two\n"},
    hooks=[("PostToolUse", "hooks/post.sh", {})],
)
VERBS = ("install", "upgrade", "remove")


class Scenario:
    """A user before a verb is called, and the call."""

    def __init__(self, folder, verb):
        self.verb = verb
        self.owner = Owner(folder, ALPHA, BETA)
        (self.owner.site.base / "hooks").mkdir(parents=True)
        self.owner.site.registry.write_text("# mine\n")
        if verb != "install":
            self.owner.install("alpha")
            self.owner.source.add(ALPHA_2)
        self.before = tree(self.owner.project)

    def run(self, after):
        if self.verb == "remove":
            self.owner.remove("alpha", after=after)
        else:
            self.owner.install("beta" if self.verb == "install" else "alpha", after=after)

    def steps(self):
        names = []
        self.run(names.append)
        return names

    def tree(self):
        """The project, with its own path and the time of day taken out."""
        own = str(self.owner.project).encode()
        return {
            path: (mode, re.sub(rb"installed_at = .*", b"", data.replace(own, b"ROOT")))
            for path, (mode, data) in tree(self.owner.project).items()
        }


def in_child(work):
    """Some work in a process of its own; how that ended."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def killing(victim):
    """A watcher that ends its process without any warning after the step of that number."""
    seen = []

    def after(step):
        seen.append(step)
        if len(seen) == victim + 1:
            os.kill(os.getpid(), signal.SIGKILL)

    return after


def failing(victim):
    """A watcher that runs out of disk after the step of that number."""
    seen = []

    def after(step):
        seen.append(step)
        if len(seen) == victim + 1:
            raise OSError(28, "No space left on device", "somewhere")

    return after


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("verb", VERBS)
def test_a_kill_after_every_step_leaves_the_tree_as_before_or_as_after(tmp_path, verb):
    """S0-085, S0-187"""
    whole = Scenario(tmp_path / "whole", verb)
    steps = whole.steps()
    assert len(steps) >= 12
    seen = []
    for number, step in enumerate(steps):
        case = Scenario(tmp_path / f"{number}", verb)
        before = case.tree()
        assert in_child(lambda case=case, number=number: case.run(killing(number))) == -signal.SIGKILL
        with hold_install_lock(case.owner.home, (case.owner.site,)) as told:  # what the next call does first
            pass
        now = case.tree()
        assert now in (before, whole.tree()), step
        seen.append("before" if now == before else "after")
        assert bool(told) == (seen[-1] == "after" and step != "finished")
        assert case.owner.faults() == []
        assert not list((case.owner.home.root / "install").glob("*.json"))
        assert not case.owner.site.staging.exists()
    decided = steps.index("decided")
    assert seen == ["before"] * decided + ["after"] * (len(steps) - decided)


@pytest.mark.parametrize("verb", VERBS)
def test_a_failure_at_every_step_leaves_the_tree_as_before(tmp_path, verb):
    """S0-088, S0-090, S0-095"""
    steps = Scenario(tmp_path / "whole", verb).steps()
    for number, step in enumerate(steps):
        if step in ("decided", "finished"):
            continue  # nothing happens there that could fail
        case = Scenario(tmp_path / f"{number}", verb)
        before = tree(case.owner.folder)

        refusal = refused(lambda case=case, number=number: case.run(failing(number)))
        assert "No space left" in refusal.message
        assert tree(case.owner.folder) == before, step
        assert case.owner.faults() == []


def test_a_refused_move_takes_everything_back(tmp_path):
    """S0-095"""
    owner = Owner(tmp_path, ALPHA)
    one, two, blocked = (owner.site.base / name for name in ("one", "two", "blocked"))
    owner.site.base.mkdir()
    one.write_text("old")
    start = tree(owner.folder)
    root = owner.project
    changes = (PutFile(root, one, b"new"), PutFile(root, two, b"new"), PutFile(root, blocked, b"new"))
    work = FileTransaction(what="test", sites=(owner.site,), changes=changes)
    with hold_install_lock(owner.home, (owner.site,)):
        refusal = refused(lambda: commit_changes(owner.home, work, lambda step: step == "decided" and blocked.mkdir()))
    assert refusal.code == "internal_error"
    assert "everything is as it was" in refusal.message
    assert tree(owner.folder) == start


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_was_decided_is_finished_from_any_other_project(tmp_path):
    case = Scenario(tmp_path, "install")
    in_child(lambda: case.run(lambda step: os.kill(os.getpid(), signal.SIGKILL) if step == "decided" else None))
    assert case.owner.lock().list_names() == ()
    with hold_install_lock(case.owner.home, ()) as told:
        assert told == ("install alpha, beta: was interrupted, and is finished now",)
    assert case.owner.lock().list_names() == ("alpha", "beta")


def test_a_leftover_lock_file_blocks_nobody(tmp_path):
    """S0-187"""
    owner = Owner(tmp_path, ALPHA)
    (owner.home.root / "install").mkdir()
    (owner.home.root / "install" / "lock").write_text("4711")
    owner.install("alpha")
    assert owner.lock().list_names() == ("alpha",)


@pytest.mark.parametrize("linked", ["registry", "lockfile"])
def test_a_link_among_the_users_own_files_stays_a_link(tmp_path, linked):
    owner = Owner(tmp_path, ALPHA)
    real = tmp_path / "dotfiles" / "file.toml"
    real.parent.mkdir()
    real.write_text("# shared\n")
    link = getattr(owner.everywhere, linked)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(real)
    owner.install("alpha", owner.everywhere)
    assert link.is_symlink()
    assert "alpha" in real.read_text()


def test_an_engine_folder_that_is_a_link_is_the_users_own(tmp_path):
    owner = Owner(tmp_path, ALPHA)
    real = tmp_path / "dotfiles" / "synaptic"
    real.parent.mkdir()
    owner.home.root.rename(real)
    owner.home.root.symlink_to(real)
    owner.install("alpha", owner.everywhere)
    owner.install("alpha")
    assert (owner.faults(owner.everywhere), owner.faults()) == ([], [])
    owner.remove("alpha", owner.everywhere)
    assert not (real / "skills").exists()


def test_a_file_that_changes_while_it_is_to_be_deleted_stays(tmp_path):
    owner = Owner(tmp_path, ALPHA)
    owner.install("alpha")
    script = owner.path("skills/alpha/hooks/pre.sh")
    before = tree(owner.folder)
    drop = DropFile(owner.project, script, owner.site.base, "0" * 64)
    with hold_install_lock(owner.home, (owner.site,)):
        work = FileTransaction(what="test", sites=(owner.site,), changes=(drop,))
        assert refused(lambda: commit_changes(owner.home, work)).code == "conflict"
    assert tree(owner.folder) == before


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_twenty_installers_at_once_lose_no_entry(tmp_path):
    """S0-068, S0-096"""
    bundles = [made(f"skill-{number:02}") for number in range(20)]
    owner = Owner(tmp_path, *bundles)
    names = [one.package.name for one in bundles]
    children = []
    for name in names:
        pid = os.fork()
        if pid == 0:
            try:
                owner.install(name)
                os._exit(0)
            except BaseException:
                os._exit(1)
        children.append(pid)
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] == [0] * 20
    assert sorted(entry["skill"] for entry in owner.entries()) == names
    assert owner.lock().list_names() == tuple(names)
    assert owner.faults() == []
