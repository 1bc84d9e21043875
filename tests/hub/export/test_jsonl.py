import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from synaptic.hub.export.jsonl import JsonlSender, open_destination
from synaptic.hub.export.lines import encode_line
from synaptic.hub.shipping.destination import DestinationError
from synaptic.model.errors import SynapticError
from tests.hub.export.kit import HOSTILE, SOURCE, make_event, make_events


def read_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def read_numbers(path: Path) -> list[object]:
    assert path.read_bytes().endswith(b"\n")
    return [line["seq"] for line in read_lines(path)]


def send(path: Path, *events: object, source: object = SOURCE, stream: str = "") -> int:
    sender = JsonlSender(path, source, stream)  # type: ignore[arg-type]
    try:
        return sender.send(0, events)  # type: ignore[arg-type]
    finally:
        sender.close()


def test_one_line_for_an_event_in_a_file_of_its_user(tmp_path):
    path = tmp_path / "events.jsonl"
    assert send(path, *make_events(1, 3)) == 3
    first = read_lines(path)[0]
    assert first["seq"] == 1
    assert first["host"] == "laptop-7"
    assert first["time"] == "2023-11-14T22:13:21.250000Z"
    assert first["tool_use"] == "toolu_1"
    assert first["runs"] == [
        {"hook": "git.force-push", "kind": "deny", "micros": 300},
        {"hook": "mine", "kind": "none", "micros": 50, "fault": "timeout"},
    ]
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_the_file_ends_with_is_not_written_again(tmp_path):
    path = tmp_path / "events.jsonl"
    send(path, *make_events(1, 5))
    assert send(path, *make_events(1, 8)) == 8
    assert read_numbers(path) == list(range(1, 9))


def test_lines_of_another_home_or_choice_say_nothing_about_what_is_there(tmp_path):
    path = tmp_path / "events.jsonl"
    send(path, make_event(900), stream="denied")
    send(path, make_event(1))
    assert read_numbers(path) == [900, 1]


def test_a_rotated_file_is_begun_anew(tmp_path):
    path = tmp_path / "events.jsonl"
    sender = JsonlSender(path, SOURCE)
    sender.send(0, make_events(1, 2))
    path.rename(tmp_path / "events.jsonl.1")
    sender.send(2, make_events(3, 2))
    assert read_numbers(tmp_path / "events.jsonl.1") == [1, 2]
    assert read_numbers(path) == [3, 4]
    path.unlink()
    sender.send(4, make_events(5, 1))
    assert read_numbers(path) == [5]


def test_a_file_that_was_cut_to_nothing_in_its_place_is_gone_on_with(tmp_path):
    path = tmp_path / "events.jsonl"
    sender = JsonlSender(path, SOURCE)
    sender.send(0, make_events(1, 2))
    os.truncate(path, 0)
    sender.send(2, make_events(3, 2))
    assert read_numbers(path) == [3, 4]


def test_a_torn_last_line_is_cut_or_completed_wherever_it_was_torn(tmp_path):
    lines = [encode_line(make_event(seq), SOURCE) for seq in (1, 2)]
    path = tmp_path / "events.jsonl"
    for kept in range(1, len(lines[1])):
        path.write_bytes(lines[0] + lines[1][:kept])
        send(path, *make_events(2, 2))
        assert read_numbers(path) == [1, 2, 3], kept


