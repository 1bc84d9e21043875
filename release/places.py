"""Where a built file is installed for a trial: by pip, uv and pipx, each into a place that was empty before."""

import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from release.build import ReleaseError, run
from release.inspect import find_processor

INSTALL_SECONDS = 600


class InstallPlace:
    """One installer; `install` puts a file below a folder and returns the command that came of it."""

    name = "pip"

    def install(self, file: Path, folder: Path) -> Path:
        """With pip into a fresh virtual environment."""
        run([sys.executable, "-m", "venv", str(folder)], timeout=INSTALL_SECONDS)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        run([*pip, "--no-compile", str(file)], timeout=INSTALL_SECONDS)
        return folder / "bin" / "synaptic"


class UvTool(InstallPlace):
    """`uv tool install`."""

    name = "uv"

    def __init__(self, program: str) -> None:
        self._program = program

    def install(self, file: Path, folder: Path) -> Path:
        """With uv's folders below ours: the user's own tools are not touched."""
        env = {**os.environ, "UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(folder / "bin")}
        run(
            [self._program, "tool", "install", "--quiet", "--python", sys.executable, str(file)],
            env=env,
            timeout=INSTALL_SECONDS,
        )
        return folder / "bin" / "synaptic"


class Pipx(UvTool):
    """`pipx install`."""

    name = "pipx"

    def install(self, file: Path, folder: Path) -> Path:
        """With pipx's folders below ours."""
        env = {**os.environ, "PIPX_HOME": str(folder / "tools"), "PIPX_BIN_DIR": str(folder / "bin")}
        run(
            [self._program, "install", "--quiet", "--python", sys.executable, str(file)],
            env=env,
            timeout=INSTALL_SECONDS,
        )
        return folder / "bin" / "synaptic"


def list_places(
    sdist: Path, wheels: tuple[Path, ...], tools: Path, say: Callable[[str], None]
) -> Iterator[tuple[InstallPlace, Path]]:
    """Every installer that can be had, with the file that it would choose on this machine; the source by pip too."""
    yield InstallPlace(), sdist
    own = next((wheel for wheel in wheels if find_processor(wheel) == platform.machine()), None)
    if own is None:
        say(f"no wheel is for this machine ({platform.machine()}): only the source distribution is installed")
        return
    yield InstallPlace(), own
    for kind in (UvTool, Pipx):
        program = find_tool(kind.name, tools)
        if program:
            yield kind(program), own
        else:
            say(f"{kind.name}: NOT TRIED, it is not here and cannot be installed")


def find_tool(name: str, folder: Path) -> str:
    """An installer of this machine, else one from the index in an environment of its own; "" without."""
    if found := shutil.which(name):
        return found
    try:
        run([sys.executable, "-m", "venv", str(folder / name)], timeout=INSTALL_SECONDS)
        run([str(folder / name / "bin" / "pip"), "install", "--quiet", name], timeout=INSTALL_SECONDS)
    except ReleaseError:
        return ""
    return str(folder / name / "bin" / name)
