"""What programs print that take paths apart, where it can be known."""

import pytest

from tests.shell.read.seen import seen


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('rm "$(dirname "$PWD")"', "rm /"),
        ("rm $(dirname a/b/c/)", "rm a/b"),
        ("rm $(dirname a)", "rm ."),
        ("rm $(dirname /a)", "rm /"),
        ("rm $(basename /a/b.git .git)", "rm b"),
        ("rm $(basename /a/b/)", "rm b"),
        ("rm $(realpath ..)", "rm /"),
        ("rm $(readlink -f a/../b)", "rm /p/b"),
        ("rm $(printenv HOME)", "rm /home/u"),
        ("rm $(dirname $(dirname /a/b/c))", "rm /a"),
        ("cd a && rm $(realpath .)", "rm /p/a"),
    ],
)
def test_what_they_print(text: str, found: str) -> None:
    assert seen(text)[-1] == found


@pytest.mark.parametrize(
    "text",
    [
        'rm "$(dirname "$0")"',
        'rm "$(dirname "$X")"',
        "rm $(dirname $(which node))",
        "rm $(readlink a)",
        "rm $(realpath --relative-to=/x a)",
        "cd $X; rm $(realpath a)",
        "for f in *.zip; do rm $(basename $f .zip); done",
        "rm $(printenv NOTHING)",
    ],
)
def test_what_is_not_known_stays_unknown(text: str) -> None:
    assert "<" in seen(text)[-1]


def test_a_script_knows_its_own_name() -> None:
    written = 'cat > s/run.sh <<\'E\'\ncd "$(dirname "$0")/.."; rm $(pwd)\nE\n'
    assert seen(written + "bash s/run.sh")[-1] == "rm /p"
    assert seen(written + "chmod +x s/run.sh; ./s/run.sh")[-1] == "rm /p"