def test_zeros_that_a_loss_of_power_leaves_are_cut(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_bytes(encode_line(make_event(1), SOURCE) + b"\0" * 5000)
    send(path, make_event(2))
    assert read_numbers(path) == [1, 2]


def test_a_torn_line_longer_than_one_look_is_cut(tmp_path):
    path = tmp_path / "events.jsonl"
    long = encode_line(make_event(2, subject="a " * 8000, runs=make_event().runs * 100), SOURCE)
    path.write_bytes(encode_line(make_event(1), SOURCE) + long[:-9])
    send(path, make_event(2), make_event(3))
    assert read_numbers(path) == [1, 2, 3]


@pytest.mark.parametrize("content", [b"export PATH=/x", b"export PATH=/x\n", b'{"a": 1}\n', b"\n", b"{x"])
def test_a_file_that_no_export_wrote_is_left_as_it_is(tmp_path, content):
    path = tmp_path / ".bashrc"
    path.write_bytes(content)
    with pytest.raises(DestinationError, match="no export wrote"):
        send(path, make_event(1))
    assert path.read_bytes() == content


def test_links_pipes_and_folders_are_refused(tmp_path):
    (tmp_path / "target").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    os.link(tmp_path / "target", tmp_path / "hard")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("link", "dangling", "hard", "pipe", "folder"):
        with pytest.raises(DestinationError) as told:
            send(tmp_path / name, make_event(1))
        assert told.value.is_lasting, name
    assert (tmp_path / "target").read_bytes() == b""
    assert not (tmp_path / "nothing").exists()


def test_a_folder_or_file_that_everybody_can_write_to_is_refused(tmp_path):
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(DestinationError, match="others can put files"):
        send(folder / "x", make_event(1))
    (tmp_path / "y").write_bytes(b"")
    (tmp_path / "y").chmod(0o666)
    with pytest.raises(DestinationError, match="everybody can write"):
        send(tmp_path / "y", make_event(1))


def test_a_full_disk_leaves_whole_lines(tmp_path):
    path = tmp_path / "events.jsonl"
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from synaptic.hub.export.jsonl import JsonlSender\n"
        "from synaptic.hub.shipping.destination import DestinationError\n"
        "from tests.hub.export.kit import SOURCE, make_events\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "sender = JsonlSender(Path(sys.argv[1]), SOURCE); sender.send(0, make_events(1, 5))\n"
        "try:\n    sender.send(5, make_events(6, 500))\nexcept DestinationError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert "cannot be written" in done.stdout
    assert read_numbers(path) == [1, 2, 3, 4, 5]


def test_killed_in_the_middle_of_writing_every_line_is_json_and_none_is_lost_or_doubled(tmp_path):
    path = tmp_path / "events.jsonl"
    code = (
        "import sys; from pathlib import Path\n"
        "from synaptic.hub.export.jsonl import JsonlSender\n"
        "from tests.hub.export.kit import SOURCE, make_events\n"
        "sender, at, text = JsonlSender(Path(sys.argv[1]), SOURCE), int(sys.argv[2]), 'a b ' * 2000\n"
        "while True:\n"
        "    at = sender.send(at, make_events(at + 1, 300, subject=text)); print(at, flush=True)\n"
    )
    reached, torn = 0, 0
    for turn in range(8):
        process = subprocess.Popen([sys.executable, "-c", code, str(path), str(reached)], stdout=subprocess.PIPE)
        assert process.stdout
        reached = int(process.stdout.readline())
        time.sleep(0.003 * turn)
        process.send_signal(signal.SIGKILL)
        said = process.stdout.read().split()
        reached = int(said[-1]) if said and said[-1].isdigit() and len(said[-1]) >= len(str(reached)) else reached
        process.wait()
        torn += not path.read_bytes().endswith(b"\n")
    send(path, *make_events(reached + 1, 300))
    numbers = read_numbers(path)
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= reached


def test_hostile_texts_stay_within_their_line(tmp_path):
    path = tmp_path / "events.jsonl"
    send(path, make_event(1, tool=HOSTILE, session="\ud800", subject=HOSTILE * 9, at=float("nan")), make_event(2))
    assert read_numbers(path) == [1, 2]


def test_a_path_that_is_not_whole_is_refused():
    for address in ("", "events.jsonl", "./x", "/", "/a/..", "/a\0b"):
        with pytest.raises(SynapticError):
            open_destination(address)


def test_the_destination_appends_and_lets_go(tmp_path):
    async def work() -> int:
        destination = open_destination(str(tmp_path / "x.jsonl"))
        try:
            return await destination.send(0, make_events(1, 2))
        finally:
            await destination.close()

    assert asyncio.run(work()) == 2
    assert read_numbers(tmp_path / "x.jsonl") == [1, 2]
