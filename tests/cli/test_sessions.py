"""`synaptic sessions` and `synaptic session show` of an agent's session."""

import json
import shlex
import time

import pytest

from synaptic.cli import typer
from synaptic.cli.cells import measure_cells
from synaptic.cli.session_story import read_turns
from synaptic.model.decision import Decision, Kind
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.work.session_story import TurnRange
from tests.cli.conftest import User
from tests.cli.journal_kit import decide, find_yesterday, write_events
from tests.cli.journal_kit import make_event as make_call
from tests.cli.test_screen import at_terminal
from tests.store.conftest import make_record

NOW = time.time()


def make_event(event: str, session: str = "abc-1", **values):
    given = {key: values.pop(key) for key in ("prompt", "tool_input") if key in values}
    fields = {"event": event, "session": session, "at": NOW, "root": "/p/shop", "tool": "", "decision": Decision()}
    return make_record(**{**fields, "payload": json.dumps(given), **values})


def keep(user: User, *records) -> None:
    store = Store.open(user.home)
    journal.append_records(store, records)
    store.close()


def keep_story(user: User) -> None:
    rewritten = Decision(kind=Kind.REWRITE, by="git.force-push", input={"command": "git push --force-with-lease"})
    denied = Decision(kind=Kind.DENY, by="git.reset-hard", reason="it throws work away")
    keep(
        user,
        make_event("SessionStart"),
        make_event("UserPromptSubmit", prompt="please\x1b[31m push it"),
        make_event("PreToolUse", tool="Bash", tool_input={"command": "git push --force"}, decision=rewritten),
        make_event("PostToolUse", tool="Bash", tool_input={"command": "git push --force-with-lease"}),
        make_event("UserPromptSubmit", prompt="now clean up"),
        make_event("SubagentStart", agent_id="sub-77", tool="Explore"),
        make_event("PreToolUse", tool="Bash", tool_input={"command": "git reset --hard"}, decision=denied),
        make_event("PreCompact", tool="auto"),
        make_event("UserPromptSubmit", session="abd-2", prompt="hello", root="/p/blog", agent="codex"),
    )


def test_sessions_are_listed_newest_first_with_what_they_did(user: User):
    keep_story(user)
    found = user.types("sessions", "--json").json["sessions"]
    assert [one["id"] for one in found] == ["abd-2", "abc-1"]
    assert {key: found[1][key] for key in ("prompts", "calls", "denied", "rewritten", "events")} == {
        "prompts": 2,
        "calls": 2,
        "denied": 1,
        "rewritten": 1,
        "events": 8,
    }
    assert "abd-2" in user.types("sessions").out
    for words in (
        ("--denied",),
        ("--project", "shop"),
        ("--grep", "CLEAN"),
        ("--policy", "git.*"),
        ("--session", "abc"),
    ):
        assert [one["id"] for one in user.types("sessions", "--json", *words).json["sessions"]] == ["abc-1"], words
    assert user.types("sessions", "--failed").out == "no session is like that\n"


def test_a_session_is_told_turn_by_turn(user: User):
    keep_story(user)
    shown = user.types("session", "show", "abc").out
    before, first, second = shown.split("\nTurn ")[0], *shown.split("\nTurn ")[1:]
    assert "2 prompts, 2 calls, 1 denied" in before
    assert "start: SessionStart" in before
    assert "> please" in first
    assert "became git push --force-with-lease" in first
    assert "rewrite by git.force-push" in first
    assert "[sub-77] sub-agent: Explore" in second
    assert "deny by git.reset-hard: it throws work away" in second
    assert "compaction: auto" in second
    assert "PostToolUse" not in shown
    assert "\x1b" not in shown


def test_programs_get_the_turns_with_their_steps(user: User):
    keep_story(user)
    found = user.types("session", "show", "abc-1", "--json", "--turns", "1-1").json
    (turn,) = found["turns"]
    assert (turn["number"], found["turnCount"]) == (1, 2)
    assert turn["steps"][0]["became"] == "git push --force-with-lease"


def test_a_long_session_is_told_in_parts(user: User):
    keep(user, *(make_event("UserPromptSubmit", prompt=f"number {n}") for n in range(1, 61)))
    assert user.types("session", "show", "abc", "--json").json["turns"][0]["number"] == 41
    shown = user.types("session", "show", "abc", "--turns", "3-4")
    assert "number 3" in shown.out
    assert "number 5" not in shown.out
    assert "turns 3 to 4 of 60" in shown.err


