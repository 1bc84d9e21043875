"""`synaptic inbox` as text, and on a whole terminal that is always as it was afterwards."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.cli import carry_out
from synaptic.cli.cells import measure_cells
from synaptic.cli.main import FOR_PEOPLE_EXIT
from synaptic.model.authority import Authority
from synaptic.store import pin, refused
from synaptic.store.db import Store
from tests.cli.conftest import User
from tests.cli.inbox_terminal import LEFT, InboxTerminal
from tests.cli.test_report import Agent
from tests.cli.test_screen import at_terminal
from tests.work.test_inbox import hostile_texts

PUSH, OTHER, WIPE = "git push --force origin main", "git push -f origin main", "rm -rf ~"
ALLOW = """
import sys
from synaptic.cli import inbox_screen
from synaptic.cli.main import run_command_line
from synaptic.model.errors import LayerError, PersonError

def allow(command, kind):
    print(command.method, command.scope, repr(command.pin), file=open({log!r}, "a"))
    if {wants_pin} and command.pin != "1234":
        raise LayerError("PIN_WRONG", "wrong PIN") if command.pin else LayerError("PIN_NEEDED", "this needs your PIN")
    if {refuses!r}:
        raise PersonError({refuses!r})

inbox_screen.ask_daemon_for = allow
sys.exit(run_command_line(["inbox"]))
"""

SHELL = """
import os, signal, sys, termios
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpgrp())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.executable, [sys.executable, "-m", "synaptic.cli.main", "inbox"])
status = os.waitpid(child, os.WUNTRACED)[1]
while os.WIFSTOPPED(status):
    os.tcsetpgrp(0, os.getpgrp())
    edits, shows = (bool(termios.tcgetattr(0)[3] & flag) for flag in (termios.ICANON, termios.ECHO))
    print(f"STOPPED with lines edited: {edits}, keys shown: {shows}", flush=True)
    if input() == "kill":
        os.kill(child, signal.SIGTERM)
    else:
        os.tcsetpgrp(0, child)
    os.kill(child, signal.SIGCONT)
    status = os.waitpid(child, os.WUNTRACED)[1]
