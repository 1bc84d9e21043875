"""Descriptors, named pipes, coprocesses and what `>(...)` reads."""

import pytest

from tests.shell.read.seen import seen


@pytest.mark.parametrize(
    "text",
    [
        "sh /dev/fd/3 3<<< 'rm b'",
        "sh 3<<< 'rm b' <&3",
        "sh /proc/self/fd/0 <<< 'rm b'",
        ". /dev/stdin <<< 'rm b'",
        "exec 3<<< 'rm b'; sh <&3",
        "exec {fd}<<< 'rm b'; sh /dev/fd/$fd",
        "exec <<< 'rm b'; sh",
        "exec 3> >(sh); echo 'rm b' >&3",
        "exec > >(sh); echo 'rm b'",
        "exec 3>f; echo 'rm b' >&3; sh f",
        "echo 'rm b' > >(sh)",
        "tee >(sh) <<< 'rm b'",
        "{ echo 'rm b' >&2; } 2> >(sh)",
        "coproc sh; echo 'rm b' >&${COPROC[1]}",
        "coproc P { sh; }; echo 'rm b' >&\"${P[1]}\"",
        "coproc { echo 'rm b'; }; sh <&${COPROC[0]}",
        "mkfifo p; cat p | sh & echo 'rm b' > p",
        "eval \"$(</dev/stdin)\" <<< 'rm b'",
        "echo 'rm b' > f; eval \"$(<f)\"",
        "echo 'rm b' > d/f; PATH=d:$PATH; f",
        "echo 'rm b' > f.sh; sh *.sh",
        "mapfile -C 'rm b #' -c 1 <<< x",
        "cat <<E\\\nF\n$(rm b)\nEF",
    ],
)
def test_what_flows_into_a_shell_runs(text: str) -> None:
    assert "rm b" in seen(text)


def test_a_here_string_of_another_descriptor_is_no_input() -> None:
    assert seen("sh 3<<< 'rm b'") == ["sh"]
