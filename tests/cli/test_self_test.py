"""The installed program against its own cases."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from synaptic.policies import cases
from synaptic.policies.paths.outside_project import OutsideProject
from tests.cli.conftest import User

ROOT = Path(__file__).parents[2]


def test_every_policy_passes_and_is_counted(user: User):
    """S1-005"""
    found = user.types("self-test", "--json").json
    assert found["ok"] is True
    assert found["failed"] == 0
    assert found["passed"] == sum(one["passed"] for one in found["policies"]) > 100
    assert f"{found['passed']} cases passed, 0 failed" in user.types("self-test").out


def test_one_policy_can_be_named(user: User):
    found = user.types("self-test", "paths.outside-project", "--json").json
    assert [one["policy"] for one in found["policies"]] == ["paths.outside-project"]
    assert "there is no policy" in user.types("self-test", "paths.outside").err


def test_a_broken_rule_is_found(user: User, monkeypatch: pytest.MonkeyPatch):
    """S1-005, S1-006: exit code 1, and no later success hides it."""
    monkeypatch.setattr(OutsideProject, "check", lambda self, event, facts: None)
    shown = user.types("self-test")
    assert shown.code == 1
    assert "paths.outside-project: an absolute path: wanted deny, got none" in shown.out
    assert user.types("self-test", "--json").json["ok"] is False
    assert user.types("self-test", "audit.tool-use").code == 0


def test_a_rule_that_crashes_is_broken_and_the_others_are_asked(user: User, monkeypatch: pytest.MonkeyPatch):
    def crash(self, event, facts):
        raise KeyError("x")

    monkeypatch.setattr(OutsideProject, "check", crash)
    found = user.types("self-test", "--json")
    assert found.code == 1
    results = {one["policy"]: one for one in found.json["policies"]}
    assert "KeyError" in results["paths.outside-project"]["failed"][0]
    assert results["audit.tool-use"]["passed"] > 0
    assert results["audit.tool-use"]["failed"] == []


def test_cases_that_are_not_there_are_no_success(user: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(cases, "CASE_FOLDERS", (tmp_path / "nowhere",))
    shown = user.types("self-test", "audit.tool-use")
    assert shown.code == 1
    assert "no case fires" in shown.out


def test_an_installed_program_has_its_cases_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """S1-005"""
    tree = tmp_path / "tree"
    ignored = shutil.ignore_patterns("_native", "__pycache__")
    for folder in ("src", "tests/policies"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=ignored)
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, tree / name)
    monkeypatch.setenv("CC", "/nowhere/cc")
    (wheel,) = WheelBuilder(str(tree)).build(directory=str(tmp_path), versions=["standard"])
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    assert (site / "synaptic/_cases/paths/outside_project.toml").is_file()
    env = {**os.environ, "PYTHONPATH": str(site), "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "synaptic.cli.main", "self-test", "audit.tool-use"]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    assert "0 failed" in done.stdout
