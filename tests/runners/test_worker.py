"""The process behind a warm function, spoken to by hand."""

import json
import subprocess
import sys

from synaptic.runners import worker


def talk(file, *requests: dict[str, object]) -> list[dict[str, object]]:
    lines = "".join(json.dumps({"variables": {}, "clear": [], "event": {}, **request}) + "\n" for request in requests)
    command = [sys.executable, "-I", worker.__file__, str(file)]
    done = subprocess.run(command, input=lines.encode(), capture_output=True, timeout=90, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_one_line_in_one_line_out_until_stdin_ends(tmp_path):
    (tmp_path / "sibling.py").write_text("WORD = 'ü'\n")
    (tmp_path / "hook.py").write_text(
        "import sibling\ndef f(event): print('noise'); return {'x': sibling.WORD + event}\n"
    )
    answers = talk(
        tmp_path / "hook.py", {"function": "f", "event": "1"}, {"function": "f", "event": "2\n"}, {"function": "g"}
    )
    assert answers == [{"answer": {"x": "ü1"}}, {"answer": {"x": "ü2\n"}}, {"missing": True}]


def test_errors_are_answers(tmp_path):
    (tmp_path / "hook.py").write_text("def f(event): return 1 / 0\ndef g(event): return {1, 2}\n")
    crash, unreadable = talk(tmp_path / "hook.py", {"function": "f"}, {"function": "g"})
    assert crash["error"] == "ZeroDivisionError: division by zero"
    assert "set" in unreadable["unreadable"]


def test_a_file_that_is_no_python_is_an_answer(tmp_path):
    (tmp_path / "hook.txt").write_text("hello")
    assert "no Python file" in talk(tmp_path / "hook.txt", {"function": "f"})[0]["error"]
