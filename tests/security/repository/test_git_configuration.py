"""Programs that the `.git` of an unpacked archive names: none starts when the engine asks git."""

import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest

from synaptic.facts.ask_git import run_git

ENV = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
QUESTIONS = (
    ("status", "--porcelain"),
    ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "HEAD", "--", "a.txt"),
    ("diff", "--cached", "--name-only", "--no-renames", "-z"),
    ("rev-parse", "--quiet", "--verify", "MERGE_HEAD"),
    ("status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames", "--"),
    ("diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "HEAD", "--", "a.txt"),
    ("diff", "--name-only", "-z", "--no-renames", "--diff-filter=A", "--no-ext-diff", "HEAD", "HEAD", "--"),
    ("clean", "-d", "-x", "-ff", "-n", "--"),
    ("log", "-g", "--max-count=2", "--format=%gs", "HEAD", "--"),
    ("rev-list", "--oneline", "HEAD", "--not", "--exclude=main", "--branches", "--tags", "--remotes", "--"),
    ("ls-files", "-s", "-z", "--"),
    ("rev-list", "--count", "HEAD"),
)


def git(folder: Path, *words: str) -> None:
    named = (
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "protocol.file.allow=always",
    )
    subprocess.run(["git", *named, *words], cwd=folder, env=ENV, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    tree.mkdir()
    git(tree, "init", "-q")
    (tree / "a.txt").write_text("one\n")
    git(tree, "add", "a.txt")
    git(tree, "commit", "-q", "-m", "a")
    evil = tmp_path / "evil.sh"
    evil.write_text(f"#!/bin/sh\necho EVIL >> '{tmp_path}/ran'\ncat\n")
    evil.chmod(0o755)
    (tree / "a.txt").write_text("two\n")
    return tree


def ask_everything(tree: Path) -> list[str]:
    async def ask() -> list[str]:
        return [await run_git(str(tree), *words) for words in QUESTIONS]

    return asyncio.run(ask())


CONFIGURATIONS = {
    "a clean filter": '[filter "x"]\n\tclean = {evil}\n\trequired = true\n',
    "a filter process": '[filter "x"]\n\tprocess = {evil}\n',
    "a filter in capitals": '[FILTER "x"]\n\tCLEAN = {evil}\n',
    "a filter called a=b": '[filter "a=b"]\n\tclean = {evil}\n[filter "x"]\n\tclean = {evil}\n',
    "a filter with a dot": '[filter "x.clean"]\n\tclean = {evil}\n[filter "x"]\n\tclean = {evil}\n',
    "a filter in the old spelling": "[filter.x]\n\tclean = {evil}\n",
    "fsmonitor": "[core]\n\tfsmonitor = {evil}\n",
    "hooksPath": "[core]\n\thooksPath = {folder}/hooks\n",
    "sshCommand": "[core]\n\tsshCommand = {evil}\n",
    "a pager": "[core]\n\tpager = {evil}\n[pager]\n\tdiff = {evil}\n\tstatus = {evil}\n",
    "an external diff": "[diff]\n\texternal = {evil}\n",
    "a diff driver": '[diff "x"]\n\tcommand = {evil}\n\ttextconv = {evil}\n',
    "a merge driver": '[merge "x"]\n\tdriver = {evil}\n',
    "an alias": "[alias]\n\tstatus = !{evil}\n\tdiff = !{evil}\n\trev-list = !{evil}\n",
    "an editor": "[core]\n\teditor = {evil}\n",
    "a credential helper": "[credential]\n\thelper = !{evil}\n",
    "alternate references": "[core]\n\talternateRefsCommand = {evil}\n",
    "a signature program": "[gpg]\n\tprogram = {evil}\n[log]\n\tshowSignature = true\n",
    "an included filter": "[include]\n\tpath = {folder}/more\n",
    "a conditional include": '[includeIf "gitdir:{tree}/"]\n\tpath = {folder}/more\n',
    "a promised remote": (
        '[remote "o"]\n\turl = ext::{evil}\n\tpromisor = true\n[protocol "ext"]\n\tallow = always\n'
        "[protocol]\n\tallow = always\n"
        "[extensions]\n\tpartialClone = o\n[core]\n\trepositoryformatversion = 1\n"
    ),
    "a worktree configuration": "[extensions]\n\tworktreeConfig = true\n[core]\n\trepositoryformatversion = 1\n",
}


@pytest.mark.parametrize("attributes", [".gitattributes", ".git/info/attributes"])
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_nothing_that_a_configuration_names_is_started(tree: Path, name: str, attributes: str):
    folder = tree.parent
    text = CONFIGURATIONS[name].format(evil=folder / "evil.sh", folder=folder, tree=tree)
    filters = f'[filter "x"]\n\tclean = {folder}/evil.sh\n\tprocess = {folder}/evil.sh\n'
    (folder / "more").write_text(filters)
    if name == "a worktree configuration":
        (tree / ".git" / "config.worktree").write_text(filters)
    hooks = folder / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "fsmonitor-watchman", "pre-commit"):
        (hooks / hook).symlink_to(folder / "evil.sh")
        (tree / ".git" / "hooks" / hook).symlink_to(folder / "evil.sh")
    with (tree / ".git" / "config").open("a") as file:
        file.write(text)
    (tree / attributes).parent.mkdir(exist_ok=True)
    (tree / attributes).write_text("* filter=x diff=x merge=x\n")
    if name == "a promised remote":
        for pack in (tree / ".git" / "objects").glob("*/*"):
            pack.unlink()
    ask_everything(tree)
    assert not (folder / "ran").exists()


