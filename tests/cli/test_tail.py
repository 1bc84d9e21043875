"""What happened, on a terminal, in a pipe and for a program: what somebody wants to see, and nothing else."""

import json
import os
import pty
import re
import subprocess
import sys
import time

import pytest

from synaptic.cli.place import open_database
from synaptic.model.decision import Decision, Kind, TraceStep
from tests.cli.conftest import User
from tests.cli.journal_kit import FAILED, LOST, QUIET, decide, find_yesterday, make_event, write_events
from tests.cli.test_screen import at_terminal

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
SCREEN = {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
REWRITE = decide(
    Kind.REWRITE, "git.force-push", "with a lease", input={"command": "git push --force-with-lease origin x"}
)


def show(line: str, **env: str) -> list[str]:
    code, seen = at_terminal(line.split(), **{**SCREEN, **env})
    assert code == 0, seen
    return COLOURS.sub("", seen).replace("\r", "").rstrip("\n").split("\n")


def numbers(user: User, *words: str) -> list[int]:
    return [json.loads(line)["id"] for line in user.types("tail", "--json", *words).out.splitlines()]


def test_what_was_denied_yesterday_where_and_why_is_on_one_screen(user: User):
    reset = decide(Kind.DENY, "git.reset-hard", LOST)
    home = decide(Kind.DENY, "files.home", "`rm -rf ~` would delete your home folder.")
    write_events(
        user.home,
        make_event("git reset --hard", reset, at=find_yesterday(0) - 3600, root="/home/you/before"),
        *(make_event("npm test", at=find_yesterday(9, number)) for number in range(50)),
        make_event("git reset --hard", reset, at=find_yesterday(14, 5)),
        make_event("terraform destroy", decide(Kind.ASK, "infra.provisioning"), at=find_yesterday(15)),
        make_event("rm -rf ~", home, at=find_yesterday(16, 30), root="/home/you/api", agent="codex"),
        make_event("rm -rf /", home, root="/home/you/today"),
    )
    lines = show("tail --denied --since yesterday --until today")
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    text = "\n".join(lines)
    assert "day, 20" in lines[0]
    for words in ("14:05:00 shop ", "git reset --hard", "deny by git.reset-hard: `git reset --hard` throws away"):
        assert words in text
    for words in ("16:30:00 api ", "codex", "deny by files.home: `rm -rf ~` would delete your home folder."):
        assert words in text
    for words in ("before", "today", "npm", "terraform", "quiet"):
        assert words not in text


def test_quiet_events_are_counted_and_the_rest_is_told(user: User):
    write_events(
        user.home,
        *(make_event("npm test") for _ in range(33)),
        make_event("git push -f origin x", REWRITE),
        make_event({"file_path": "/home/you/shop/cart.py"}, FAILED, tool="Edit"),
        make_event("ls"),
    )
    lines = show("tail")
    assert lines[0].strip() == "… 33 quiet events"
    assert "git push -f origin x" in lines[1]
    assert lines[2].strip().startswith("rewrite by git.force-push: it became `git push --force-with-lease")
    assert any("Edit cart.py" in line for line in lines)
    assert any("demo:guard.sh failed: hook demo:guard.sh exited with 1" in line for line in lines)
    assert lines[-1].strip() == "… 1 quiet event"
    assert len([line for line in show("tail -a -n 40") if "npm test" in line]) == 33
    piped = user.types("tail").out.splitlines()
    assert [line.split()[0] for line in piped] == ["…", "34", "35", "…"]
    assert piped[1].endswith("`git push --force-with-lease origin x` with a lease")


def test_colours_say_what_was_stopped_and_whose_session_it_was(user: User):
    write_events(
        user.home,
        make_event("rm -rf ~", decide(Kind.DENY, "files.home", "no")),
        make_event("terraform destroy", decide(Kind.ASK, "infra.provisioning", "sure?"), session="s2"),
        make_event("git push -f", REWRITE),
    )
    _, seen = at_terminal(["tail"], **SCREEN)
    assert "\x1b[31mdeny by files.home\x1b[0m: no" in seen
    assert "\x1b[33mask by infra.provisioning\x1b[0m" in seen
    assert "\x1b[36mrewrite by git.force-push\x1b[0m" in seen
    agents = re.findall(r"\x1b\[(\d+)mclaude", seen)
    assert agents[0] == agents[2] != agents[1]
    assert "\x1b[3" not in at_terminal(["tail"], NO_COLOR="1", **SCREEN)[1]
    assert "\x1b" not in user.types("tail").out


@pytest.mark.parametrize("words", [[], ["-a"], ["--denied"]])
def test_nothing_in_an_event_can_drive_the_terminal_or_leave_its_line(user: User, words: list[str]):
    evil = "x\x1b[2J\x1b]0;title\x07\r\n\u202e\x9b31m" + "日本語" * 200 + "\u0301" * 400
    decision = decide(Kind.DENY, evil, evil, warnings=(evil,))
    write_events(
        user.home,
        make_event(evil, decision, agent=evil, session=evil, root=f"/{evil}", tool=evil),
        make_event({"a": {"b": [evil]}}, tool=evil, event=evil),
        make_event("x", payload="[" * 5000 + "]" * 5000),
        make_event("x", payload='{"tool_input": 7}', micros=10**12),
    )
    for line in show(" ".join(["tail", *words])):
        assert line.isprintable() or line == ""
        assert len(line) <= 80
    shown = user.types("tail", *words).out
    assert all(line.isprintable() for line in shown.splitlines())
    assert user.types("tail", "--json", *words).code == 0


def test_a_program_gets_the_payload_as_an_object(user: User):
    write_events(
        user.home, make_event("ls"), make_event("x", payload=None), make_event("x", payload="[1]"), make_event("rm")
    )
    found = [json.loads(line) for line in user.types("tail", "--json").out.splitlines()]
    assert [entry["id"] for entry in found] == [1, 2, 3, 4]
    assert found[0]["payload"]["tool_input"] == {"command": "ls"}
    assert [entry["payload"] for entry in found[1:3]] == [None, "[1]"]
    assert user.types("explain", "1", "--json").json["payload"] == found[0]["payload"]


def test_options_choose_the_events(user: User):
    write_events(
        user.home,
        make_event("git push -f", decide(Kind.DENY, "git.force-push"), at=time.time() - 7200),
        make_event("ls", agent="codex", root="/work/api", session="abc-1"),
        make_event("ls", tool="Read"),
    )
    assert numbers(user, "--denied") == [1]
    assert numbers(user, "--since", "1h") == [2, 3]
    assert numbers(user, "--until", "1h") == [1]
    assert numbers(user, "--agent", "codex", "--agent", "gemini") == [2]
    assert numbers(user, "--project", "api") == numbers(user, "--project", "/work/api/") == [2]
    assert numbers(user, "--session", "abc") == [2]
    assert numbers(user, "--tool", "read") == [3]
    assert numbers(user, "--policy", "git.*") == [1]
    assert numbers(user, "--grep", "PUSH") == [1]
    assert numbers(user, "-n", "0") == []
    assert numbers(user, "-n", "1") == [3]


def test_this_project_is_a_dot(user: User):
    write_events(user.home, make_event("ls", root=str(user.project)), make_event("ls"))
    assert numbers(user, "--project", ".") == [1]


def test_where_nothing_is_like_that_it_is_said_beside_the_answer(user: User):
    write_events(user.home, make_event("ls"))
    shown = user.types("tail", "--denied")
    assert (shown.code, shown.out) == (0, "")
    assert "no event is like that" in shown.err
    assert user.types("tail", "--denied", "--json").err == ""


def test_of_very_many_since_a_moment_it_is_said_that_some_are_missing(user: User, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("synaptic.cli.tail.MOST_SINCE", 12)
    deny = decide(Kind.DENY, "files.home", "no")
    write_events(user.home, *(make_event("rm -rf ~", deny) for _ in range(20)))
    shown = user.types("tail", "--denied", "--since", "1h")
    assert len(shown.out.splitlines()) == 12
    assert "only the newest 12" in shown.err
    assert user.types("tail", "--denied", "--since", "1h", "-n", "12").err == ""


def test_it_follows_what_is_wanted(user: User):
    write_events(user.home, make_event("ls"))
    command = [sys.executable, "-m", "synaptic.cli.main", "tail", "-f", "-n", "1", "--json", "--denied"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        time.sleep(0.5)
        write_events(user.home, make_event("ls"), make_event("rm -rf ~", decide(Kind.DENY, "files.home")))
        assert json.loads(process.stdout.readline())["id"] == 3
    finally:
        process.terminate()
        process.communicate(timeout=30)


def test_while_it_follows_a_terminal_counts_quiet_events_in_one_line(user: User):
    write_events(user.home, make_event("ls"))
    pid, terminal = pty.fork()
    if pid == 0:
        command = [sys.executable, "-m", "synaptic.cli.main", "tail", "-f"]
        os.execvpe(sys.executable, command, {**os.environ, **SCREEN, "NO_COLOR": "1"})
    seen = ""
    try:
        seen += read_until(terminal, "… 1 quiet event")
        write_events(user.home, make_event("ls"), make_event("ls"))
        seen += read_until(terminal, "… 3 quiet events")
        write_events(user.home, make_event("rm -rf ~", decide(Kind.DENY, "files.home", "no")))
        seen += read_until(terminal, "deny by files.home: no")
        os.write(terminal, b"\x03")
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130
    finally:
        os.close(terminal)
    assert seen.count("\n") <= 4
    assert "\r\x1b[K" in seen


def read_until(terminal: int, words: str) -> str:
    seen, end = "", time.monotonic() + 20
    while words not in seen and time.monotonic() < end:
        seen += os.read(terminal, 4096).decode("utf-8", "replace")
    assert words in seen
    return seen


def test_a_decision_with_every_part_is_still_two_or_three_lines(user: User):
    steps = tuple(TraceStep(hook=f"hook-{number}", fault="timeout") for number in range(20))
    decision = Decision(kind=Kind.ADVISE, by="x", context=("told " * 500,), grants=("g1",), trace=steps)
    write_events(user.home, make_event("ls", decision), make_event("ls", QUIET, tool="", payload=None))
    lines = show("tail -a")
    assert len(lines) <= 4
    assert max(map(len, lines)) <= 80


def test_a_moment_that_no_calendar_has_stops_no_verb(user: User):
    reason = decide(Kind.DENY, "git.reset-hard", LOST)
    write_events(user.home, make_event("git reset --hard", reason, at=1e15), make_event("ls", at=-1e18))
    for verb in ("tail -a", "tail", "explain", "status", "search reset", "sessions", "session show s1"):
        shown = user.types(*verb.split())
        assert shown.code == 0, (verb, shown.err)
        assert show(verb), verb
    for words in (("report",), ("report", "--since", "30d"), ("report", "--since", "30d", "--html"), ("suggest",)):
        assert user.types(*words).code == 0, words


def test_a_row_whose_bits_were_turned_stops_no_verb(user: User):
    write_events(user.home, make_event("one", decide(Kind.DENY, "git.clean", "no")), make_event("two"))
    with open_database(user.home) as store:
        store.write(
            lambda connection: connection.execute(
                "UPDATE events SET agent = x'ff', session = x'ff00', tool = x'c3', root = x'2fff', micros = 'many', "
                "payload = x'ff7b', decision = '{\"kind\":\"deny\",' WHERE id = 1"
            )
        )
    for verb in (
        "tail -a",
        "tail -a --json",
        "tail --denied",
        "explain 1",
        "status",
        "search two",
        "sessions",
        "report",
    ):
        shown = user.types(*verb.split())
        assert shown.code == 0, (verb, shown.err)
    assert user.types("report", "--since", "1d").code == 0
    assert len(user.types("tail", "-a").out.splitlines()) == 2
