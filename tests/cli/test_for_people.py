from importlib import import_module
from typing import Any

import pytest

from synaptic.cli import typer
from synaptic.cli.verbs import VERBS
from synaptic.daemon import server  # noqa: F401 - methods register themselves
from synaptic.daemon.hook_methods import HOOK_METHODS
from synaptic.daemon.rpc import METHODS, PEOPLE_ONLY
from synaptic.policies.self.verbs import BY_ARGUMENT, FOR_EVERYBODY, FOR_PEOPLE, find_people_only

OPEN_METHODS = frozenset((
    "ability.documents", "ability.emit", "ability.follow_ups", "ability.list", "ability.suggest", "ability.usage",
    "agents.findByEffort", "agents.list", "agents.register", "agents.updateStatus", "catalog.check", "catalog.list",
    "daemon.renew", "daemon.status", "effort.dehydrate", "effort.finish", "effort.list", "effort.log", "effort.phase",
    "effort.resume", "effort.show", "effort.start", "effort.updateMetadata", "grants.list", "grants.preview",
    "grants.show", "journal.after", "journal.get", "journal.last", "messages.list", "pin.status", "rpc.methods",
    "session.finish", "session.list", "session.show", "skills.cache", "skills.list", "state.get",
    "state.list", "task.list", "task.show", *(f"hooks.{name}" for name in HOOK_METHODS),
    "inbox.list", "inbox.show", "refusal.appeal",
))  # fmt: skip
"""What agents may call; `ability.emit` and `hooks.userPrompt` look at what is said."""


def iter_leaves(command: Any, path: str) -> Any:
    if not (below := getattr(command, "commands", None)):
        yield path
    for name, one in (below or {}).items():
        yield from iter_leaves(one, f"{path} {name}")


def test_every_verb_is_for_people_or_for_everybody():
    found = {
        leaf
        for verb, (file, _) in VERBS.items()
        for leaf in iter_leaves(typer.get_command(import_module(f"synaptic.cli.{file}").app), verb)
    }
    assert found == FOR_PEOPLE.keys() | FOR_EVERYBODY | BY_ARGUMENT
    assert not FOR_PEOPLE.keys() & FOR_EVERYBODY


def test_every_method_is_for_people_or_for_everybody():
    assert METHODS.keys() - OPEN_METHODS == PEOPLE_ONLY.keys()
    assert not PEOPLE_ONLY.keys() & OPEN_METHODS


@pytest.mark.parametrize(
    ("words", "is_for_people"),
    [
        ("trust", True),
        ("trust --list", False),
        ("trust -- --list", True),
        ("trust --help", False),
        ("doctor", False),
        ("doctor --fix", True),
        ("install --dry-run x", False),
        ("import claude --undo --dry-run", True),
        ("config get x", False),
        ("rule add --run x --deny y", True),
        ("rule add --run x --deny y --project", False),
        ("rule from-event 1 --yes", True),
        ("rule remove a.b --project", True),
        ("rule test", False),
        ("import hookify --project", True),
        ("import permissions --dry-run", False),
        ("", False),
    ],
)
def test_options_make_a_difference_where_they_make_one(words: str, is_for_people: bool):
    assert (find_people_only(words.split()) is not None) is is_for_people
