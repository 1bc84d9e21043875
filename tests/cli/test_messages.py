"""`synaptic messages`."""

from synaptic.model.layers import Note
from synaptic.store import layers
from synaptic.store.db import Store
from tests.cli.conftest import User


def say(user: User, session: int, *texts: str) -> None:
    store = Store.open(user.home)
    layers.write_layer_effects(
        store, tuple(Note(session=session, role="system", content=text, tool="Bash") for text in texts), 1.0
    )
    store.close()


def test_the_dialogue_of_an_effort_and_of_one_session(user: User):
    user.types("effort", "start", "t", "--skill", "a")
    assert user.types("messages").out == "there are no messages\n"
    say(user, 1, "one", "two")
    user.types("effort", "resume")
    say(user, 2, "three")
    assert [one["content"] for one in user.types("messages", "--limit", "2", "--json").json["messages"]] == [
        "two",
        "three",
    ]
    shown = user.types("messages", "--session", "1").out
    assert shown.count("system Bash") == 2
    assert "three" not in shown


def test_what_is_not_there_has_a_code(user: User):
    for words, code in (((), "NO_ACTIVE_EFFORT"), (("--session", "9"), "NOT_FOUND")):
        shown = user.types("messages", *words, "--json")
        assert (shown.code, shown.json["error"]["code"]) == (1, code)
