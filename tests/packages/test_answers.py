import pytest

from synaptic.model.refusal import Refusal
from synaptic.packages.answers import find_unanswered, get_default_answers, keep_answers, parse_answer, sort_questions
from synaptic.packages.profile_repo import RepoProfile
from synaptic.packages.rows import Question

REPO = RepoProfile(name="shop", root="/shop", primary_language="go", languages=("go", "python"), ci_system="ci")


def question(name, kind="choice", default="", **more):
    return Question(package_id="p", question_id=name, prompt=f"{name}?", type=kind, default_val=default, **more)


def test_each_type_has_its_own_default():
    """S0-160"""
    asked = [
        question("style", default="plain"),
        question("note", "text", "hello, you"),
        question("tools", "multi", "a, b,,c"),
        question("langs", "multi", "repo.languages"),
        question("none", "multi"),
        question("sure", "confirm", "TRUE"),
        question("unsure", "confirm", "yes"),
        question("repo_name", "auto"),
        question("lang", "auto", "primary_language"),
        question("ci", "auto", "repo.ci_system"),
    ]
    assert get_default_answers(asked, REPO) == {
        "style": "plain",
        "note": "hello, you",
        "tools": ["a", "b", "c"],
        "langs": ["go", "python"],
        "none": [],
        "sure": True,
        "unsure": False,
        "repo_name": "shop",
        "lang": "go",
        "ci": "ci",
    }


def test_questions_are_asked_by_order_then_alphabetically():
    """S0-135"""
    asked = [question("b", sort_order=1), question("z"), question("a", sort_order=1)]
    assert [one.question_id for one in sort_questions(asked)] == ["z", "a", "b"]


def test_an_upgrade_asks_only_what_is_new_and_forgets_what_is_gone():
    """S0-161"""
    now = [question("old"), question("new"), question("auto", "auto")]
    before = {"old": "x", "gone": "y"}
    assert [one.question_id for one in find_unanswered(now, before)] == ["new"]
    assert keep_answers(now, before) == {"old": "x"}


def test_what_is_typed_becomes_the_type_of_the_question():
    assert parse_answer(question("a", choices="x, y"), " y ") == "y"
    assert parse_answer(question("a", "multi", choices="x, y"), "y,x") == ["y", "x"]
    assert parse_answer(question("a", "confirm"), "Yes") is True
    assert parse_answer(question("a", "text"), " as it is ") == " as it is "


@pytest.mark.parametrize(("kind", "text"), [("choice", "z"), ("multi", "x,z"), ("confirm", "maybe")])
def test_what_is_no_answer_is_refused(kind, text):
    with pytest.raises(Refusal) as refused:
        parse_answer(question("a", kind, choices="x, y"), text)
    assert refused.value.code == "invalid_args"
