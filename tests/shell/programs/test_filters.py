"""Filters whose output is known."""

import pytest

from tests.shell.read.seen import seen


@pytest.mark.parametrize(
    "text",
    [
        "echo 'Zrm b' | cut -c2- | sh",
        "echo 'x:rm b' | cut -d: -f2 | sh",
        "echo 'x:rm b' | cut --delimiter=: --fields=2 | sh",
        "printf '%s\\n' rm b | paste -sd' ' | sh",
        "echo 'Zrm b' | tail -c +2 | sh",
        "echo 'rm b' | tail -n 3 | sh",
        "echo 'rm b' | iconv -f utf-8 | sh",
        "echo 'rm b' | dd status=none | sh",
        "echo 'rm b' | dd of=f; sh f",
        "shuf -e 'rm b' | sh",
        "echo 'rm b' | xargs -d '\\n' sh -c",
        "printf '%s\\0' 'rm b' | xargs -0 sh -c",
        "echo \"'rm b'\" | xargs sh -c",
        "echo 'rm b' > f; xargs -a f env",
    ],
)
def test_what_comes_out_runs(text: str) -> None:
    assert "rm b" in seen(text)


@pytest.mark.parametrize(
    "text", ["cut -c2- f | sh", "echo x | cut -c | sh", "echo x | cut -f a | sh", "paste a b | sh"]
)
def test_what_is_not_known_runs_nothing(text: str) -> None:
    assert not any(line.startswith("rm") for line in seen(text))
