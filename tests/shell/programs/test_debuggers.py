"""Commands that a debugger runs."""

import pytest

from tests.shell.read.seen import seen


@pytest.mark.parametrize(
    "text",
    [
        "gdb -batch -ex 'shell rm x'",
        "gdb -ex '!rm x' ./a",
        "gdb --eval-command='shell rm x'",
        "gdb -q <<'EOF'\nshell rm x\nEOF",
        "echo 'shell rm x' > g; gdb -x g",
        "gdb -ex 'python import os; os.system(\"rm x\")'",
        "lldb -b -o 'platform shell rm x'",
        "lldb --one-line 'platform shell -h -- rm x'",
        "gdb --args rm x",
    ],
)
def test_a_command_is_seen(text: str) -> None:
    assert "rm x" in seen(text)


@pytest.mark.parametrize(
    "text", ["gdb -ex 'info shell rm x'", "gdb -ex run --args ./a 'shell rm x'", "lldb -o bt -- ./a"]
)
def test_other_lines_run_nothing(text: str) -> None:
    assert "rm x" not in seen(text)
