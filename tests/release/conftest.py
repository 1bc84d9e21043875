"""What is published, built once."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from hatch_build import PROCESSORS
from release.build import build_sdist, build_wheels


def give_up(why: str) -> NoReturn:
    """Skip, and say so; where everything must be tried, fail."""
    if os.environ.get("SYNAPTIC_TEST_ALL") == "1":
        pytest.fail(why)
    pytest.skip(why)


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_sdist(tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel for this machine, built from the source distribution alone."""
    if sys.platform != "linux" or platform.machine() not in PROCESSORS or not shutil.which("cc"):
        give_up("no wheel can be built here: Linux on x86-64 or arm64 and a compiler are needed")
    (made,) = build_wheels(sdist, tmp_path_factory.mktemp("wheel"), (platform.machine(),))
    return made


@pytest.fixture(scope="session")
def shelf(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel with everything that it needs, so that it installs without a network."""
    folder = tmp_path_factory.mktemp("shelf")
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--only-binary=:all:",
        "--dest",
        str(folder),
        str(wheel),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        give_up(f"the dependencies cannot be fetched: {done.stderr[-300:]}")
    return folder
