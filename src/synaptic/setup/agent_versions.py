"""Which version of an agent is installed: read from its package, else asked of the program."""

import json
import re
import subprocess  # noqa: TID251 - packages is one of the rooms that start processes
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from synaptic.agents.shared.discover import find_agent

VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?[\w.+-]*")
PATIENCE = 5.0
"""Seconds; an agent that takes longer has no version."""
ABOVE = 6
"""Folders above a program in which its package is looked for."""


def versions(programs: Mapping[str, str]) -> dict[str, str]:
    """Agent to version for agents with a program; "" where it cannot be told."""
    arguments = [find_agent(name).version_arguments for name in programs]
    with ThreadPoolExecutor(max_workers=4) as pool:
        return dict(zip(programs, pool.map(version, programs.values(), arguments), strict=True))


def version(program: str, arguments: tuple[str, ...] = ("--version",)) -> str:
    """The version of one program."""
    return _packaged(Path(program)) or _asked(program, arguments)


def _packaged(program: Path) -> str:
    """From the package.json of an npm package; nothing is started for that."""
    for folder in list(program.resolve().parents)[:ABOVE]:
        if folder.name == "node_modules":
            return ""
        try:
            found = json.loads((folder / "package.json").read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(found, dict) and "bin" in found and isinstance(found.get("version"), str):
            return str(found["version"])
    return ""


def _asked(program: str, arguments: tuple[str, ...]) -> str:
    try:
        done = subprocess.run(
            [program, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = VERSION.search(done.stdout.decode("utf-8", "replace"))
    return found.group() if found and done.returncode == 0 else ""
