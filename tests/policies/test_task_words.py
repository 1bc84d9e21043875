"""Whether a prompt goes on with a task: then its research still counts."""

import pytest

from synaptic.policies.task_words import MAX_KNOWN, add_keywords, are_related, continues_task, find_keywords

KNOWN = ("postgresql", "database", "migrate")


def test_related_tasks_share_half_of_their_words() -> None:
    """S1-055"""
    assert are_related(("login", "parser"), ("login", "crash"))
    assert not are_related(("login", "parser", "crash"), ("billing", "export", "crash"))
    assert are_related((), ("login",))


@pytest.mark.parametrize(
    "prompt",
    [
        "also update the changelog",
        "and fix the typo too",
        "run the tests",
        "commit this",
        "fix it",
        "do it",
        "yes, go ahead with the second option",
        "ok, then remove the old driver",
        "Now do the same for the staging environment",
        "the config loader needs that as well",
        "use an enum for this",
        "migrate the database of the tests",
        "und aktualisiere noch das Handbuch",
        "aussi pour la page d'accueil",
        "también en la página de inicio",
        "还要更新文档",
        "go",
        "Next, update the staging scripts",
        "i jeszcze zaktualizuj plik faktur",
        "en werk ook de facturen bij",
    ],
)
def test_more_of_the_same_task(prompt: str) -> None:
    assert continues_task(prompt, KNOWN)


@pytest.mark.parametrize(
    "prompt",
    [
        "implement the billing export",
        "Add a dark mode toggle to the settings page",
        "Anderes Thema: der Export bricht bei Umlauten ab",
        "Rename UserManager to AccountService",
        "修复登录错误",
        "I want to build a command line for exporting invoices",
        "I need the login form to remember its users",
        "Go through all handlers and add structured logging",
        "Next.js has to be upgraded to the current version",
        "Dan's scheduler crashes when the queue is empty",
        "En la página de pagos falta un botón verde",
    ],
)
def test_another_task(prompt: str) -> None:
    assert not continues_task(prompt, KNOWN)


def test_without_a_task_before_everything_is_its_beginning() -> None:
    assert continues_task("implement the billing export", ())


def test_what_is_done_to_a_thing_is_not_what_a_task_is_about() -> None:
    assert find_keywords("fix the login parser") == ("parser", "login")
    assert find_keywords("add it") == ()
    assert find_keywords("поправь ошибку входа")[0] == "поправь"


def test_a_task_keeps_the_words_of_all_its_prompts() -> None:
    assert add_keywords(("a", "b"), ("b", "c")) == ["a", "b", "c"]
    assert len(add_keywords([f"w{number}" for number in range(20)], ("x",))) == MAX_KNOWN
