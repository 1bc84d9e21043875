"""From an intent to documents that are there."""

from pathlib import Path

import pytest

from synaptic.hooks import knowledge

ROUTING = """\
---
route_indexes:
  - {scope: execution.quality_gates, topic: pre_commit_checks, summary: s, route_file: docs/routes/quality.md}
---
"""
ROUTE = """\
---
routes:
  - when_to_use: before a commit
    related_docs:
      - {path: docs/policy.md, stage: understand, doc_usage: Which checks there are}
      - {path: docs/commands.md, stage: plan}
      - {path: docs/missing.md, stage: understand}
      - {path: ../outside.md, stage: understand}
---
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "docs/routes").mkdir(parents=True)
    (tmp_path / "ROUTING.md").write_text(ROUTING)
    (tmp_path / "docs/routes/quality.md").write_text(ROUTE)
    for name in ("policy", "commands"):
        (tmp_path / f"docs/{name}.md").write_text("x")
    return tmp_path


def intent(**fields: str) -> dict[str, object]:
    return {"intent": "i", "scope": "execution.quality_gates", "topic": "pre_commit_checks", **fields}


def test_the_stage_selects(root: Path):
    """S2-063, S2-092"""
    found = knowledge.find_documents(str(root), intent(stage="understand"))
    assert knowledge.documents_to_items(found, "understand") == (
        {
            "path": "docs/policy.md",
            "reason": "Which checks there are",
            "hook": "knowledge-routing",
            "stage": "understand",
        },
    )
    assert [one.path for one in knowledge.find_documents(str(root), intent(stage="plan"))] == ["docs/commands.md"]
    assert knowledge.find_documents(str(root), intent(topic="other")) == ()


def test_every_fault_of_the_indexes_is_named(root: Path):
    """S2-093"""
    (root / "docs/ROUTING.md").write_text("---\nroute_indexes:\n  - {topic: t, route_file: nowhere.md}\n---\n")
    (root / ".system").mkdir()
    (root / ".system/ROUTING.md").write_text("---\nroute_indexes: [\n---\n")
    told = "\n".join(knowledge.lint_routing(str(root)))
    assert "docs/missing.md is missing" in told
    assert "../outside.md is missing or leads out" in told
    assert "docs/ROUTING.md: `route_file`: nowhere.md is missing" in told
    assert ".system/ROUTING.md: is no valid YAML" in told


def test_a_link_that_leads_out_is_no_document(root: Path):
    (root / "docs/policy.md").unlink()
    (root / "docs/policy.md").symlink_to("/etc/hostname")
    assert knowledge.find_documents(str(root), intent(stage="understand")) == ()
