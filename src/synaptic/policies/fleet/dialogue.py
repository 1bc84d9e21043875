"""A question to the user and its answer, as one entry of the dialogue."""

from collections.abc import Mapping

import msgspec

ASK_TOOL = "AskUserQuestion"


def build_entry(given: Mapping[str, object], response: object) -> dict[str, object] | None:
    """The questions with their answers, by the question's text; None when nothing was asked."""
    questions = given.get("questions")
    if not isinstance(questions, list | tuple):
        return None
    answers = _read_answers(response)
    asked = [one for one in questions if isinstance(one, Mapping)]
    return {"preamble": "", "questions": [_build_question(one, answers) for one in asked]}


def _build_question(asked: Mapping[str, object], answers: Mapping[str, object]) -> dict[str, object]:
    text, options = str(asked.get("question") or ""), asked.get("options")
    labels = [_read_label(option) for option in options] if isinstance(options, list | tuple) else []
    return {"question": text, "options": labels, "answer": _format_answer(answers.get(text))}


def _read_label(option: object) -> str:
    return str(option.get("label") or "") if isinstance(option, Mapping) else str(option)


def _format_answer(answer: object) -> str:
    if isinstance(answer, list | tuple):
        return ", ".join(map(str, answer))
    return "" if answer is None else str(answer)


def _read_answers(response: object) -> Mapping[str, object]:
    # The response may arrive as JSON text instead of an object.
    if isinstance(response, str):
        try:
            response = msgspec.json.decode(response)
        except (msgspec.DecodeError, UnicodeEncodeError):
            return {}
    found = response.get("answers") if isinstance(response, Mapping) else None
    return found if isinstance(found, Mapping) else {}
