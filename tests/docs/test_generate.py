"""Pages that are made from code: stale ones are named, and writing twice is the same as once."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import jsonschema
import pytest
from docs.generate import generated, outdated, present, write

from synaptic.agents.shared.discover import load_agents
from synaptic.hooks.config import list_fields
from synaptic.model.decision import Kind
from synaptic.model.event import EVENTS
from synaptic.policies.base import load_policies
from synaptic.policies.cases import evaluate_case, load_cases


@pytest.fixture(scope="module")
def pages() -> Mapping[str, str]:
    """All pages: to make them takes seconds."""
    return generated()


def test_pages_do_not_depend_on_when_or_how_often_they_are_made(pages: Mapping[str, str]) -> None:
    assert generated() == pages


def test_a_changed_a_missing_and_a_left_over_page_are_stale(tmp_path: Path) -> None:
    pages = {"docs/reference/a.md": "a\n", "docs/reference/b/c.md": "c\n", "docs/requirements.md": "r\n"}
    write(tmp_path, pages)
    assert outdated(tmp_path, pages) == []
    (tmp_path / "docs/reference/a.md").write_text("edited\n")
    (tmp_path / "docs/reference/b/c.md").unlink()
    (tmp_path / "docs/reference/old.md").write_text("old\n")

    assert outdated(tmp_path, pages) == ["docs/reference/a.md", "docs/reference/b/c.md", "docs/reference/old.md"]
    write(tmp_path, pages)
    assert outdated(tmp_path, pages) == []
    assert present(tmp_path) == ["docs/reference/a.md", "docs/reference/b/c.md"]


def test_every_event_and_every_policy_has_its_place(pages: Mapping[str, str]) -> None:
    for event in EVENTS:
        assert f"\n## {event}\n" in pages["docs/reference/events.md"]
    for policy in load_policies().values():
        page = pages[f"docs/reference/policies/{policy.id}.md"]
        assert all(f"| `{option}` |" in page for option in list_fields(policy))
        said = {verdict.kind for case in load_cases(policy) if (verdict := evaluate_case(policy, case))} - {Kind.NONE}
        assert all(f"| {kind} |" in page for kind in said), "an outcome of its cases is not shown"
        assert "| no opinion |" in page


def test_every_agent_has_its_row_and_every_degradation_its_note(pages: Mapping[str, str]) -> None:
    page = pages["docs/reference/agents.md"]
    for agent in load_agents():
        row = next(line for line in page.splitlines() if line.startswith(f"| [{agent.title}]"))
        assert all(hole in row for hole in agent.unseen)
        assert f"\n## {agent.title}\n" in page
    numbers = {int(number) for number in re.findall(r"no \[(\d+)\]", page)}
    assert all(re.search(rf"^{number}\. \S", page, re.MULTILINE) for number in numbers)


def test_the_schema_is_a_schema(pages: Mapping[str, str]) -> None:
    schema = json.loads(pages["docs/reference/config.schema.json"])
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate({"presets": ["strict"], "http": {"port": 0}}, schema)


def test_no_page_names_a_place_on_the_machine_that_made_it(pages: Mapping[str, str]) -> None:
    here = str(Path(__file__).parents[2])
    assert not [path for path, text in pages.items() if here in text or str(Path.home()) + "/" in text]
