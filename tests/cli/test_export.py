"""The journal for systems of others: once, or as it grows, and never more than was chosen."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from bench.secret_samples import iter_samples

from synaptic.model.decision import Decision, Kind
from tests.cli.conftest import User
from tests.cli.journal_kit import FAILED, LOST, decide, make_event, write_events
from tests.hub.export.kit import Collector, SyslogServer, accept, read_attributes
from tests.hub.export.strict import read_message

DENIED = decide(Kind.DENY, "git.reset-hard", LOST)


def read_lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def fill(user: User, count: int, decision: Decision = DENIED, **changes: object) -> None:
    write_events(user.home, *(make_event(f"git reset --hard {number}", decision, **changes) for number in range(count)))


def wait_until(is_done: Callable[[], bool]) -> None:
    ends = time.monotonic() + 20
    while not is_done():
        assert time.monotonic() < ends
        time.sleep(0.05)


def start(*words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "synaptic.cli.main", "export", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def stop(process: subprocess.Popen[bytes], how: signal.Signals = signal.SIGINT) -> None:
    process.send_signal(how)
    process.communicate(timeout=20)


def count_lines(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


def has_more_lines(file: Path, than: int) -> bool:
    return count_lines(file) > than


def test_lines_for_the_next_program_and_nothing_else_on_stdout(user: User):
    fill(user, 3)
    shown = user.runs("export", "jsonl")
    assert shown.code == 0
    lines = read_lines(shown.out)
    assert [line["seq"] for line in lines] == [1, 2, 3]
    assert lines[0]["by"] == "git.reset-hard"
    assert "subject" not in lines[0]
    assert "reason" not in lines[0]
    assert "3 events exported to standard output" in shown.err


def test_contents_only_when_they_are_asked_for(user: User):
    fill(user, 1)
    line = read_lines(user.runs("export", "jsonl", "--contents", "full").out)[0]
    assert line["subject"] == "git reset --hard 0"
    assert "throws away" in str(line["reason"])
    assert user.types("export", "jsonl", "--contents", "most").code == 2


def test_filters_choose(user: User):
    week = time.time() - 8 * 86400
    fill(user, 2, at=week)
    fill(user, 2)
    fill(user, 1, FAILED, root="/home/you/api")

    def ask(*words: str) -> list[object]:
        return [line["seq"] for line in read_lines(user.runs("export", "jsonl", *words).out)]

    assert ask("--since", "7d") == [3, 4, 5]
    assert ask("--until", "7d") == [1, 2]
    assert ask("--failed") == [5]
    assert ask("--denied", "--since", "7d") == [3, 4]
    assert ask("--project", "api") == [5]
    assert ask("--tool", "Write") == []


def test_more_than_a_page_in_order(user: User):
    fill(user, 1200)
    numbers = [line["seq"] for line in read_lines(user.runs("export", "jsonl").out)]
    assert numbers == list(range(1, 1201))


def test_a_closed_pipe_is_quiet(user: User):
    fill(user, 3000)
    command = f"{sys.executable} -m synaptic.cli.main export jsonl | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert len(done.stdout.splitlines()) == 1
    assert b"Traceback" not in done.stderr
    assert b"Broken" not in done.stderr


def test_into_a_file_of_its_user(user: User):
    fill(user, 2)
    file = user.folder / "audit.jsonl"
    assert user.types("export", "jsonl", str(file)).code == 0
    assert [line["seq"] for line in read_lines(file.read_text())] == [1, 2]
    assert file.stat().st_mode & 0o777 == 0o600
    (user.folder / "link").symlink_to(file)
    shown = user.types("export", "jsonl", str(user.folder / "link"))
    assert (shown.code, shown.out) == (1, "")
    assert "it is a link" in shown.err


def test_followed_it_goes_on_from_where_it_was_killed_without_doubles(user: User):
    fill(user, 700)
    file = user.folder / "audit.jsonl"
    for turn in range(4):
        process = start("jsonl", str(file), "--follow")
        fill(user, 50)
        wait_until(partial(has_more_lines, file, 50 * turn))
        stop(process, signal.SIGKILL if turn % 2 else signal.SIGINT)
    process = start("jsonl", str(file), "--follow")
    wait_until(lambda: count_lines(file) >= 900)
    stop(process)
    assert [line["seq"] for line in read_lines(file.read_text())] == list(range(1, 901))


def test_the_same_follow_twice_at_once_is_refused(user: User):
    fill(user, 1)
    file = user.folder / "audit.jsonl"
    process = start("jsonl", str(file), "--follow")
    wait_until(lambda: count_lines(file) == 1)
    shown = user.types("export", "jsonl", str(file), "--follow")
    stop(process)
    assert shown.code == 1
    assert "runs already" in shown.err


def test_an_export_that_is_followed_no_more_holds_nothing_in_the_journal(user: User):
    fill(user, 5, at=time.time() - 90 * 86400)
    fill(user, 1)
    file = user.folder / "audit.jsonl"
    process = start("jsonl", str(file), "--follow")
    wait_until(lambda: count_lines(file) == 6)
    stop(process)
    assert json.loads(user.runs("prune", "--days", "30", "--json").out)["events"] == 5


def test_to_a_collector(user: User):
    fill(user, 3)
    collector = Collector()
    try:
        shown = user.runs("export", "otlp", collector.url, "--denied")
    finally:
        collector.close()
    assert shown.code == 0, shown.err
    assert shown.out == ""
    assert "3 events exported" in shown.err
    assert [read_attributes(one.attributes)["synaptic.seq"] for one in collector.records] == [1, 2, 3]


def test_a_collector_that_is_not_ready_yet_is_asked_again(user: User):
    fill(user, 2)
    answers = [(503, b"", {}), (503, b"", {})]
    collector = Collector(lambda one, path: answers.pop() if answers else accept(one, path))
    try:
        shown = user.runs("export", "otlp", collector.url)
    finally:
        collector.close()
    assert shown.code == 0
    assert "trying again" in shown.err
    assert len(collector.records) == 2


def test_a_collector_that_refuses_is_an_error(user: User):
    fill(user, 2)
    collector = Collector(lambda one, path: (401, b"who are you", {}))
    try:
        shown = user.runs("export", "otlp", collector.url)
    finally:
        collector.close()
    assert shown.code == 1
    assert "status 401: who are you" in shown.err
    assert "0 events exported" in shown.err


def test_the_collector_of_the_users_own_config_and_not_of_a_project(user: User):
    fill(user, 1)
    mine, other = Collector(), Collector()
    try:
        user.configures(f'[ship]\notlp = "{mine.url}"\n')
        user.writes(".synaptic/config.toml", f'[ship]\notlp = "{other.url}"\n')
        user.writes(".env", f"OTEL_EXPORTER_OTLP_ENDPOINT={other.url}\n")
        shown = user.runs("export", "otlp", OTEL_EXPORTER_OTLP_ENDPOINT=other.url)
        assert shown.code == 0, shown.err
        assert len(mine.records) == 1
        assert not other.requests
    finally:
        mine.close()
        other.close()


def test_to_syslog(user: User):
    fill(user, 3)
    server = SyslogServer(socket.AF_UNIX, socket.SOCK_DGRAM, str(user.folder / "log"))
    try:
        shown = user.runs("export", "syslog", f"unix://{user.folder}/log")
        messages = [read_message(raw) for raw in server.wait_for(3)]
    finally:
        server.close()
    assert shown.code == 0, shown.err
    assert [message.values["seq"] for message in messages] == ["1", "2", "3"]
    assert {message.severity for message in messages} == {4}


@pytest.mark.parametrize(
    "words",
    [
        ("jsonl", "--follow", "--until", "today"),
        ("jsonl", "--since", "whenever"),
        ("carrier-pigeon",),
    ],
)
def test_misuse_is_told(user: User, words: tuple[str, ...]):
    fill(user, 1)
    assert user.types("export", *words).code == 2


def test_an_address_that_is_none_is_told(user: User):
    fill(user, 1)
    for words in (("otlp", "ftp://x"), ("syslog", "logs"), ("jsonl", "/nowhere/at/all/x")):
        shown = user.types("export", *words)
        assert shown.code == 1, words
        assert "Traceback" not in shown.err


def test_an_agent_may_not(user: User):
    fill(user, 1)
    collector = Collector()
    try:
        shown = user.runs("export", "otlp", collector.url, CLAUDECODE="1")
    finally:
        collector.close()
    assert shown.code == 3
    assert not collector.requests


@pytest.mark.parametrize("contents", ["structure", "full"])
def test_no_secret_leaves_the_journal(user: User, contents: str):
    samples = tuple(iter_samples())
    names = ("session", "tool", "root", "agent_id")
    events = []
    for sample in samples:
        forged = dict.fromkeys(names, sample.text)
        decision = decide(Kind.DENY, sample.text, sample.text, code=sample.text, grants=(sample.text,))
        events.append(make_event(sample.text, decision, **forged))
        payload = json.dumps({"tool_use_id": sample.text, "tool_input": {"command": sample.text}})
        events.append(make_event("x", decision, payload=payload, **forged))
    write_events(user.home, *events)
    user.runs("export", "jsonl", str(user.folder / "x.jsonl"), "--contents", contents)
    collector = Collector()
    server = SyslogServer(socket.AF_UNIX, socket.SOCK_STREAM, str(user.folder / "log"))
    try:
        user.runs("export", "otlp", collector.url, "--contents", contents)
        user.runs("export", "syslog", f"unix://{user.folder}/log", "--contents", contents)
        messages = server.wait_for(len(events))
    finally:
        collector.close()
        server.close()
    lines = (user.folder / "x.jsonl").read_text()
    assert len(lines.splitlines()) == len(collector.records) == len(messages) == len(events)
    for text in (lines, b"".join(collector.bodies).decode("utf-8", "replace"), b"\n".join(messages).decode()):
        assert [sample.name for sample in samples if sample.secret in text] == []


def test_help_loads_neither_the_sdk_nor_the_shipper(user: User):
    program = (
        "import sys; from synaptic.cli.main import run_command_line as run\n"
        "run(('export', '--help')); print([name for name in sys.modules if 'opentelemetry' in name or 'hub' in name])"
    )
    assert user.runs(program=program).out.endswith("[]\n")