os.tcsetpgrp(0, os.getpgrp())
print("ENDED with", os.waitstatus_to_exitcode(status))
"""
"""A shell with one job and two words: `fg` and `kill`."""


@pytest.fixture
def agent(user: User, monkeypatch: pytest.MonkeyPatch) -> Agent:
    made = Agent(user)
    made.asks(PUSH)
    made.asks(OTHER)
    made.asks(WIPE)
    return made


@pytest.fixture
def opened(agent: Agent) -> Iterator[InboxTerminal]:
    terminal = InboxTerminal(["inbox"])
    terminal.shows("? help")
    yield terminal
    terminal.close()


def code_of(user: User, command: str) -> str:
    groups = user.types("inbox", "--all", "--json").json["groups"]
    calls = [call for group in groups for call in group["codes"]]
    shown = {code: user.types("inbox", "show", code, "--json").json["refusals"][0]["shown"] for code in calls}
    return next(code for code, text in shown.items() if text == command)


def answers(user: User) -> dict[str, str]:
    store = Store.open(user.home)
    found = {call.subject.shown: str(call.answer) for call in refused.list_refused(store)}
    store.close()
    return found


def test_it_lists_groups_with_the_last_call_its_code_and_what_to_type(user: User, agent: Agent):
    shown = user.types("inbox").out
    assert shown.startswith("files.recursive-deletion: rm, 1x\n")
    assert "git.force-push: git push, 2x\n" in shown
    assert f"  {code_of(user, OTHER)} {OTHER}\n       project, claude, once, just now\n" in shown
    assert "synaptic allow CODE" in shown


def test_nothing_is_wider_than_the_terminal(user: User, agent: Agent):
    agent.asks(f"{WIPE} {'漢字 ' * 300}", description="why " * 300)
    for width in (80, 40):
        _, seen = at_terminal(["inbox", "--plain"], TERM="xterm", COLUMNS=str(width), NO_COLOR="1")
        assert "rm -rf" in seen
        assert max(measure_cells(line) for line in seen.replace("\r", "").split("\n")) <= width


def test_what_is_answered_leaves_it_and_all_brings_it_back(user: User, agent: Agent, monkeypatch):
    code = code_of(user, PUSH)
    # Of whom nobody can tell whether a person types, a refusal takes no answer.
    assert "synaptic pin set" in user.types("inbox", "uphold", code).err
    monkeypatch.setattr(carry_out, "find_authority", lambda *_: Authority(standing="sure", who="pts/1, by login"))
    assert user.types("inbox", "uphold", code).out == f"{code} is upheld\n"
    assert code not in user.types("inbox").out
    assert f"{code} [upheld]" in user.types("inbox", "--all").out


def test_each_filter_narrows_it(user: User, agent: Agent):
    for words, count in (
        (["--policy", "git.*"], 1), (["--project", "."], 2), (["--project", "project"], 2), (["--agent", "codex"], 0),
        (["--since", "1h"], 2), (["--since", "1m", "--policy", "x"], 0),
    ):  # fmt: skip
        assert len(user.types("inbox", *words, "--json").json["groups"]) == count, words
    assert user.types("inbox", "--since", "yesterday").code == 2


def test_without_a_store_or_with_one_that_cannot_be_read_the_text_says_so(user: User):
    shown = user.types("inbox")
    assert (shown.code, shown.out) == (1, "")
    assert "there is no journal yet" in shown.err
    assert not user.home.database.exists()
    user.home.database.mkdir(parents=True)
    shown = user.types("inbox")
    assert shown.code == 1
    assert str(user.home.database) in shown.err
    assert user.types("inbox", "--json").json["ok"] is False


def test_an_empty_store_is_an_empty_inbox(user: User):
    Store.open(user.home).close()
    assert user.types("inbox").out == "Nothing waits for an answer.\n"
    assert user.types("inbox", "--json").json == {"ok": True, "groups": []}
    assert at_terminal(["inbox"], TERM="xterm")[1] == "Nothing waits for an answer.\r\n"


def test_marking_as_wrong_says_where_and_offers_the_exception(user: User, agent: Agent):
    code = code_of(user, PUSH)
    shown = user.types("inbox", "wrong", code).out
    file = user.home.root / "cases" / "git.force-push.toml"
    assert f"written to {file}\n" in shown
    assert shown.endswith(f"synaptic allow {code} --here\n")
    tested = user.types("self-test", "git.force-push")
    assert tested.code == 0
    assert f"{code}: {PUSH}: a person says: wrong; still refused ({file})" in tested.out
    (disputed,) = user.types("self-test", "git.force-push", "--json").json["disputed"]
    assert disputed["still"] is True
    assert not (user.project / ".synaptic").exists()
    assert user.types("self-test", "git.reset-hard", "--json").json["disputed"] == []


def test_a_case_of_a_project_is_asked_where_it_is(user: User, agent: Agent, tmp_path: Path, monkeypatch):
    user.types("inbox", "wrong", code_of(user, PUSH), "--project")
    assert len(user.types("self-test", "git.force-push", "--json").json["disputed"]) == 1
    monkeypatch.chdir(tmp_path)
    assert user.types("self-test", "git.force-push", "--json").json["disputed"] == []


def test_agents_may_look_and_not_answer(user: User, agent: Agent, monkeypatch):
    code = code_of(user, PUSH)
    monkeypatch.setenv("CLAUDECODE", "1")
    for words in (["uphold", code], ["wrong", code]):
        assert user.types("inbox", *words).code == FOR_PEOPLE_EXIT, words
    assert user.types("inbox", "show", code).code == 0
    assert user.types("inbox").code == 0
    assert set(answers(user).values()) == {""}
    # One with a terminal of its own gets text: it would wait for keys for ever.
    assert LEFT not in at_terminal(["inbox"], TERM="xterm", CLAUDECODE="1")[1]


def test_a_thousand_hostile_texts_drive_no_terminal_and_are_valid_json(user: User, agent: Agent):
    store = Store.open(user.home)
    for text in list(hostile_texts())[::25]:
        agent.asks(f"{WIPE} # {text}", description=text)
    store.close()
    for words in (["inbox", "--all"], ["inbox", "--plain"]):
        out = user.types(*words).out
        assert all(letter.isprintable() or letter == "\n" for letter in out)
    assert json.loads(user.runs("inbox", "--json").out)["ok"] is True


def test_an_agent_is_told_to_go_on_and_an_unknown_code_is_an_error(user: User, agent: Agent, monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    shown = user.types("appeal", code_of(user, PUSH), "the", "branch", "is\x1b[2J", "mine")
    assert (shown.code, "go on with other work" in shown.out) == (0, True)
    assert "it appeals: the branch is\ufffd[2J mine" in user.types("inbox").out
    wrong = user.types("appeal", "zzzz", "x")
    assert wrong.code == 1
    assert "nothing was refused under the code `zzzz`" in wrong.err
    assert user.types("appeal", "zzzz").code == 2


# The whole terminal.


def test_q_leaves_and_the_terminal_is_as_it_was(opened: InboxTerminal):
    assert not opened.is_as_before
    assert opened.lines[0] == "synaptic inbox: 3 waiting"
    opened.types("q")
    assert opened.ends() == 0
    assert opened.is_as_before
    assert opened.seen.count(LEFT) == 1


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=str
)
def test_a_signal_leaves_it_as_it_was_too(opened: InboxTerminal, number: signal.Signals, code: int):
    opened.signals(number)
    opened.shows(LEFT)
    assert opened.ends() == code
    assert opened.is_as_before


def test_so_does_ctrl_c_and_a_defect(user: User, agent: Agent, opened: InboxTerminal):
    opened.types("\x03")
    assert opened.ends() == 130
    assert opened.is_as_before
    broken = (
        "from synaptic.cli import inbox_screen, main; inbox_screen.press_key = None; main.run_command_line(['inbox'])"
    )
    terminal = InboxTerminal([], program=broken)
    terminal.shows("? help")
    terminal.types("j")
    terminal.shows("unexpected TypeError")
    terminal.ends()
    assert terminal.is_as_before
    terminal.close()


def test_ctrl_z_gives_the_terminal_back_and_fg_takes_it_again(agent: Agent):
    shell = InboxTerminal([], program=SHELL)
    shell.shows("? help")
    shell.types("\x1a")
    shell.shows("STOPPED with lines edited: True, keys shown: True")
    assert shell.seen.count("\x1b[?1049h") == shell.seen.count(LEFT) == 1
    at = len(shell.seen)
    shell.types("fg\n")
    shell.shows("? help", at)
    shell.types("q")
    shell.shows("ENDED with 0")
    assert shell.ends() == 0
    assert shell.is_as_before
    shell.close()


def test_a_stop_that_nobody_could_continue_is_none(opened: InboxTerminal):
    opened.signals(signal.SIGTSTP)
    opened.shows(LEFT)
    opened.shows("? help", len(opened.seen))
    opened.types("q")
    assert opened.ends() == 0
    assert opened.is_as_before


def test_one_that_is_ended_while_stopped_does_not_take_the_terminal_again(agent: Agent):
    shell = InboxTerminal([], program=SHELL)
    shell.shows("? help")
    shell.types("\x1a")
    shell.shows("STOPPED")
    shell.types("kill\n")
    shell.shows("ENDED with 143")
    assert shell.ends() == 0
    assert shell.seen.count("\x1b[?1049h") == 1
    shell.close()


def test_it_fits_a_terminal_that_changes_its_size(opened: InboxTerminal):
    for columns, lines in ((40, 10), (20, 4), (8, 2), (120, 40)):
        at = len(opened.seen)
        opened.resizes(columns, lines)
        while len(opened.lines) != lines:  # a screen may be on its way that was drawn before
            at = opened.shows("\x1b[J", at).index("\x1b[J", at) + 1
        assert max(map(measure_cells, opened.lines)) <= columns
    opened.types("q")
    assert opened.ends() == 0


def test_a_low_and_narrow_terminal_without_colour_is_enough(agent: Agent):
    terminal = InboxTerminal(["inbox"], (30, 6), NO_COLOR="1")
    terminal.shows("\x1b[J")
    assert "\x1b[3" not in terminal.seen
    assert max(map(len, terminal.lines)) <= 30
    terminal.types("q")
    assert terminal.ends() == 0
    terminal.close()


def test_keys_uphold_and_mark_as_wrong(user: User, agent: Agent, opened: InboxTerminal):
    store = Store.open(user.home)
    pin.write_pin(store, "2468ab", time.time())
    store.close()
    opened.types("ju")
    opened.shows("PIN (not shown)")
    opened.types("2468ab\r")
    opened.shows("is upheld")
    opened.types("j")
    opened.types("w")
    opened.shows("Allow exactly this call in this project too?")
    opened.types("n")
    opened.shows("nothing was allowed")
    opened.types("q")
    assert opened.ends() == 0
    assert answers(user) == {WIPE: "", OTHER: "upheld", PUSH: "wrong"}
    assert (user.home.root / "cases" / "git.force-push.toml").exists()


def test_a_refusal_that_comes_while_it_is_open_is_shown_and_moves_nothing(user: User, agent: Agent, opened):
    opened.types("j")
    opened.shows(f"{OTHER}")
    agent.asks("rm -rf ~ ~/x")
    opened.shows("4 waiting")
    (chosen,) = [line for line in opened.lines if line.startswith(">")]
    assert OTHER in chosen
    opened.types("q")
    opened.ends()


def allowing(log: Path, *, wants_pin: bool = False, refuses: str = "") -> InboxTerminal:
    program = ALLOW.format(log=str(log), wants_pin=wants_pin, refuses=refuses)
    terminal = InboxTerminal([], program=program)
    terminal.shows("? help")
    return terminal


def test_keys_allow_by_the_method_of_the_daemon(agent: Agent, tmp_path: Path):
    log = tmp_path / "log"
    terminal = allowing(log)
    terminal.types("a")
    terminal.shows("allowed once")
    terminal.types("A")
    terminal.shows("everywhere from now on? y/N")
    terminal.types("y")
    terminal.shows("allowed everywhere")
    terminal.types("hn")
    terminal.shows("nothing was allowed")
    terminal.types("q")
    assert terminal.ends() == 0
    said = log.read_text().splitlines()
    assert said == ["grants.allow once ''", "grants.allow always ''"]
    terminal.close()


def test_a_pin_is_asked_for_without_an_echo_and_may_be_wrong_first(agent: Agent, tmp_path: Path):
    terminal = allowing(tmp_path / "log", wants_pin=True)
    terminal.types("a")
    terminal.shows("PIN (not shown)")
    terminal.types("9\r")
    terminal.shows("wrong PIN")
    terminal.types("1234\r")
    terminal.shows("allowed once")
    terminal.types("q")
    assert terminal.ends() == 0
    assert "1234" not in terminal.seen
    terminal.close()


def test_what_the_daemon_refuses_is_shown_as_it_says_it(agent: Agent, tmp_path: Path):
    terminal = allowing(tmp_path / "log", refuses="an agent may not do this \x1b[2J")
    terminal.types("a")
    terminal.shows("an agent may not do this \ufffd[2J")
    terminal.types("q")
    assert terminal.ends() == 0
    terminal.close()


def test_letters_at_the_end_of_a_slow_arrow_allow_nothing(agent: Agent, tmp_path: Path):
    log = tmp_path / "log"
    terminal = allowing(log)
    for piece in (b"\x1b", b"[", b"A", b"\x1b[200~Ayaq\x1b[201~"):
        terminal.types(piece)
    terminal.types("q")
    assert terminal.ends() == 0
    assert not log.exists()
    terminal.close()
