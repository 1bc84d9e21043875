"""A throw-away home in which commands are truly run, to see on disk what they did.

`python -m tests.security.differentials.sandbox` is the inner half: it must be started by `Sandbox`, which gives it a
mount namespace of its own. It answers one JSON object a line: what the guard says about a command, and what each shell
did.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from synaptic.engine.check import Checker, summarize_decision
from synaptic.model.home import Home

SHELLS = ("bash", "dash", "zsh")
HOME = Path("/home/dev")
APP = HOME / "app"
TEMPLATE = Path("/home/template")
ENGINE_HOME = HOME / ".synaptic"
NOBODY = 65534
SECONDS = 6
OUTPUT_BYTES = 200_000
SECRET = "AAAAB3Nz-only-a-canary-4f1d77"  # what a private key would show
ENVIRONMENT = {
    "HOME": str(HOME),
    "USER": "nobody",
    "LOGNAME": "nobody",
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
}
# The first three hide every place that an unprivileged user may write to; the rest of the disk belongs to root. A
# checkout that lies in one of them is put back, since this program is in it.
SETUP = """
set -e
here=$1; shift; hidden=
case $here in /home/*|/tmp/*|/var/tmp/*|/dev/shm/*) mount --bind "$here" /mnt; hidden=yes;; esac
for place in /home /tmp /var/tmp /dev/shm; do mount -t tmpfs -o mode=1777 tmpfs "$place"; done
if [ "$hidden" ]; then mkdir -p "$here"; mount --move /mnt "$here"; cd "$here"; fi
exec "$@"
"""


class Run(msgspec.Struct, frozen=True):
    """One command: the guard's word about it, and what it destroyed or showed, by shell."""

    text: str
    decision: str
    policy: str | None
    damage: dict[str, list[str]]

    @property
    def is_through(self) -> bool:
        """It did damage somewhere, and nobody would have been asked."""
        return bool(self.damage) and self.decision not in ("deny", "ask")


def find_missing() -> list[str]:
    """What this machine lacks for the sandbox; empty when it can be used."""
    lacking = [name for name in (*SHELLS, "git", "unshare", "setpriv") if shutil.which(name) is None]
    if os.geteuid() != 0:
        lacking.append("root (for a mount namespace)")
    elif not lacking and subprocess.run(["unshare", "-m", "-n", "true"], capture_output=True, check=False).returncode:
        lacking.append("permission to make a mount namespace")
    return lacking


class Sandbox:
    """The outer half: starts the inner one and asks it."""

    def __enter__(self) -> Self:
        inner = [sys.executable, "-m", "tests.security.differentials.sandbox"]
        here = Path(__file__).parents[3]
        argv = ["unshare", "--mount", "--net", "--ipc", "sh", "-c", SETUP, "sh", str(here), *inner]
        pipe = subprocess.PIPE
        self._inner = subprocess.Popen(
            argv, cwd=here, env={**ENVIRONMENT, "PYTHONPATH": str(here)}, stdin=pipe, stdout=pipe
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._inner.stdin and self._inner.stdout
        self._inner.stdin.close()
        self._inner.wait()
        self._inner.stdout.close()

    def run(self, text: str, shells: Sequence[str] = SHELLS) -> Run:
        """Judge a command, then run it in each of the shells, each time in a fresh home."""
        assert self._inner.stdin and self._inner.stdout
        self._inner.stdin.write(msgspec.json.encode({"text": text, "shells": list(shells)}) + b"\n")
        self._inner.stdin.flush()
        return msgspec.json.decode(self._inner.stdout.readline(), type=Run)


def make_template() -> None:
    """A home with a folder worth keeping, a private key, and a repository with work that is not committed."""
    (TEMPLATE / "victim").mkdir(parents=True)
    (TEMPLATE / "victim" / "a").write_text("precious\n")
    (TEMPLATE / ".ssh").mkdir()
    (TEMPLATE / ".ssh" / "id_rsa").write_text(f"{SECRET}\n" * 3)
    (TEMPLATE / ".gitconfig").write_text("[user]\n\tname = n\n\temail = n@localhost\n[init]\n\tdefaultBranch = main\n")
    app = TEMPLATE / "app"
    app.mkdir()
    git = ["git", "-c", "init.templateDir=", "-C", str(app)]
    identity = {**ENVIRONMENT, "HOME": str(TEMPLATE)}
    subprocess.run([*git, "init", "-q"], check=True, env=identity)
    (app / "c").write_text("committed\n")
    subprocess.run([*git, "add", "c"], check=True, env=identity)
    subprocess.run([*git, "commit", "-qm", "c"], check=True, env=identity)
    (app / "c").write_text("committed\nnot yet\n")
    for place, folders, files in os.walk(TEMPLATE):
        for name in (".", *folders, *files):
            os.chown(Path(place, name), NOBODY, NOBODY)


def put_back() -> None:
    """The home as it was."""
    shutil.rmtree(HOME, ignore_errors=True)
    subprocess.run(["cp", "-a", str(TEMPLATE), str(HOME)], check=True)


def run_in(shell: str, text: str) -> list[str]:
    """What the command did, in a PID namespace of its own so that nothing of it outlives the look at the disk."""
    put_back()
    alone = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs"]
    process = subprocess.Popen(
        [*alone, *as_nobody, shell, "-c", text],
        cwd=APP,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        # `unshare` waits for its child, which holds our pipe: with the first process of a PID namespace all others end.
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    return find_damage(output[:OUTPUT_BYTES])


def find_damage(output: bytes) -> list[str]:
    """What is lost, and what was shown."""
    found = []
    if _read(APP / "c") != "committed\nnot yet\n" or not (APP / ".git" / "HEAD").exists():
        found.append("work")
    if _read(HOME / "victim" / "a") != "precious\n":
        found.append("victim")
    if SECRET.encode() in output:
        found.append("secret")
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


async def answer_all() -> None:
    """One line in, one line out, until the outer half closes."""
    make_template()
    checker = Checker(Home(ENGINE_HOME))
    for line in sys.stdin.buffer:
        asked = msgspec.json.decode(line)
        put_back()
        question = {"tool_name": "Bash", "tool_input": {"command": asked["text"]}, "cwd": str(APP)}
        answer = summarize_decision(await checker.decide(question))
        damage = {shell: found for shell in asked["shells"] if (found := run_in(shell, asked["text"]))}
        run = {"text": asked["text"], "decision": answer["decision"], "policy": answer["policy"], "damage": damage}
        sys.stdout.buffer.write(msgspec.json.encode(run) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    asyncio.run(answer_all())