def test_the_configuration_of_a_submodule_is_not_asked(tree: Path, tmp_path: Path):
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "b.txt").write_text("one\n")
    git(inner, "add", "b.txt")
    git(inner, "commit", "-q", "-m", "b")
    git(tree, "submodule", "--quiet", "add", str(inner), "sub")
    config = tree / ".git" / "modules" / "sub" / "config"
    config.write_text(config.read_text() + f"[core]\n\tfsmonitor = {tmp_path}/evil.sh\n")
    (tree / "sub" / "b.txt").write_text("two\n")
    ask_everything(tree)
    assert not (tmp_path / "ran").exists()


def test_a_git_file_that_leads_elsewhere_is_no_way_in(tree: Path, tmp_path: Path):
    (tree / ".git").rename(tmp_path / "gitdir")
    (tree / ".git").write_text(f"gitdir: {tmp_path}/gitdir\n")
    with (tmp_path / "gitdir" / "config").open("a") as file:
        file.write(f'[filter "x"]\n\tclean = {tmp_path}/evil.sh\n')
    (tree / ".gitattributes").write_text("* filter=x\n")
    ask_everything(tree)
    assert not (tmp_path / "ran").exists()


def name_filter(config: Path, evil: Path) -> None:
    with config.open("a") as file:
        file.write(f'[filter "x"]\n\tclean = {evil}\n')


def test_a_configuration_that_lies_in_a_common_folder_is_no_way_in(tree: Path, tmp_path: Path):
    shutil.copytree(tree / ".git", tree / "common")
    name_filter(tree / "common" / "config", tmp_path / "evil.sh")
    (tree / ".git" / "commondir").write_text("../common\n")
    (tree / ".gitattributes").write_text("* filter=x\n")
    ask_everything(tree)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("missing", ["HEAD", "objects", "refs"])
def test_a_folder_that_git_passes_over_does_not_stand_for_the_one_above_it(tree: Path, tmp_path: Path, missing: str):
    """`.git` is one only when git takes it for one; what it reads instead is the configuration further up."""
    inner = tree / "inner"
    inner.mkdir()
    shutil.copytree(tree / ".git", inner / ".git")
    broken = inner / ".git" / missing
    broken.unlink() if broken.is_file() else shutil.rmtree(broken)
    (inner / "b.txt").write_text("one\n")
    git(tree, "add", "inner/b.txt")
    git(tree, "commit", "-q", "-m", "b")
    name_filter(tree / ".git" / "config", tmp_path / "evil.sh")
    (inner / ".gitattributes").write_text("* filter=x\n")
    (inner / "b.txt").write_text("two\n")
    ask_everything(inner)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("head", ["", "ref: elsewhere\n", "ref: ../refs/heads/main\n", "0123\n", "z" * 40])
def test_a_bare_repository_around_an_unfinished_one_is_no_way_in(tree: Path, tmp_path: Path, head: str):
    bare = tmp_path / "bare"
    shutil.copytree(tree / ".git", bare)
    name_filter(bare / "config", tmp_path / "evil.sh")
    with (bare / "config").open("a") as file:
        file.write(f"[core]\n\tbare = false\n\tworktree = {tree}\n")
    shutil.copytree(tree / ".git", bare / ".git")
    (bare / ".git" / "HEAD").write_text(head)
    (tree / ".gitattributes").write_text("* filter=x\n")
    ask_everything(bare)
    assert not (tmp_path / "ran").exists()


def test_the_filter_would_run_when_git_is_asked_plainly(tree: Path, tmp_path: Path):
    """The tests above would all pass if the configuration did nothing."""
    with (tree / ".git" / "config").open("a") as file:
        file.write(f'[filter "x"]\n\tclean = {tmp_path}/evil.sh\n')
    (tree / ".gitattributes").write_text("* filter=x\n")
    git(tree, "status", "--porcelain")
    assert (tmp_path / "ran").exists()


def test_git_still_answers(tree: Path):
    status, diff, *_, count = ask_everything(tree)
    assert status == " M a.txt\n"
    assert "+two" in diff
    assert count == "1\n"
