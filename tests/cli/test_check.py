"""What the policies say, as exit code, as text, as JSON, and thousands at a time."""

import json
import os
import select
import signal
import subprocess
import sys

import msgspec
import pytest

from synaptic.daemon import lifecycle
from synaptic.engine import check as daemon_check
from synaptic.model.decision import ask, rewrite
from tests.cli.conftest import User

STRICT = 'presets = ["strict"]\n[policies."paths.outside-project"]\nreads = true\n'


def test_a_quiet_command_is_allowed(user: User):
    shown = user.types("check", "ls -la")
    assert (shown.code, shown.out) == (0, "allow\n")


def test_a_denied_command_names_policy_and_reason(user: User):
    user.configures(STRICT)
    shown = user.types("check", "cat /etc/passwd")
    assert shown.code == 2
    assert shown.out.startswith("deny by paths.outside-project\n")
    assert "/etc/passwd" in shown.out


@pytest.mark.parametrize(
    ("verdict", "code", "word"),
    [(ask("sure?"), 3, "ask"), (rewrite({"command": "ls -l"}, "nicer"), 4, "rewrite")],
)
def test_ask_and_rewrite_have_their_codes(user: User, monkeypatch, verdict, code, word):
    from synaptic.policies.paths.outside_project import OutsideProject

    user.configures(STRICT)
    monkeypatch.setattr(OutsideProject, "check", lambda self, event, facts: verdict if "-l" not in str(event) else None)
    shown = user.types("check", "ls")
    assert shown.code == code
    assert shown.out.startswith(f"{word} by paths.outside-project\n")
    if word == "rewrite":
        assert "  ls -l\n" in shown.out


def test_another_tool_and_json(user: User):
    user.configures(STRICT)
    shown = user.types("check", "--tool", "Read", "--input", '{"file_path": "/etc/hosts"}', "--json")
    assert shown.code == 2
    assert shown.json["decision"] == "deny"
    assert shown.json["policy"] == "paths.outside-project"
    assert set(shown.json) == {"ok", "decision", "policy", "reason", "updated_input", "asked", "problems"}


def test_the_folder_decides_what_is_outside(user: User, tmp_path):
    user.configures(STRICT + "scratch = []\n")
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    command = f"cat {user.project}/a"
    assert user.types("check", command).code == 0
    assert user.types("check", command, "--cwd", str(other)).code == 2


def test_input_that_is_no_object_is_said(user: User):
    shown = user.types("check", "--tool", "Read", "--input", "[1]")
    assert shown.code == 1
    assert "`--input` is no JSON object" in shown.err


def test_nothing_is_written_by_a_check(user: User):
    user.brings_hook("touch ran")
    user.types("check", "ls")
    assert not (user.project / "ran").exists()
    assert not user.home.root.exists()


def test_lines_are_answered_in_order_and_bad_ones_do_not_end_the_run(user: User):
    """S4-046: every check is testable by piping JSON."""
    user.configures(STRICT)
    calls = [
        '{"tool_name": "Bash", "tool_input": {"command": "ls"}}',
        "nonsense",
        "[1, 2]",
        "",
        '{"tool_name": "Read", "tool_input": {"file_path": "/etc/hosts"}, "hook_event_name": "PreToolUse"}',
        '{"tool_name": "Bash", "agent": "nobody"}',
        '{"tool_name": "Bash", "tool_input": {"command": "echo last"}}',
    ]
    shown = user.runs("check", "--jsonl", stdin="\n".join(calls))
    assert shown.code == 0, shown.err
    answers = [json.loads(line) for line in shown.out.splitlines()]
    assert [answer["decision"] for answer in answers] == ["allow", None, None, "deny", None, "allow"]
    assert [bool(answer.get("error")) for answer in answers] == [False, True, True, False, True, False]
    assert all(set(answer) >= {"decision", "policy", "reason", "updated_input"} for answer in answers)
    assert not user.home.database.exists()


