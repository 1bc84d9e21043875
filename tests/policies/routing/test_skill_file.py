"""What a SKILL.md says."""

import pytest

from synaptic.hooks.document import load_yaml
from synaptic.model.errors import LayerError
from synaptic.model.layers import Skill
from synaptic.policies.routing.skill_file import read_skill

PATH = "/p/.claude/skills/implement/SKILL.md"
WHOLE = """---
name: build
version: 1.5
description: Builds
  things
tier: protocol
---
# Text
```yaml
not: this
```
```json
{"phases": ["0: Setup", {"label": "1", "name": "Build"}, {"major": 2, "minor": 1, "name": "Check"}, 7, null],
 "modes": {"fast": 1}, "logTemplate": "assets/LOG.md", "planTemplate": "/abs/PLAN.md", "homeTemplate": "~/x/../T.md",
 "emptyTemplate": "", "nextSkills": ["test", {"name": "review"}], "directives": ["TESTING.md"]}
```
```json
{"phases": ["other"]}
```
"""


def test_front_matter_and_the_first_block():
    """S3-210"""
    assert read_skill(WHOLE, PATH, load_yaml) == Skill(
        name="build",
        phases=("0: Setup", "1: Build", "2.1: Check", "7"),
        templates={
            "logTemplate": "/p/.claude/skills/implement/assets/LOG.md",
            "planTemplate": "/abs/PLAN.md",
            "homeTemplate": "~/T.md",
        },
        modes={"fast": 1},
        next_skills=("test", "review"),
        directives=("TESTING.md",),
        version="1.5",
        description="Builds things",
        tier="protocol",
        path=PATH,
    )


@pytest.mark.parametrize("text", ["", "# no front matter", "---\n- a list\n---\n", "---\nname: [x]\n---\n"])
def test_without_a_block_it_is_a_utility_named_by_its_folder(text: str):
    """S3-210"""
    assert read_skill(text, PATH, load_yaml) == Skill(name="implement", tier="utility", path=PATH)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("# T\n```json\n{oops\n```\n", "json block in line 2"),
        ("```json\n[1]\n```\n", "no JSON object"),
        ("---\nname: [x\n---\n", "front matter"),
    ],
)
def test_what_cannot_be_read_names_the_file_and_the_place(text: str, word: str):
    """S3-210"""
    with pytest.raises(LayerError) as caught:
        read_skill(text, PATH, load_yaml)
    assert caught.value.code == "PARSE_ERROR"
    assert caught.value.where == PATH
    assert word in caught.value.message


def test_keys_of_a_wrong_type_are_nothing():
    text = '```json\n{"phases": "x", "nextSkills": {}, "directives": [1.5, true], "logTemplate": 3}\n```\n'
    assert read_skill(text, PATH, load_yaml) == Skill(name="implement", directives=("1.5",), path=PATH)
