"""What a file may hold, and what it may cost: whatever is wrong is named, and the rest holds."""

import time

from hypothesis import given
from hypothesis import strategies as st

from synaptic.hooks.rules.examples import check_examples
from synaptic.hooks.rules.index import RuleIndex
from tests.hooks.rules.made import PLACE, make_rules, parse, rule_files, write_rules

GOOD = {"id": "a.good", "run": "npm publish", "then": "deny", "say": "No."}


def tell(tables: list[dict[str, object]], scope: str = "project") -> list[str]:
    return [str(problem) for problem in parse(write_rules(tables), scope).problems]


def test_a_rule_that_cannot_be_used_is_off_by_itself() -> None:
    found = parse(write_rules([{**GOOD, "id": "a.bad", "edit": "["}, GOOD]))
    assert [rule.id for rule in found.rules] == ["a.good"]
    assert found.problems[0].is_off
    assert (found.problems[0].number, found.problems[0].id, found.problems[0].key) == (1, "a.bad", "edit")


def test_a_disabled_rule_is_checked_and_does_not_hold() -> None:
    assert parse(write_rules([{**GOOD, "enabled": False}])).rules == ()
    assert tell([{**GOOD, "enabled": False, "edit": "["}])


def test_a_project_has_a_thousand_rules_at_most_and_the_user_as_many_as_they_like() -> None:
    tables = [{**GOOD, "id": f"a.r{number}", "run": f"npm x{number}"} for number in range(1200)]
    assert "has 1200 rules; only the first 1000 hold" in tell(tables)[0]
    assert len(parse(write_rules(tables)).rules) == 1000
    assert len(parse(write_rules(tables), "user").rules) == 1200


def test_lists_and_texts_have_a_length() -> None:
    assert "`edit`: has 10000 items, more than 100" in tell([{**GOOD, "edit": [f"f{n}" for n in range(10_000)]}])[0]
    assert "`args`: holds a text of more than 500 characters" in tell([{**GOOD, "args": "x" * 501}])[0]
    assert "`stops`: has 101 items" in tell([{**GOOD, "stops": ["npm publish"] * 101}])[0]
    assert "`id`: `" in tell([{**GOOD, "id": "a." + "b" * 200}])[0]


def test_an_expression_that_would_explode_takes_no_time_or_is_refused() -> None:
    (rule,) = make_rules({"edit": "**", "content": "(a+)+$"})
    (pattern,) = [one for one in rule.conditions if "content" in str(one.holds)]
    assert pattern
    assert tell([{**GOOD, "content": "(a{1,100}){1,100}"}])[0].endswith("this rule is off")
    started = time.process_time()
    assert check_examples(make_rules({"content": "(a+)+$", "stops": [{"edit": "x", "content": "a" * 5000 + "!"}]}))
    assert time.process_time() - started < 5


def test_globs_that_would_explode_take_no_time() -> None:
    rules = make_rules({"edit": "/".join(["**"] * 40) + "/x*x*x*x*x*x*y"}, {"args": "*a" * 100})
    deep = "/".join(["x" * 40] * 50)
    started = time.process_time()
    check_examples(make_rules({"edit": "/".join(["**", "a*"] * 20), "passes": [{"edit": deep}]}))
    assert len(rules) == 2
    assert time.process_time() - started < 2


def test_bytes_that_are_no_text_are_named() -> None:
    for text in (b"\xff\xfe[[rule]]", b"[[rule]]\nid = '\x00'", "[[rule]]\nid = 'é".encode("latin-1")):
        (problem,) = parse_bytes(text)
        assert problem.startswith(PLACE.file)
        assert "is no valid TOML" in problem


def parse_bytes(text: bytes) -> list[str]:
    from synaptic.hooks.rules.parse import parse_rules

    return [str(problem) for problem in parse_rules(text, PLACE).problems]


@given(st.binary(max_size=200))
def test_no_bytes_bring_the_reader_down(text: bytes) -> None:
    parse_bytes(text)
    parse_bytes(b"[[rule]]\n" + text)


@given(rule_files())
def test_any_rule_can_be_tried(text: str) -> None:
    check_examples(parse(text).rules)


def test_what_to_type_instead_must_be_possible() -> None:
    rules = make_rules({"run": "npm publish", "instead": "npm pack"}, {"run": "npm pack"})
    (problem,) = check_examples(rules)
    assert str(problem).endswith(f"`instead`: `npm pack` is stopped by `a.r1` ({PLACE.file}: rule 2)")
    (own,) = check_examples(make_rules({"run": "npm", "instead": "npm pack"}))
    assert "is stopped by this rule itself" in str(own)


def test_an_example_that_nobody_can_try_is_told() -> None:
    wrong = [{"edit": "x", "what": "y"}, {"mode": "plan"}, {"run": "ls", "after": "nothing known"}]
    told = [str(one) for one in check_examples(make_rules({"run": "npm", "passes": wrong}))]
    assert [one.partition("cannot be tried: ")[2][:25] for one in told] == [
        "unknown key `what` in an ",
        "an example needs one of r",
        "`after`: `nothing known` ",
    ]


def test_a_thousand_rules_with_four_examples_are_checked_within_a_second() -> None:
    tables = [
        {
            "run": f"tool{number} publish",
            "instead": f"tool{number} pack",
            "stops": [f"tool{number} publish", f"sudo tool{number} publish"],
            "passes": [f"tool{number} pack", {"edit": "x"}],
        }
        for number in range(1000)
    ]
    rules = make_rules(*tables)
    started = time.process_time()
    assert check_examples(rules) == ()
    assert time.process_time() - started < 2.5  # a second on a machine with nothing else to do
    started = time.process_time()
    assert check_examples(rules, 0.0) == ()
    assert RuleIndex(enumerate(rules))
    assert time.process_time() - started < 0.5
