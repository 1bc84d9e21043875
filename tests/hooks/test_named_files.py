"""The words of a command that name files."""

from pathlib import Path

import pytest

from synaptic.hooks.named_files import find_folders, find_matches, iter_named_words, list_run_words
from synaptic.shell.read.reader import read_script


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("./x.sh --fast", ["./x.sh"]),
        ("bash -e hooks/x.sh a", ["bash", "hooks/x.sh"]),
        ("python3 -u hooks/x.py a", ["python3", "hooks/x.py"]),
        ("python3 -m tools.check", ["python3"]),
        ("sh -c 'echo a'", ["sh"]),
        (". hooks/lib.sh", [".", "hooks/lib.sh"]),
        ("node hooks", ["node", "hooks"]),
        ("grep x hooks/x.sh", ["grep"]),
        ("python3 -", ["python3"]),
    ],
)
def test_what_runs_is_the_program_and_the_script_of_an_interpreter(text: str, run: list[str]):
    assert [word.text for word in list_run_words(read_script(text, "/p").commands[0])] == run


def test_words_and_the_values_of_options_may_name_files():
    command = read_script("A=./a tool --file=./b -x c", "/p").commands[0]
    assert list(iter_named_words(command)) == ["c", "./a", "./b"]


def test_every_folder_in_which_a_pattern_may_match_is_known(tmp_path: Path):
    for name in ("a/one", "a/two", "b"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "a/one/x.sh").touch()
    pattern = f"{tmp_path}/a/*/*.sh"
    assert sorted(find_folders(pattern)) == [f"{tmp_path}/a", f"{tmp_path}/a/one", f"{tmp_path}/a/two"]
    assert find_matches(pattern) == [f"{tmp_path}/a/one/x.sh"]
