"""The files that a script writes."""

import pytest

from synaptic.parse.paths import Standpoint
from synaptic.parse.shell.reader import read
from synaptic.parse.targets import targets


def written(text: str) -> set[str]:
    return {target.path for target in targets(read(text, "/p", "/h"), Standpoint("/p", "/h"))}


@pytest.mark.parametrize(
    "text",
    [
        "echo x > /p/a",
        "echo x >> a",
        "echo x | tee -a a",
        "cp b a",
        "cp -t a b",
        "mv b a",
        "install -m 755 b a",
        "ln -sf b a",
        "rsync -e ssh b a",
        "dd if=b of=a",
        "sed -i s/x/y/ a",
        "perl -pi -e s/x/y/ a",
        "curl -o a x.example",
        "wget -O a x.example",
        "touch a",
        "rm a",
        "cd /p && echo x > a",
        "bash -c 'echo x > a'",
        "python3 -c \"open('a', 'w')\"",
    ],
)
def test_a_file_is_written(text: str):
    assert "/p/a" in written(text)


@pytest.mark.parametrize("text", ["cat a", "cp a b", "sed s/x/y/ a", "echo 'x > a'", "wc < a", "make 2>&1", "ls # > a"])
def test_a_file_is_only_read(text: str):
    assert "/p/a" not in written(text)
