"""Answers to a package's questions: defaults, answers kept by an upgrade, and what still has to be asked."""

from collections.abc import Iterable, Mapping

from synaptic.model.refusal import Refusal
from synaptic.packages.profile_repo import RepoProfile
from synaptic.packages.rows import Question, split_list

Answer = str | bool | list[str]
Answers = Mapping[str, Answer]

AUTOMATIC: Mapping[str, str] = {
    "repo_name": "name",
    "repo.name": "name",
    "primary_language": "primary_language",
    "repo.primary_language": "primary_language",
    "ci_system": "ci_system",
    "repo.ci_system": "ci_system",
}
"""What an `auto` question's default (or else its id) names, and the field of the profile it means."""
LISTS = ("languages", "frameworks", "test_frameworks")
"""Lists of the profile that a `multi` question's default may name, with or without `repo.` before it."""


def in_order(questions: Iterable[Question]) -> tuple[Question, ...]:
    """Sort questions as they are asked: by sort_order, then by id."""
    return tuple(sorted(questions, key=lambda question: (question.sort_order, question.question_id)))


def default_answer(question: Question, repo: RepoProfile) -> Answer:
    """Get the answer that is taken when nobody gives one."""
    match question.type:
        case "confirm":
            return question.default_val.strip().lower() == "true"
        case "multi":
            return _listed(question.default_val, repo)
        case "auto":
            field = AUTOMATIC.get(question.default_val) or AUTOMATIC.get(question.question_id, "name")
            return str(getattr(repo, field))
        case _:
            return question.default_val


def default_answers(questions: Iterable[Question], repo: RepoProfile) -> dict[str, Answer]:
    """Get all default answers, in the order of the questions."""
    return {question.question_id: default_answer(question, repo) for question in in_order(questions)}


def to_ask(questions: Iterable[Question], known: Iterable[str]) -> tuple[Question, ...]:
    """Find the questions that are neither answered before nor automatic."""
    before = set(known)
    return tuple(one for one in in_order(questions) if one.question_id not in before and one.type != "auto")


def kept(questions: Iterable[Question], before: Answers) -> dict[str, Answer]:
    """Keep earlier answers to questions that the package still has."""
    return {one.question_id: before[one.question_id] for one in in_order(questions) if one.question_id in before}


def answer_from(question: Question, text: str) -> Answer:
    """Convert text that was typed or passed as `id=text` to the question's type. Raises Refusal for no valid choice."""
    if question.type == "confirm":
        return _yes_or_no(question, text)
    if question.type == "multi":
        return [_choice(question, word) for word in split_list(text)]
    return _choice(question, text.strip()) if question.type == "choice" else text


def _choice(question: Question, word: str) -> str:
    if question.options and word not in question.options:
        raise Refusal(
            "invalid_args",
            f"`{word}` is no answer to `{question.question_id}`",
            hint=f"choose from: {', '.join(question.options)}",
        )
    return word


def _yes_or_no(question: Question, text: str) -> bool:
    word = text.strip().lower()
    if word not in ("true", "yes", "y", "false", "no", "n"):
        raise Refusal("invalid_args", f"`{text}` is no answer to `{question.question_id}`", hint="say yes or no")
    return word in ("true", "yes", "y")


def _listed(default: str, repo: RepoProfile) -> list[str]:
    field = default.strip().removeprefix("repo.")
    return list(getattr(repo, field)) if field in LISTS else list(split_list(default))
