"""Lines whose `/tmp` is moved into the project, each run in bash before and after: they leave the same behind."""

import asyncio
import os
import shutil
import stat
import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest

from synaptic.engine.check import Checker, summarize_decision
from synaptic.model.home import Home

LINES: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("rewritten_lines.toml").read_text("utf-8"))
ROOT = "/mnt/project"
SETUP = (
    'mount --make-rprivate / && mount --bind "$1/mnt" /mnt && mount --bind "$1/tmp" /tmp && cd /mnt/project'
    ' && exec env -i PATH="/mnt/bin:$PATH" HOME=/mnt/home USER=u GIT_CONFIG_NOSYSTEM=1 timeout 60 bash -c "$2"'
)
NAMESPACE = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
ARCHIVE = f"{ROOT}/a.tgz"
"""Made anew each time, with the time in it."""
STAND_INS = ("ssh", "scp", "rsync", "docker", "podman", "kubectl", "vagrant", "chroot", "sudo")
NOTING = '#!/bin/sh\nprintf \'%s|\' "$(basename "$0")" "$@" >> /mnt/calls\necho "$(basename "$0") has answered"\n'
FETCHING = """#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    -O|-qO) echo fetched > "$2"; shift;;
    -O*) echo fetched > "${1#-O}";;
    --output-document=*) echo fetched > "${1#*=}";;
  esac
  shift
done
"""
WANTED = ("bash", "unshare", "git", "curl", "patch")


@pytest.fixture(scope="module")
def can_run() -> None:
    """A mount namespace, so that `/tmp` is a folder of the test's own."""
    lacking = [name for name in WANTED if shutil.which(name) is None]
    if not lacking and subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode:
        lacking.append("permission to make a mount namespace")
    if lacking:
        pytest.skip(f"this machine lacks {', '.join(lacking)}")


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    home = Home(tmp_path_factory.mktemp("home"))
    home.config.write_text('presets = ["essentials"]\n[policies."scratch.shared-tmp"]\nenabled = true\n')
    return Checker(home)


def decide(checker: Checker, text: str) -> dict[str, object]:
    question = {"tool_name": "Bash", "tool_input": {"command": text}, "cwd": ROOT, "claude-project-root": ROOT}
    return summarize_decision(asyncio.run(checker.decide(question)))


def rewrite(checker: Checker, text: str) -> str:
    answer = decide(checker, text)
    assert (answer["decision"], answer["policy"]) == ("rewrite", "scratch.shared-tmp"), answer
    updated = answer["updated_input"]
    assert isinstance(updated, dict)
    return str(updated["command"])


class World:
    """A project, a home and a `/tmp`, as a command finds and leaves them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project, self.tmp = folder / "mnt" / "project", folder / "tmp"
        for place in (self.project / "src", self.tmp, folder / "mnt" / "home", folder / "mnt" / "bin"):
            place.mkdir(parents=True)
        for name, text in {"a.txt": "alpha\n", "b.txt": "beta\n", "src/x.txt": "x\n", "a.patch": PATCH}.items():
            (self.project / name).write_text(text)
        with tarfile.open(self.project / "a.tgz", "w:gz") as archive:
            archive.add(self.project / "src" / "x.txt", "src/x.txt")
        for name in (*STAND_INS, "wget"):
            program = folder / "mnt" / "bin" / name
            program.write_text(FETCHING if name == "wget" else NOTING)
            program.chmod(0o755)
        (folder / "mnt" / "home" / ".gitconfig").write_text(
            "[user]\nname = u\nemail = u@h.example\n[safe]\ndirectory = *\n"
        )

    def run(self, text: str) -> tuple[int, str]:
        """Exit code and output of a command in bash."""
        repository = "git init -q repo && cd repo && echo 1 > one.txt && git add . && git commit -qm one"
        self._run(repository)
        done = self._run(text)
        return done.returncode, self._unify(done.stdout)

    def _run(self, text: str) -> "subprocess.CompletedProcess[str]":
        argv = [*NAMESPACE, "sh", "-c", SETUP, "sh", str(self.folder), text]
        return subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)

    def list_left(self) -> dict[str, str]:
        """Every file that is there now, by the path that it has, or would have, without a rewrite."""
        found: dict[str, str] = {}
        for place, name in ((self.folder / "mnt", "/mnt"), (self.tmp, "/tmp")):
            for path in sorted(place.rglob("*")):
                shown = self._unify(f"{name}/{path.relative_to(place)}")
                if "/.git/" not in shown and shown not in ("/tmp", ARCHIVE):
                    found[shown] = self._describe(path)
        return found

    def _describe(self, path: Path) -> str:
        if path.is_symlink():
            return f"link to {self._unify(str(path.readlink()))}"
        mode = stat.S_IMODE(path.stat().st_mode)
        return f"{mode:o} " + ("folder" if path.is_dir() else self._unify(path.read_bytes().decode("latin-1")))

    def _unify(self, text: str) -> str:
        return text.replace(f"{ROOT}/tmp", "/tmp")


PATCH = "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-alpha\n+gamma\n"


def test_there_are_enough_lines() -> None:
    assert len(LINES["moved"]) >= 80


@pytest.mark.parametrize("text", LINES["moved"])
def test_a_moved_line_leaves_the_same_behind_and_nothing_in_tmp(
    checker: Checker, can_run: None, tmp_path: Path, text: str
) -> None:
    """S4-050, S4-052: what another machine is told, and what is left on this one, but for the folder."""
    new = rewrite(checker, text)
    before, after = World(tmp_path / "before"), World(tmp_path / "after")
    assert after.run(new) == before.run(text)
    assert after.list_left() == before.list_left()
    assert list(after.tmp.iterdir()) == []
    assert list(before.tmp.iterdir()) != []


@pytest.mark.parametrize("text", LINES["alone"])
def test_what_is_not_this_machines_or_cannot_be_moved_safely_is_left_alone(checker: Checker, text: str) -> None:
    answer = decide(checker, text)
    assert answer["policy"] != "scratch.shared-tmp"
    assert answer["updated_input"] is None


@pytest.mark.parametrize("text", LINES["refused"])
def test_a_move_hides_no_refusal(checker: Checker, text: str) -> None:
    """Deny wins: whatever is moved, the rest of the line is judged as it is."""
    answer = decide(checker, text)
    assert answer["decision"] == "deny"
    assert answer["updated_input"] is None


@pytest.mark.parametrize("text", LINES["moved"][:60:3])
def test_a_line_that_was_moved_is_not_moved_again(checker: Checker, text: str) -> None:
    assert decide(checker, rewrite(checker, text))["updated_input"] is None