def test_a_program_that_waits_for_each_answer_gets_it(user: User):
    process = subprocess.Popen(
        [sys.executable, "-m", "synaptic.cli.main", "check", "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None
    for number in range(3):
        process.stdin.write(msgspec.json.encode({"tool_name": "Bash", "tool_input": {"command": f"echo {number}"}}))
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert select.select([process.stdout], [], [], 20)[0], "no answer while the program waits for it"
        assert json.loads(process.stdout.readline())["decision"] == "allow"
    process.stdin.close()
    assert process.wait(30) == 0
    process.stdout.close()


def test_lines_that_are_larger_than_one_read(user: User):
    long = {"tool_name": "Write", "tool_input": {"file_path": "a", "content": "x" * 700_000}}
    shown = user.runs("check", "--jsonl", stdin=msgspec.json.encode(long) + b"\n" + msgspec.json.encode(long))
    assert shown.out.count('"allow"') == 2


def test_jsonl_takes_no_other_call(user: User):
    assert user.types("check", "--jsonl", "ls").code == 64


def test_the_words_of_a_decision_all_have_a_code():
    from synaptic.cli.check import DECISION_EXITS

    assert set(DECISION_EXITS) == {"allow", *daemon_check.DECISION_WORDS.values()}
    assert os.EX_USAGE == 64


def trust_hook(user: User, body: str, **keys: object) -> None:
    user.brings_hook(body, **keys)
    assert user.types("trust", "--yes").code == 0


DENYING = 'touch ran; echo \'{"action": "block", "reason": "not on Fridays"}\''


def test_a_trusted_hook_is_asked_and_named(user: User):
    trust_hook(user, DENYING, id="friday")
    shown = user.types("check", "ls", "--json")
    assert (shown.code, shown.json["decision"], shown.json["policy"]) == (2, "deny", "friday")
    assert shown.json["reason"] == "not on Fridays"
    assert shown.json["asked"]["hooks"] == ["friday"]
    assert shown.json["asked"]["policies"] > 20
    assert user.types("tail").out == ""


def test_policies_only_runs_no_script(user: User):
    trust_hook(user, DENYING, id="friday")
    shown = user.types("check", "ls", "--policies-only", "--json")
    assert (shown.code, shown.json["asked"]["hooks"]) == (0, [])
    assert not (user.project / "ran").exists()


def test_a_hook_that_is_not_trusted_is_not_run_and_said(user: User):
    user.brings_hook(DENYING, id="friday")
    shown = user.types("check", "ls")
    assert (shown.code, shown.out) == (0, "allow\n")
    assert "not run: friday" in shown.err and "synaptic trust" in shown.err
    assert not (user.project / "ran").exists()


def test_a_hook_that_nobody_waits_for_is_not_run(user: User):
    trust_hook(user, DENYING, id="later", blocking=False)
    shown = user.types("check", "ls", "--json")
    assert shown.code == 0
    assert shown.json["asked"]["not_run"] == [{"hook": "later", "why": "not awaited"}]
    assert not (user.project / "ran").exists()


@pytest.mark.parametrize("option", [(), ("--policies-only",)])
@pytest.mark.parametrize("command", ["ls", "git push -f origin main", "rm -rf ~", "synaptic down", "echo 'caf\u00e9'"])
def test_the_daemon_gives_exactly_the_same_answer(user: User, command: str, option: tuple[str, ...]):
    trust_hook(user, 'echo "{}"', id="quiet")
    alone = user.runs("check", command, "--json", *option)
    user.types("bootstrap")
    user.types("daemon", "start")
    asked = user.runs("check", command, "--json", *option)
    assert (asked.code, asked.json) == (alone.code, alone.json)


def test_a_hook_sees_the_environment_of_who_asks_whoever_answers(user: User):
    trust_hook(user, 'test "$COLOUR" = red && echo \'{"action": "block", "reason": "red"}\'', id="colour")
    for start in ("policy list", "daemon start"):
        user.types(*start.split())
        assert user.runs("check", "ls", COLOUR="red").code == 2
        assert user.runs("check", "ls", COLOUR="blue").code == 0


def test_a_daemon_that_hangs_changes_nothing(user: User):
    user.types("bootstrap")
    user.types("daemon", "start")
    pid = lifecycle.read_status(user.home).pid
    os.kill(pid, signal.SIGSTOP)
    try:
        shown = user.runs("check", "ls")
    finally:
        os.kill(pid, signal.SIGCONT)
    assert (shown.code, shown.out) == (0, "allow\n")


def test_a_call_that_is_none_fails_alike_with_and_without_a_daemon(user: User):
    for start in ("policy list", "daemon start"):
        user.types(*start.split())
        shown = user.runs("check", "--tool", " ", "--json")
        assert shown.code in (0, 1)
        assert shown.err == ""


@pytest.mark.parametrize("text", ["presets = 5\n", "[[[\n", '[[rule]]\nid = "a.b"\nrn = "npm publish"\nthen = "ask"\n'])
def test_what_could_not_be_read_is_told_beside_the_answer(user: User, text: str):
    file = "rules.toml" if "rule" in text else "config.toml"
    (user.project / ".synaptic").mkdir(exist_ok=True)
    (user.project / ".synaptic" / file).write_text(text)
    shown = user.types("check", "npm publish --dry-run")
    assert file in shown.err
    assert "not asked as it is written" in shown.err
    assert user.types("check", "ls", "--json").json["problems"]
