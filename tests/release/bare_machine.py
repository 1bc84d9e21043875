"""A machine without a compiler: a root of its own with this Python, its libraries and a shell, and nothing else."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

COMPILERS = ("cc", "gcc", "clang", "tcc", "c99", "make")
PROGRAMS = ("sh", "env", "uname", "rm", "ls", "cat")
ENTER = """
set -e
root=$1; shift
for folder in {folders}; do
    mkdir -p "$root$folder"
    mount --rbind --make-rslave "$folder" "$root$folder"
done
mkdir -p "$root/proc" && mount -t proc proc "$root/proc"
exec {chroot} "$root" "$@"
"""


def can_be_made() -> str:
    """Why there can be no such machine here; "" when there can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "only root can have a root of its own"
    probe = subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True, check=False)
    return "" if probe.returncode == 0 else f"unshare: {probe.stderr.decode().strip()}"


class BareMachine:
    """Its files lie below `root`; what runs in it ends with the command that started it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.python = Path(os.path.realpath(sys.executable))
        for folder in ("tmp", "home/you", "etc", "usr/bin", "dev"):
            (root / folder).mkdir(parents=True)
        (root / "bin").symlink_to("usr/bin")
        (root / "etc/passwd").write_text("root:x:0:0:root:/home/you:/bin/sh\n")
        for name in PROGRAMS:
            shutil.copy2(os.path.realpath(shutil.which(name) or name), root / "usr/bin" / name)
        if self.python.is_relative_to("/usr/bin"):
            shutil.copy2(self.python, root / "usr/bin" / self.python.name)

    def run(self, *command: str, timeout: float = 300) -> "subprocess.CompletedProcess[str]":
        """A command in there, as a person with an empty home."""
        folders = [folder for folder in self._list_folders() if Path(folder).is_dir()]
        enter = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c"]
        env = {"PATH": "/usr/bin:/bin", "HOME": "/home/you", "LANG": "C.UTF-8"}
        words = [
            *enter,
            ENTER.format(folders=" ".join(folders), chroot=shutil.which("chroot", path="/usr/sbin:/sbin:/usr/bin")),
            "enter",
            str(self.root),
            *command,
        ]
        return subprocess.run(words, env=env, capture_output=True, text=True, timeout=timeout, check=False)

    def _list_folders(self) -> list[str]:
        """What is lent from this machine: libraries, devices, and Python unless it lies among the programs."""
        base = [] if sys.base_prefix == "/usr" else [sys.base_prefix]
        return ["/usr/lib", "/lib", "/lib64", "/dev", *base]
