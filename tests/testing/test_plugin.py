"""The pytest plugin, in runs of pytest of its own."""

import os
import subprocess
import sys
from pathlib import Path

POLICY = '''
from synaptic.sdk import PreToolUse, deny, policy


@policy("acme.x", events=(PreToolUse,))
def x(event, facts):
    """X."""
    return deny("no") if "deploy" in facts.command.programs else None
'''


def run_pytest(folder: Path, text: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(text)
    env = {"HOME": str(folder), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words, str(folder)]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)


def test_it_imports_nothing_where_nobody_uses_it(tmp_path: Path):
    text = """
import sys
def test_it(request):
    assert request.config.pluginmanager.has_plugin("synaptic")
    assert [name for name in sys.modules if name.startswith("synaptic.") and ".testing" not in name] == []
"""
    done = run_pytest(tmp_path, text)
    assert done.returncode == 0, done.stdout


def test_policies_beside_the_test_are_asked_and_a_failure_shows_the_trace(tmp_path: Path):
    (tmp_path / "acme.py").write_text(POLICY)
    text = """
def test_good(synaptic_check):
    synaptic_check("deploy").denied_by("acme.x").because("no")
    synaptic_check("ls").silent("acme.x").passed()

def test_bad(synaptic_check):
    synaptic_check("ls").denied_by("acme.x")
"""
    done = run_pytest(tmp_path, text)
    assert "1 failed, 1 passed" in done.stdout
    assert "wanted deny by acme.x" in done.stdout and "acme.x: none" in done.stdout


def test_the_files_may_be_named(tmp_path: Path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "acme.py").write_text(POLICY)
    text = f"""
import pathlib, pytest
@pytest.fixture
def synaptic_policies():
    return (pathlib.Path({str(folder / "acme.py")!r}),)

def test_it(synaptic_check):
    synaptic_check("deploy").denied_by("acme.x")
"""
    done = run_pytest(tmp_path, text)
    assert "1 passed" in done.stdout, done.stdout
