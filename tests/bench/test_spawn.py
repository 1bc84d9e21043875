"""The spawner runs what it is told, in turn, and notices what goes wrong."""

import shutil
from pathlib import Path

import pytest
from bench.spawn import Command, compile_spawner, sample

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")


def command(folder: Path, *argv: str, stride: int = 1, speaks: bool = False) -> Command:
    stdin = folder / "input"
    stdin.write_text("hello\n")
    return Command(argv[0], argv, stdin, {"GREETING": "hi"}, stride, speaks)


def test_each_command_gets_its_share_of_rounds(tmp_path: Path):
    often, rarely = sample(
        compile_spawner(tmp_path), [command(tmp_path, "/bin/true"), command(tmp_path, "/bin/true", stride=5)], 20
    )
    assert (len(often.millis), len(rarely.millis)) == (20, 4)
    assert often.percentile(0.5) <= often.percentile(0.99) == often.millis[-1]


def test_input_and_environment_arrive_and_silence_is_noticed(tmp_path: Path):
    script = 'read -r line; [ "$line $GREETING" = "hello hi" ] && echo yes'
    spawner = compile_spawner(tmp_path)
    (spoke,) = sample(spawner, [command(tmp_path, "/bin/sh", "-c", script, speaks=True)], 3)
    (silent,) = sample(spawner, [command(tmp_path, "/bin/true", speaks=True)], 3)
    assert (spoke.errors, silent.errors) == (0, 3)


def test_a_failure_and_an_unexpected_answer_are_errors(tmp_path: Path):
    spawner = compile_spawner(tmp_path)
    failed, talked = sample(spawner, [command(tmp_path, "/bin/false"), command(tmp_path, "/bin/echo", "x")], 2)
    assert (failed.errors, talked.errors) == (2, 2)
