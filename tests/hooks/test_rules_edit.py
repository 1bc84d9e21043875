"""Rules are written as a person would write them, and everything else in the file stays as it is."""

import tomllib

import pytest

from synaptic.hooks.rules_edit import WrittenRule, append_rules, cut_rule, list_rule_tables, write_rule
from synaptic.model.errors import DeclarationError

RULE = WrittenRule({"id": "npm.publish", "run": "npm publish", "then": "ask", "say": "Publish?"}, "a test")
OTHER = WrittenRule({"id": "a.b", "run": ["x", "y"], "then": "deny", "say": "No."})
FILE = """# mine
presets = ["essentials"]  # as it was

[policies."git.force-push"]
protected = ["main"]
"""


def test_a_rule_is_appended_and_taken_out_again_byte_for_byte():
    one = append_rules(FILE, [RULE])
    both = append_rules(one, [OTHER])
    assert both.startswith(FILE)
    assert [table["id"] for table in list_rule_tables(both)] == ["npm.publish", "a.b"]
    assert cut_rule(both, "a.b") == one
    assert cut_rule(one, "npm.publish") == FILE
    assert cut_rule(append_rules("", [RULE]), "npm.publish") == ""
    assert cut_rule("# mine\n" + append_rules("", [RULE]), "npm.publish").startswith("# mine\n")


def test_a_rule_between_others_goes_with_its_comment_alone():
    text = append_rules(FILE, [OTHER, RULE]) + "\n# the last one\n[[rule]]\nid = 'c.d' # odd\nthen = \"record\"\n"
    left = cut_rule(text, "npm.publish")
    assert "from a test" not in left
    assert "# the last one\n[[rule]]\nid = 'c.d' # odd" in left


@pytest.mark.parametrize(
    "text",
    [
        "one line",
        "two\nlines",
        'with "quotes"',
        "it's",
        "back\\slash",
        "back\\slash and\nlines",
        "\x1b[31m",
        "a\x00b\nc",
        "a\r\nb",
        "tab\tend \\",
        'ends\nwith "',
        "ends\nwith \\",
        "\n",
        "ü\u2028x",
        "''' and \"\"\"\n",
        "",
    ],
)
def test_any_text_is_read_back(text: str):
    written = write_rule(WrittenRule({"id": "a.b", "say": text}))
    assert tomllib.loads(written)["rule"] == [{"id": "a.b", "say": text}]


def test_examples_with_tables_and_long_lists_are_read_back():
    keys = {
        "id": "a.b",
        "stops": [{"tool": "X", "input": {"a": [1, {"b": "c"}], "d": True}}, "rm -rf x"],
        "run": [f"program-{n}" for n in range(20)],
    }
    written = write_rule(WrittenRule(keys))
    assert tomllib.loads(written)["rule"] == [keys]
    assert max(map(len, written.splitlines())) < 120


def test_a_comment_cannot_leave_its_line():
    written = write_rule(WrittenRule({"id": "a.b"}, "x\n[[rule]]\nid = 'evil'"))
    assert [table["id"] for table in tomllib.loads(written)["rule"]] == ["a.b"]


def test_an_unknown_rule_is_named_with_its_nearest():
    with pytest.raises(DeclarationError, match=r"npm\.publish"):
        cut_rule(append_rules("", [RULE]), "npm.publsh")


@pytest.mark.parametrize("text", ["rule = [{ id = 'a.b' }]\n", "rule = 1\n", "[rule]\nid = 'a.b'\n", "x ="])
def test_a_file_that_cannot_be_edited_is_refused(text: str):
    with pytest.raises(DeclarationError):
        append_rules(text, [RULE])
