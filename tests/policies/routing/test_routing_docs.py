"""Knowledge routing, from an intent to documents."""

from synaptic.hooks.document import load_yaml
from synaptic.model.knowledge import RelatedDocument, RouteIndex
from synaptic.policies.routing.routing_docs import (
    choose_documents,
    find_routes,
    parse_route_documents,
    parse_route_indexes,
    to_repository_path,
)

ROUTING = """\
---
route_indexes:
  - scope: execution.quality_gates
    topic: pre_commit_checks
    summary: What to run before a commit
    route_file: docs/routes/quality.md
  - {scope: execution, topic: other, route_file: x.md}
  - {topic: lost}
---
"""
ROUTE = """\
```yaml
routes:
  - when_to_use: before a commit
    related_docs:
      - {path: docs/why.md, stage: understand, doc_usage: the policy}
      - {path: docs/how.md, stage: [plan, act]}
      - docs/any.md
      - {path: docs/odd.md, stage: later}
      - {stage: plan}
```
"""


def test_an_index_names_a_file_per_topic():
    """S2-092, S2-093"""
    read = parse_route_indexes(ROUTING, "ROUTING.md", load_yaml)
    assert [(one.scope, one.topic) for one in read.indexes] == [
        ("execution.quality_gates", "pre_commit_checks"),
        ("execution", "other"),
    ]
    assert read.problems == ("ROUTING.md: `route_indexes[2]`: `route_file` is missing",)


def test_documents_have_stages():
    """S2-092, S2-093"""
    read = parse_route_documents(ROUTE, "docs/routes/quality.md", load_yaml)
    assert [one.path for one in read.documents] == ["docs/why.md", "docs/how.md", "docs/any.md", "docs/odd.md"]
    assert read.documents[1].stages == ("plan", "act")
    assert ["`later`" in read.problems[0], "`path` is missing" in read.problems[1]] == [True, True]


def test_the_stage_decides_else_what_has_none():
    """S2-092"""
    known = parse_route_documents(ROUTE, "r.md", load_yaml).documents
    assert [one.path for one in choose_documents(known, "understand")] == ["docs/why.md"]
    assert [one.path for one in choose_documents(known, "review")] == ["docs/any.md"]
    many = [RelatedDocument(path=f"{number}.md") for number in range(9)]
    assert len(choose_documents(many, "")) == 5


def test_an_intent_finds_its_topic_in_its_scope_or_around():
    """S2-063, S2-092"""
    inner = RouteIndex(scope="a.b", topic="t", route_file="1")
    outer = RouteIndex(scope="a", topic="t", route_file="2")
    other = RouteIndex(scope="c", topic="t", route_file="3")
    assert find_routes({"scope": "a.b", "topic": "t"}, (other, outer, inner)) == (inner, outer)
    assert find_routes({"scope": "a.b"}, (inner,)) == (inner,)
    assert find_routes({"intent": "x"}, (inner,)) == ()


def test_a_path_stays_inside():
    assert to_repository_path("docs/a.md", "/r") == "docs/a.md"
    assert to_repository_path("/r/docs/a.md", "/r") == "docs/a.md"
    assert to_repository_path("../a.md", "/r") == to_repository_path("/etc/passwd", "/r") == ""
