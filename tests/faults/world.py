"""A user with two projects, hooks, a real dispatcher and a real daemon, below one temporary folder."""

import contextlib
import json
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from synaptic.daemon import lifecycle
from synaptic.daemon.address import connect_daemon
from synaptic.model.home import Home
from synaptic.setup import dispatcher
from tests.faults import namespace, processes

CONFIG = """\
trust = "all"
[policies."audit.tool-use"]
enabled = true
[policies."sane.edit-after-failures"]
enabled = true
"""
GUARD = """#!/bin/sh
echo '{"action": "block", "reason": "the vault stays shut"}'
"""
NOTE = """#!/bin/sh
IFS= read -r line
printf '%s\\n' "$line" >> {sentinel}
"""
QUIET = "#!/bin/sh\nexit 0\n"
ANSWER_SECONDS = 30.0
"""How long a home may take until one daemon answers again, on a machine that is busy with other things."""


class World:
    """What the faults happen to. `base` is ours; the engine's things and the projects are on a disk of their own."""

    def __init__(self) -> None:
        self.base = Path(tempfile.mkdtemp(prefix="synaptic-faults-"))
        self.disk = self.base / "disk"
        self.disk.mkdir()
        self.has_own_disk = namespace.mount_disk(self.disk)
        self.user = self.disk / "user"
        self.home = Home(self.user / ".synaptic")
        self.projects = {name: self.disk / name for name in ("main", "tripped")}
        self.sentinel = self.base / "sentinel.log"
        self.builds = 0
        """How often everything was made anew."""

    def build(self, fail: dispatcher.FailMode = "open") -> None:
        """Make everything anew."""
        self.builds += 1
        self.destroy_contents()
        self.home.root.mkdir(parents=True, mode=0o700)
        self.home.config.write_text(CONFIG)
        for folder in self.projects.values():
            self.make_project(folder)
        self.sentinel.write_text("")
        dispatcher.install_dispatcher(self.home, fail)
        self.remember_sound_files()

    def make_project(self, folder: Path) -> None:
        """A repository with a guard of its own, a hook that nobody waits for and one that may be replaced."""
        hooks = folder / ".synaptic" / "hooks"
        hooks.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(folder)], check=True, capture_output=True)
        self.write_script(folder, "guard", GUARD)
        self.write_script(folder, "note", NOTE.format(sentinel=self.sentinel))
        self.write_script(folder, "odd", QUIET)
        entries = (
            {"matcher": "mcp__vault__open", "script": "guard", "blocking": True, "on_error": "deny", "timeout": 20},
            {"matcher": "Glob", "script": "note", "blocking": False, "timeout": 20},
            {"matcher": "Grep", "script": "odd", "blocking": True, "timeout": 1},
        )
        (hooks / "registry.toml").write_text("".join(self.format_entry(folder, entry) for entry in entries))

    def format_entry(self, folder: Path, entry: dict[str, object]) -> str:
        keys = {"event": "PreToolUse", "skill": "faults", **entry}
        keys["script"] = str(self.locate_script(folder, str(entry["script"])))
        return "[[hook]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items()) + "\n"

    def locate_script(self, folder: Path, name: str) -> Path:
        return folder / ".synaptic" / "hooks" / f"{name}.sh"

    def write_script(self, folder: Path, name: str, text: str) -> Path:
        path = self.locate_script(folder, name)
        path.write_text(text)
        path.chmod(0o755)
        return path

    @property
    def registry(self) -> Path:
        return self.projects["main"] / ".synaptic" / "hooks" / "registry.toml"

    def read_audit(self, project: str = "main") -> str:
        path = self.projects[project] / ".synaptic" / "logs" / "audit.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def remember_sound_files(self) -> None:
        """What is put back after each fault, when it is not the same any more."""
        scripts = [self.locate_script(folder, name) for folder in self.projects.values() for name in ("guard", "note")]
        odd = [self.locate_script(folder, "odd") for folder in self.projects.values()]
        registries = [folder / ".synaptic" / "hooks" / "registry.toml" for folder in self.projects.values()]
        home = self.home
        plain = (home.config, home.engine, home.engine_files, home.start, *scripts, *odd, *registries)
        self._sound = {path: (path.read_bytes(), path.stat().st_mode & 0o777) for path in plain}

    def put_back(self) -> None:
        """Whatever a fault did to the files that a person or an installer writes, they are as before."""
        for path, (content, mode) in self._sound.items():
            with contextlib.suppress(OSError):
                if path.read_bytes() == content and path.stat().st_mode & 0o777 == mode:
                    continue
            if not path.is_file():  # a file is never gone in between: a hook that is just being started would miss it
                remove(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh = path.with_name(f"{path.name}.fresh")
            fresh.write_bytes(content)
            fresh.chmod(mode)
            fresh.rename(path)

    def find_daemon(self) -> int:
        """The daemon's process, or 0."""
        found = processes.find_daemons(self.user)
        return found[0].pid if found else 0

    def is_answering(self) -> bool:
        """Whether a daemon answers on the socket."""
        try:
            with connect_daemon(self.home, 2.0) as line:
                line.sendall(b'{"jsonrpc": "2.0", "id": 1, "method": "daemon.status"}\n')
                return line.recv(1) == b"{"
        except OSError:
            return False

    def start_daemon(self) -> None:
        with contextlib.suppress(Exception):
            lifecycle.start_daemon(self.home)
        processes.wait_until(self.is_answering, ANSWER_SECONDS)

    def connect(self) -> socket.socket | None:
        try:
            return connect_daemon(self.home, 2.0)
        except OSError:
            return None

    def run_doctor(self) -> str:
        """What `synaptic doctor` says."""
        with contextlib.suppress(subprocess.TimeoutExpired, OSError):
            done = subprocess.run(
                [self.home.launcher, "doctor"],
                capture_output=True,
                timeout=60,
                env={"HOME": str(self.user), "PATH": "/usr/bin:/bin"},
                cwd=self.user,
            )
            return (done.stdout + done.stderr).decode("utf-8", "replace")
        return ""

    def destroy_contents(self) -> None:
        processes.continue_all(self.user)
        processes.kill_all(self.user)
        for entry in self.disk.iterdir():
            remove(entry)

    def close(self) -> None:
        """End every process, unmount the disk, remove the folder."""
        self.home.engine.unlink(missing_ok=True)
        self.destroy_contents()
        time.sleep(0.05)
        processes.kill_all(self.user)
        if self.has_own_disk:
            subprocess.run(["umount", "-l", str(self.disk)], capture_output=True)
        shutil.rmtree(self.base, ignore_errors=True)


def remove(path: Path) -> None:
    """Remove whatever is there, a folder too."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
