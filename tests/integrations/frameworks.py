"""Where the frameworks come from: fetched once into the cache, in the versions that `pyproject.toml` names."""

import fcntl
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest

from tests.clients.client import cache

ROOT = Path(__file__).parents[2]
WITHOUT_CLIENT = ("claude-agent-sdk",)
"""Their wheels bring an agent's client of 160 MB; the tests have one already."""


def require_framework(name: str) -> Path:
    """A folder for PYTHONPATH. What is not to be had is a visible skip, or a failure where everything must be there."""
    try:
        return find_framework(name)
    except (OSError, subprocess.SubprocessError) as error:
        why = getattr(error, "stderr", b"") or b""
        text = f"no {name}: {error} {why.decode('utf-8', 'replace')[-500:]}"
        if os.environ.get("SYNAPTIC_TEST_ALL") == "1":
            pytest.fail(text)
        pytest.skip(text)


def find_framework(name: str) -> Path:
    pin = next(pin for pin in read_pins() if pin.startswith(f"{name}=="))
    target = cache() / f"{pin.replace('==', '-')}-python{sys.version_info[0]}{sys.version_info[1]}"
    if not target.exists():
        _fetch(pin, target)
    return target


def read_pins() -> list[str]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]["integrations"]


def _fetch(pin: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with (target.parent / f"{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.exists():
            return
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            plain = ("--no-binary", pin.split("==")[0]) if pin.startswith(WITHOUT_CLIENT) else ()
            words = ("install", "--quiet", "--disable-pip-version-check", *plain, "--target", f"{folder}/whole", pin)
            subprocess.run([sys.executable, "-m", "pip", *words], check=True, capture_output=True, timeout=600)
            Path(folder, "whole").rename(target)
