"""Questions to the user and their answers."""

from synaptic.policies.fleet.dialogue import build_entry

ASKED = {"questions": [{"question": "Q1?", "options": [{"label": "A"}, {"label": "B"}]}, {"question": "Q2?"}]}


def answers(response: object) -> list[object]:
    found = build_entry(ASKED, response)
    assert found is not None
    return [question["answer"] for question in found["questions"]]


def test_answers_belong_to_the_text_of_their_question() -> None:
    """S3-180"""
    assert answers({"answers": {"Q2?": "yes", "Q1?": "A", "Q3?": "no"}}) == ["A", "yes"]
    assert answers('{"answers": {"Q1?": "A"}}') == ["A", ""]
    assert answers({"answers": {"Q1?": ["A", "B"]}}) == ["A, B", ""]


def test_an_answer_that_cannot_be_read_is_empty() -> None:
    """S3-180"""
    for response in (None, "no JSON", 3, [], {}, {"answers": 3}, "[1]"):
        assert answers(response) == ["", ""]


def test_what_was_not_asked_is_no_entry() -> None:
    """S3-180"""
    assert build_entry({}, {}) is None
    assert build_entry({"questions": "x"}, {}) is None
    assert build_entry({"questions": []}, {}) == {"preamble": "", "questions": []}
    assert build_entry({"questions": ["x", {"question": "Q?", "options": "A"}]}, {}) == {
        "preamble": "",
        "questions": [{"question": "Q?", "options": [], "answer": ""}],
    }