def test_an_id_that_means_two_sessions_or_none_is_refused(user: User):
    keep_story(user)
    several = user.types("session", "show", "ab", "--json")
    assert (several.code, several.json["error"]["code"]) == (1, "AMBIGUOUS")
    assert user.types("session", "show", "zzz", "--json").json["error"]["code"] == "NOT_FOUND"
    keep(user, make_event("UserPromptSubmit", session="7f00", prompt="hi"))
    assert "Session 7f00" in user.types("session", "show", "7").out


@pytest.mark.parametrize(("text", "wanted"), [("3-5", (3, 5)), ("2", (9, 10)), ("10", (0, 10)), ("99", (0, 10))])
def test_turns_are_the_last_or_from_one_to_another(text: str, wanted: tuple[int, int]):
    assert read_turns(text, 10) == TurnRange(*wanted)


@pytest.mark.parametrize("text", ["", "x", "-1", "1-", "1-2-3", "9" * 30])
def test_other_turns_are_no_turns(text: str):
    with pytest.raises(typer.BadParameter):
        read_turns(text, 10)


def test_a_payload_that_is_none_stops_no_story(user: User):
    keep(user, make_event("UserPromptSubmit", payload="{broken"), make_event("PreToolUse", payload=None))
    assert "(its text was not kept)" in user.types("session", "show", "abc").out


def show(line: str) -> list[str]:
    _, seen = at_terminal(shlex.split(line), TERM="xterm", COLUMNS="80", NO_COLOR="1")
    return seen.replace("\r", "").rstrip("\n").split("\n")


LONG = "/home/you/a-project-with-quite-a-long-name-indeed"
WHY = "Nobody may do this.\n[synaptic git.force-push, a person may allow it: synaptic allow k7qmd]"


def test_sessions_of_several_days_in_long_and_wide_projects_have_a_line_each(user: User):
    for session, root, at in (("s1", LONG, find_yesterday(9)), ("s2", "/home/you/数据平台", find_yesterday(10))):
        write_events(user.home, make_call("ls", session=session, root=root, at=at))
        write_events(user.home, make_call("ls", session=session, root=root, at=at + 7200))
    lines = show("sessions")
    assert len(lines) == 3
    assert max(map(measure_cells, lines)) <= 80
    assert "a-project…" in lines[2]
    # What follows a wide name stands where it stands in every line.
    assert len({measure_cells(line.partition("2.0 h")[0]) for line in lines[1:]}) == 1
    assert LONG.rpartition("/")[2] in user.types("sessions").out


def test_a_story_has_files_as_the_project_has_them_and_reasons_without_the_agents_handle(user: User):
    deny = decide(Kind.DENY, "git.force-push", WHY)
    write_events(user.home, make_call({"file_path": f"{LONG}/src/cart.py"}, deny, tool="Edit", root=LONG))
    lines = [line.strip() for line in show("session show s1")]
    assert any(line.endswith("Edit src/cart.py") for line in lines)
    assert "deny by git.force-push: Nobody may do this." in lines
    assert "[synaptic" not in "".join(lines)
    (turn,) = user.types("session", "show", "s1", "--json").json["turns"]
    assert "k7qmd" in turn["steps"][0]["reason"]


def test_a_session_is_printed_as_one_page_without_secrets_and_script(user: User):
    password = "export DB_PASSWORD=hunter2hunter2"
    keep(user, make_event("UserPromptSubmit", prompt="<script>alert(1)</script>"))
    keep(user, make_event("PreToolUse", tool="Bash", tool_input={"command": password}, call="x3"))
    store = Store.open(user.home)
    # As if it had been written before the shape of this secret was known.
    change = "UPDATE events SET payload = replace(payload, '[redacted:password]', 'hunter2hunter2')"
    store.write(lambda connection: connection.execute(change).rowcount)
    store.close()
    page = user.types("session", "show", "abc", "--html").out
    assert "&lt;script&gt;" in page and "<script" not in page
    assert "hunter2" not in page and "[redacted:password]" in page
    assert "default-src &#39;none&#39;" in page and " src=" not in page
