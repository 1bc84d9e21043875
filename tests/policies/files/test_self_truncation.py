"""Lines that read a file into itself, run in bash: what is refused loses the file, what is free keeps it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from synaptic.model.decision import Kind
from synaptic.policies.cases import Case, evaluate_case
from synaptic.policies.files.self_truncation import SelfTruncation

LINES = "b\na\nx\n"
LOST = [
    "sort f > f",
    "sed s/x/y/ f > f",
    "tr a-z A-Z < f > f",
    "> f tr a-z A-Z < f",
    "sort ./f >| f",
    "head -n 2 f > f",
    "awk '!seen[$0]++' f > f",
    "cat f - < /dev/null > f",
    "bash -c 'sort f > f'",
]
KEPT = [
    "cat f >> g",
    "sort f > g",
    "cat < f > /dev/null",
    "sort -o f f",
    'echo "$(sort f)" > f',
    "sort f > f.new && mv f.new f",
    "sed -i s/x/y/ f",
    "mkdir d && cd d && sort ../f > f",
]


def run(text: str, folder: Path) -> str:
    (folder / "f").write_text(LINES)
    subprocess.run(["bash", "-c", text], cwd=folder, capture_output=True, check=False, timeout=60)
    return (folder / "f").read_text()


def is_refused(text: str) -> bool:
    verdict = evaluate_case(SelfTruncation, Case(name=text, want=Kind.NONE, bash=text))
    return verdict is not None


@pytest.mark.skipif(shutil.which("bash") is None, reason="this machine has no bash")
@pytest.mark.parametrize("text", LOST)
def test_what_is_refused_loses_the_file(text: str, tmp_path: Path) -> None:
    assert is_refused(text)
    assert run(text, tmp_path) == ""


@pytest.mark.skipif(shutil.which("bash") is None, reason="this machine has no bash")
@pytest.mark.parametrize("text", KEPT)
def test_what_is_free_keeps_every_line(text: str, tmp_path: Path) -> None:
    assert not is_refused(text)
    assert len(run(text, tmp_path).splitlines()) == len(LINES.splitlines())
