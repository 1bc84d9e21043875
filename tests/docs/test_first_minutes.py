"""The tour does what it says, from the first line to the last, in a home that is thrown away."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "first-minutes.md"
BLOCKS = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
CODES = {"allow": 0, "deny": 2, "ask": 3, "rewrite": 4}
PROMISED = re.compile(r"^(.*\bsynaptic check .*?)\s+# (\w+)", re.MULTILINE)


@pytest.fixture
def env(tmp_path: Path) -> Iterator[dict[str, str]]:
    (tmp_path / "home").mkdir()
    (tmp_path / "bin").mkdir()
    launcher = tmp_path / "bin" / "synaptic"
    launcher.write_text(f'#!/bin/sh\nexec {sys.executable} -m synaptic.cli.main "$@"\n')
    launcher.chmod(0o755)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    yield {"HOME": str(tmp_path / "home"), "PATH": path, "GIT_CONFIG_GLOBAL": "/dev/null", "LANG": "C.UTF-8"}
    subprocess.run([launcher, "daemon", "stop"], env={"HOME": str(tmp_path / "home")}, capture_output=True, timeout=60)


def type_line(line: str, folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", line], cwd=folder, env=env, capture_output=True, text=True, timeout=120)


def test_every_line_of_the_tour_ends_as_it_says(tmp_path: Path, env: dict[str, str]):
    assert len(BLOCKS) == 4
    made = type_line(BLOCKS[0], tmp_path, env)
    assert made.returncode == 0, made.stderr
    assert type_line("synaptic up", tmp_path, env).returncode == 0
    promised = 0
    for line in (line for block in BLOCKS[1:] for line in block.splitlines()):
        done = type_line(line, tmp_path / "shop", env)
        told = PROMISED.match(line)
        promised += told is not None
        assert done.returncode == (CODES[told[2]] if told else 0), (line, done.stdout, done.stderr)
    assert promised == 7
    assert type_line("synaptic down", tmp_path, env).returncode == 0
