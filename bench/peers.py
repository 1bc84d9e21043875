"""What people use instead: the same event through other guards."""

import os
import pwd
import shutil
import subprocess  # noqa: TID251  the bench starts what it measures
import sys
import tarfile
import tempfile
from pathlib import Path

import msgspec

from bench.spawn import Command

SCRIPTS = Path(__file__).with_name("peers")
SAFETY_NET = "2.4.5"


class Missing(msgspec.Struct, frozen=True):
    """A peer that this machine cannot run, and why."""

    name: str
    why: str


def peers(like: Command, stride: int) -> list[Command | Missing]:
    """Every peer, reading the same event in the same environment."""
    return [_bash(like, stride), _python(like, stride), _safety_net(like, stride)]


def _bash(like: Command, stride: int) -> Command | Missing:
    name = "peer: bash and jq guard"
    if not (shutil.which("jq") and Path("/bin/bash").exists()):
        return Missing(name, "bash or jq is not installed")
    return _peer(like, name, ("/bin/bash", str(SCRIPTS / "guard.sh")), stride)


def _python(like: Command, stride: int) -> Command:
    return _peer(like, "peer: plain Python hook script", (sys.executable, str(SCRIPTS / "guard.py")), stride)


def _safety_net(like: Command, stride: int) -> Command | Missing:
    name = f"peer: cc-safety-net {SAFETY_NET} (npm)"
    node = shutil.which("node")
    if not node:
        return Missing(name, "node is not installed")
    try:
        program = _installed() / "dist" / "bin" / "cc-safety-net.js"
    except (OSError, subprocess.SubprocessError) as error:
        return Missing(name, f"npm could not fetch it: {error}")
    return _peer(like, name, (node, str(program), "hook", "--coding-cli"), stride)


def _peer(like: Command, name: str, argv: tuple[str, ...], stride: int) -> Command:
    return msgspec.structs.replace(like, name=name, argv=argv, stride=stride)


def _installed() -> Path:
    target = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache" / "synaptic-test" / f"cc-safety-net-{SAFETY_NET}"
    if target.exists():
        return target / "package"
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        command = ["npm", "pack", f"cc-safety-net@{SAFETY_NET}", "--pack-destination", folder, "--fetch-retries=1"]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
            archive.extractall(Path(folder) / "whole", filter="data")
        (Path(folder) / "whole").rename(target)
    return target / "package"
