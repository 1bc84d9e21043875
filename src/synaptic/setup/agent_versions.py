"""Find the installed version of an agent: from its package.json, else by running it with --version."""

import json
import re
import subprocess  # noqa: TID251 - programs are asked for their version
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from synaptic.agents.shared.discover import find_agent

VERSION_TEXT = re.compile(r"\d+\.\d+(?:\.\d+)?[\w.+-]*")
VERSION_TIMEOUT = 5.0
"""Seconds to wait for --version; an agent that takes longer has no version."""
MAX_PARENT_FOLDERS = 6
"""How many parent folders of a program are searched for its package.json."""


def find_versions(programs: Mapping[str, str]) -> dict[str, str]:
    """Find the version of every agent's program, in parallel; "" where it is unknown."""
    arguments = [find_agent(name).version_arguments for name in programs]
    with ThreadPoolExecutor(max_workers=4) as pool:
        return dict(zip(programs, pool.map(find_version, programs.values(), arguments), strict=True))


def find_version(
    program: str,
    arguments: tuple[str, ...] = ("--version",),
    variables: Mapping[str, str] | None = None,
    patience: float = VERSION_TIMEOUT,
) -> str:
    """Find the version of one program; without `variables` it is asked in the environment of this process."""
    return read_package_version(Path(program)) or _ask_version((program, *arguments), variables, patience)


def read_package_version(program: Path) -> str:
    """Read the version from the package.json of an npm package, without starting anything."""
    for folder in list(program.resolve().parents)[:MAX_PARENT_FOLDERS]:
        # Above it is the package.json of whatever project the agent was installed into.
        if folder.name == "node_modules":
            return ""
        try:
            found = json.loads((folder / "package.json").read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(found, dict) and "bin" in found and isinstance(found.get("version"), str):
            return str(found["version"])
    return ""


def _ask_version(command: tuple[str, ...], variables: Mapping[str, str] | None, patience: float) -> str:
    try:
        done = subprocess.run(
            command,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=patience,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = VERSION_TEXT.search(done.stdout.decode("utf-8", "replace"))
    return found.group() if found and done.returncode == 0 else ""
