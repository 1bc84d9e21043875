"""What a verb imports: a bound on modules, not on time. `python -m bench --only startup` measures the time."""

import json

import pytest

from tests.cli.conftest import User

COUNT = """
import json, sys
from synaptic.cli.main import run_command_line
code = run_command_line(sys.argv[1:])
print("\\n" + json.dumps([code, sorted(sys.modules)]))
"""
BOUNDS = {"--version": 190, "": 270, "status": 270, "tail": 240, "explain": 240, "list": 230, "check ls": 230}
"""Modules with a daemon that runs; without one `list` and `check` work out for themselves what it knows."""
NEVER = ("typer", "rich", "pydantic", "asyncio", "synaptic.shell.reading", "synaptic.policies.base", "http.client")


@pytest.fixture
def running(user: User) -> User:
    user.types("bootstrap")
    user.sends()
    return user


def count_modules(user: User, line: str) -> tuple[int, list[str]]:
    shown = user.runs(*line.split(), program=COUNT)
    code, modules = json.loads(shown.out.splitlines()[-1])
    return code, modules


@pytest.mark.parametrize("line", BOUNDS)
def test_a_verb_imports_little(running: User, line: str):
    code, modules = count_modules(running, line)
    assert code == 0
    assert [name for name in NEVER if name in modules] == []
    assert len(modules) <= BOUNDS[line]


def test_a_search_in_the_journal_loads_no_registry(running: User):
    code, modules = count_modules(running, "search ls")
    assert code == 0
    assert not [name for name in modules if name.startswith(("synaptic.packages", "tomlkit"))]


def test_help_imports_no_verb(user: User):
    code, modules = count_modules(user, "--help")
    assert code == 0
    assert not [name for name in modules if name in ("synaptic.cli.policy", "synaptic.cli.check", "synaptic.cli.up")]


@pytest.mark.parametrize("line", ["fleet", "tail", "search nothing", "sessions", "status"])
def test_what_asks_a_hub_is_loaded_with_its_option_alone(running: User, line: str):
    code, modules = count_modules(running, line)
    assert code == 0
    assert not [
        name for name in modules if name.startswith(("synaptic.hub", "synaptic.cli.hub", "httpx", "psycopg", "ssl"))
    ]
