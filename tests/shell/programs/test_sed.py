"""Known text that `sed` changes on its way to a shell."""

import pytest

from tests.shell.read.seen import seen


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("echo x | sed 's/^/rm /' | sh", "rm x"),
        ("echo rm | sed 's/$/ x/' | sh", "rm x"),
        ("echo x | sed 's/.*/rm &/' | sh", "rm x"),
        ("echo x | sed 's#^#rm /a/#' | sh", "rm /a/x"),
        ("echo aa | sed 's/a/rm x;/g' | sh", "rm x"),
        ("echo 'a/b' | sed -e 's/a\\/b/rm x/' | sh", "rm x"),
        ("echo x | sed -E 's/^/r\\m /' | sh", "rm x"),
    ],
)
def test_one_exchange_of_plain_text_is_followed(text: str, found: str) -> None:
    assert seen(text)[-1] == found


@pytest.mark.parametrize(
    "text",
    ["sed 's/^/rm /' list | sh", "echo x | sed 's/\\(x\\)/rm \\1/' | sh", "echo x | sed 's/[a-z]/rm/' | sh", "sed"],
)
def test_anything_else_stays_unknown(text: str) -> None:
    assert not any(line.startswith("rm") for line in seen(text))


@pytest.mark.parametrize(
    "text",
    [
        "sed '1e rm x' f",
        "sed 's/a/rm x/e' f",
        "sed -n 's|a|rm x|gep' f",
        "sed '/a/s/.*/rm x/e' f",
        "sed 's/a/b/;s/c/rm x/e' f",
        "sed --expression='s/a/rm x/e' f",
        "echo 'rm x' | sed 's/^//e'",
    ],
)
def test_a_command_that_it_runs_is_seen(text: str) -> None:
    assert "rm x" in seen(text)


@pytest.mark.parametrize(
    "text", ["sed 's/a/rm x/g' f", "sed 's/a/rm x/w e' f", "sed 's/rm x/e/' f", "sed 's/rm x/e' f"]
)
def test_what_it_only_writes_does_not_run(text: str) -> None:
    assert "rm x" not in seen(text)
