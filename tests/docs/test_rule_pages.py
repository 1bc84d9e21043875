"""The pages about rules of others and of teams: files are written, commands typed, their words compared."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from synaptic.hooks.declaration import DeclarationFile
from synaptic.hooks.rules.examples import check_examples
from synaptic.hooks.rules.parse import parse_rules
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import EventRecord
from tests.cli.conftest import User, user  # noqa: F401  the fixture
from tests.docs.test_guide import DOCS, blocks

PAGES = [DOCS / "guide" / name for name in ("rules-from-others.md", "team.md")]
NAMED_FILE = re.compile(r"^`(\S+)`:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)


def typed(page: Path) -> list[tuple[str, str]]:
    """What is typed, each with what is shown for it."""
    found: list[tuple[str, list[str]]] = []
    for line in "\n".join(blocks(page, "console")).splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line:
            found[-1][1].append(line)
    return [(command, "\n".join(lines)) for command, lines in found]


def note_call(person: User, number: int) -> None:
    """The call that the page has under this number."""
    given = {"tool_name": "Bash", "tool_input": {"command": "npx knex migrate:latest"}}
    whole = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(person.project), **given}
    person.home.root.mkdir(exist_ok=True)
    store = Store.open(person.home)
    stops = [EventRecord(call=f"c{at}", at=0.0, agent="claude", event="Stop") for at in range(1, number)]
    call = EventRecord(call="x", at=0.0, agent="claude", event="PreToolUse", tool="Bash", payload=json.dumps(whole))
    journal.append_records(store, [*stops, call])
    store.close()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_example_is_as_it_is_shown(page: Path, user: User) -> None:  # noqa: F811
    for name, text in NAMED_FILE.findall(page.read_text()):
        user.writes(name, text)
    note_call(user, 42)
    assert typed(page)
    for command, shown in typed(page):
        words = [word for part in re.findall(r"'([^']*)'|\"([^\"]*)\"|(\S+)", command) for word in [max(part, key=len)]]
        said = user.types(*words[1:])
        assert "Traceback" not in said.err
        if shown:
            out = said.out.replace(str(user.project), "/home/you/shop").replace(str(user.folder), "/home/you")
            assert out.rstrip() == shown, command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_rule_is_sound(page: Path) -> None:
    for text in blocks(page, "toml"):
        found = parse_rules(text.encode(), DeclarationFile("rules.toml", "project", "/home/you/shop"))
        assert len(found.rules) == len(tomllib.loads(text)["rule"])
        assert (found.problems, check_examples(found.rules)) == ((), ())
