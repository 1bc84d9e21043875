"""Abilities as repositories describe them."""

from synaptic.hooks.document import load_yaml
from synaptic.model.ability import Ability
from synaptic.policies.routing.abilities import merge_abilities, parse_markdown, parse_registry, parse_skill


def ids(read) -> list[str]:
    return [ability.id for ability in read.abilities]


def test_a_registry_is_a_list_a_map_or_one_ability():
    one = {"id": "a", "summary": "x"}
    assert ids(parse_registry({"abilities": [one]}, "r.yaml")) == ["a"]
    assert ids(parse_registry({"abilities": {"a": {"summary": "x"}, "b": {}}}, "r.yaml")) == ["a", "b"]
    assert ids(parse_registry([one], "r.yaml")) == ["a"]
    assert ids(parse_registry(one, "r.yaml")) == ["a"]


def test_routing_hints_are_read():
    """S2-083"""
    hints = {"keywords": ["bill"], "negative_keywords": ["unit"], "scopes": ["billing"], "notes": "n"}
    read = parse_registry({"id": "a", "routing_hints": hints, "level": "high"}, "r.yaml")
    expected = Ability(
        id="a", summary="n", keywords=("bill",), negative_keywords=("unit",), scopes=("billing",), level="high",
        source="r.yaml",
    )  # fmt: skip
    assert read.abilities == (expected,)


def test_rules_of_prompts_are_understood():
    """S2-082"""
    rules = {"keywords": ["x"], "intentPatterns": ["(add|make).*x"]}
    read = parse_registry({"skills": {"dev": {"priority": "critical", "promptTriggers": rules}}}, "skill-rules.json")
    (ability,) = read.abilities
    assert (ability.priority, ability.keywords, ability.intent_patterns) == ("critical", ("x",), ("(add|make).*x",))


def test_what_is_wrong_names_file_and_key_and_the_rest_counts():
    entries = [{"id": "a b"}, "text", {"id": "ok", "keywords": 3, "intent_patterns": ["("]}]
    read = parse_registry({"abilities": entries}, "r.yaml")
    assert ids(read) == ["ok"]
    assert [problem.partition(":")[0] for problem in read.problems] == ["r.yaml"] * 4
    assert "abilities[0]" in read.problems[0] and "`keywords`" in read.problems[2]


def test_a_skill_is_its_front_matter():
    text = "---\nname: pdf-forms\ndescription: Fill in PDF forms\n---\n# Body\n"
    (ability,) = parse_skill(text, ".claude/skills/pdf/SKILL.md", load_yaml).abilities
    assert (ability.id, ability.summary, ability.kind) == ("pdf-forms", "Fill in PDF forms", "skill")
    assert ids(parse_skill("---\ndescription: x\n---\n", ".claude/skills/pdf/SKILL.md", load_yaml)) == ["pdf"]
    assert "front matter" in parse_skill("# no", "s/SKILL.md", load_yaml).problems[0]


def test_an_ability_md_has_blocks_or_headings():
    block = "# A\n```yaml\nabilities:\n  - {id: a, summary: x}\n```\n"
    assert ids(parse_markdown(block, "ABILITY.md", load_yaml)) == ["a"]
    read = parse_markdown(
        "# Abilities\n\n## `billing_regression`\n\nRuns all tests.\n\n## Not an id\n", "ABILITY.md", load_yaml
    )
    assert [(one.id, one.summary) for one in read.abilities] == [("billing_regression", "Runs all tests.")]


def test_an_id_that_is_there_twice_counts_once():
    read = merge_abilities([parse_registry({"id": "a"}, "one.yaml"), parse_registry({"id": "a"}, "two.yaml")])
    assert [one.source for one in read.abilities] == ["one.yaml"]
    assert read.problems == ("two.yaml: `id`: `a` is already taken by one.yaml",)


def test_rules_add_to_the_skill_that_they_name():
    """S2-082"""
    rules = parse_registry(
        {"skills": {"pdf": {"priority": "high", "promptTriggers": {"keywords": ["form"]}}}}, "skill-rules.json"
    )
    described = parse_skill("---\nname: pdf\ndescription: Fill in PDF\n---\n", ".claude/skills/pdf/SKILL.md", load_yaml)
    read = merge_abilities([rules, described])
    (ability,) = read.abilities
    assert (ability.summary, ability.keywords, ability.priority) == ("Fill in PDF", ("form",), "high")
    assert read.problems == ()
