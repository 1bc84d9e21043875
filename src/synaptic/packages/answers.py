"""Answers to a package's questions: defaults, answers kept by an upgrade, and what still has to be asked."""

from collections.abc import Iterable, Mapping

from synaptic.model.refusal import Refusal
from synaptic.packages.profile_repo import RepoProfile
from synaptic.packages.rows import Question, split_list

QuestionAnswer = str | bool | list[str]
QuestionAnswers = Mapping[str, QuestionAnswer]

AUTOMATIC_FIELDS: Mapping[str, str] = {
    "repo_name": "name",
    "repo.name": "name",
    "primary_language": "primary_language",
    "repo.primary_language": "primary_language",
    "ci_system": "ci_system",
    "repo.ci_system": "ci_system",
}
"""What an `auto` question's default (or else its id) names, and the field of the profile it means."""
ANSWER_LIMIT = 4000
"""Characters of an answer."""
LIST_FIELDS = ("languages", "frameworks", "test_frameworks")
"""Lists of the profile that a `multi` question's default may name, with or without `repo.` before it."""


def sort_questions(questions: Iterable[Question]) -> tuple[Question, ...]:
    """Sort questions as they are asked: by sort_order, then by id."""
    return tuple(sorted(questions, key=lambda question: (question.sort_order, question.question_id)))


def get_default_answer(question: Question, repo: RepoProfile) -> QuestionAnswer:
    """Get the answer that is taken when nobody gives one."""
    match question.type:
        case "confirm":
            return question.default_val.strip().lower() == "true"
        case "multi":
            return _parse_list(question.default_val, repo)
        case "auto":
            field = AUTOMATIC_FIELDS.get(question.default_val) or AUTOMATIC_FIELDS.get(question.question_id, "name")
            return str(getattr(repo, field))
        case _:
            return question.default_val


def get_default_answers(questions: Iterable[Question], repo: RepoProfile) -> dict[str, QuestionAnswer]:
    """Get all default answers, in the order of the questions."""
    return {question.question_id: get_default_answer(question, repo) for question in sort_questions(questions)}


def find_unanswered(questions: Iterable[Question], known: Iterable[str]) -> tuple[Question, ...]:
    """Find the questions that are neither answered before nor automatic."""
    before = set(known)
    return tuple(one for one in sort_questions(questions) if one.question_id not in before and one.type != "auto")


def keep_answers(questions: Iterable[Question], before: QuestionAnswers) -> dict[str, QuestionAnswer]:
    """Keep earlier answers to questions that the package still has. Raises Refusal for one that nobody can have given.

    They come from the lockfile, and with it from a repository: what a template fills in may become part of a script.
    """
    kept = {one: before[one.question_id] for one in sort_questions(questions) if one.question_id in before}
    return {question.question_id: check_answer(question, answer) for question, answer in kept.items()}


def check_answer(question: Question, answer: QuestionAnswer) -> QuestionAnswer:
    """Return the answer if it is of the question's type, one of its choices, and one line; raises Refusal otherwise."""
    kind = {"confirm": bool, "multi": list}.get(question.type, str)
    words = answer if isinstance(answer, list) else [answer]
    fitting = isinstance(answer, kind) and all(isinstance(word, bool) or _is_line(word) for word in words)
    if not fitting:
        where, hint = f"manifest.lock: answer `{question.question_id}`", "correct it, or delete it and answer again"
        raise Refusal("validation_failed", f"`{str(answer)[:80]!a}` is no answer to it", where=where, hint=hint)
    for word in words if question.type in ("choice", "multi") else ():
        _check_choice(question, str(word))
    return answer


def pick_given(package: str, questions: Iterable[Question], given: Mapping[str, str]) -> dict[str, str]:
    """Pick what was given for the questions of one package: by `ID`, or by `PACKAGE.ID`, which counts before it."""
    ids = [question.question_id for question in questions]
    by_id = {name: given[name] for name in ids if name in given}
    return by_id | {name: given[f"{package}.{name}"] for name in ids if f"{package}.{name}" in given}


def refuse_unasked(given: Iterable[str], questions: Mapping[str, tuple[Question, ...]]) -> None:
    """Raise Refusal for an answer to what no package asks: misspelt, it would silently become the default."""
    asked = {name: [one.question_id for one in sort_questions(found)] for name, found in questions.items()}
    known = {one for ids in asked.values() for one in ids}
    known |= {f"{name}.{one}" for name, ids in asked.items() for one in ids}
    if strange := [name for name in given if name not in known]:
        packages = ", ".join(asked) or "no package"
        asks = "; ".join(f"{name}: {', '.join(ids)}" for name, ids in asked.items() if ids)
        hint = f"they ask for {asks}" if asks else "leave --answer out: nothing is asked"
        raise Refusal("invalid_args", f"no question `{strange[0]}` is asked by {packages}", hint=hint)


def _is_line(word: object) -> bool:
    return isinstance(word, str) and len(word) <= ANSWER_LIMIT and word.isprintable()


def parse_answer(question: Question, text: str) -> QuestionAnswer:
    """Convert text that was typed or passed as `id=text` to the question's type. Raises Refusal for no valid choice."""
    if question.type == "confirm":
        return _parse_yes_or_no(question, text)
    if question.type == "multi":
        return [_check_choice(question, word) for word in split_list(text)]
    return _check_choice(question, text.strip()) if question.type == "choice" else text


def _check_choice(question: Question, word: str) -> str:
    if question.options and word not in question.options:
        raise Refusal(
            "invalid_args",
            f"`{word}` is no answer to `{question.question_id}`",
            hint=f"choose from: {', '.join(question.options)}",
        )
    return word


def _parse_yes_or_no(question: Question, text: str) -> bool:
    word = text.strip().lower()
    if word not in ("true", "yes", "y", "false", "no", "n"):
        raise Refusal("invalid_args", f"`{text}` is no answer to `{question.question_id}`", hint="say yes or no")
    return word in ("true", "yes", "y")


def _parse_list(default: str, repo: RepoProfile) -> list[str]:
    field = default.strip().removeprefix("repo.")
    return list(getattr(repo, field)) if field in LIST_FIELDS else list(split_list(default))
