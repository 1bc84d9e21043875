"""The files that a script writes."""

import pytest

from synaptic.shell.effects.effects import read_effects
from synaptic.shell.effects.targets import WriteTarget, find_targets
from synaptic.shell.paths import Standpoint
from synaptic.shell.read.reader import read_script


def targets(text: str) -> list[WriteTarget]:
    return list(find_targets(read_effects(read_script(text, "/p", "/h")).changes, Standpoint("/p", "/h")))


def written(text: str) -> set[str]:
    return {target.path for target in targets(text)}


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
        "sed -i '' s/x/y/ a",
        "sed -i -e s/x/y/ a",
        "gawk -i inplace -v x=1 '{print}' a",
        "find . -fprint a",
        "openssl req -x509 -keyout k -out a",
        "tar xf b -C a",
        "tar --directory=a -xf b",
        "tar czf a b",
        "git clone x.example/b a",
        "git clone -b main x.example/b a",
        "git -C /p clone x.example/b a",
        "git init a",
        "touch a",
        "rm a",
        "cd /p && echo x > a",
        "bash -c 'echo x > a'",
        "python3 -c \"open('a', 'w')\"",
    ],
)
def test_a_file_is_written(text: str):
    assert "/p/a" in written(text)


@pytest.mark.parametrize(
    "text",
    [
        "cat a",
        "cp a b",
        "sed s/x/y/ a",
        "echo 'x > a'",
        "wc < a",
        "make 2>&1",
        "ls # > a",
        "tar cf b -C a .",
        "tar tf a",
        "sed -i a b",
        "perl -pi -e a b",
        "git clone a",
        "git init",
        "git log a",
    ],
)
def test_a_file_is_only_read(text: str):
    assert "/p/a" not in written(text)


def test_files_come_in_the_order_of_the_commands_behind_those_of_redirections():
    found = targets("touch a; cp b c; cd d; touch e > f; curl -o g x.example")
    assert [target.path for target in found] == ["/p/d/f", "/p/a", "/p/c", "/p/d/e", "/p/d/g"]


@pytest.mark.parametrize("text", ["a", "./a", "d/../a", "/p/a", "$PWD/a", "//p/a"])
def test_a_file_is_the_same_however_it_is_named(text: str):
    assert written(f"touch {text}") == {"/p/a"}


def test_what_is_written_knows_through_what_the_command_runs():
    """A path in a container says nothing about this machine, whether a command or a redirection names it."""
    found = targets("docker exec w sh -c 'touch a; echo > b'; echo > c")
    outermost = {target.path: target.via[:1] for target in found}
    assert outermost == {"/p/a": ("docker",), "/p/b": ("docker",), "/p/c": ()}


def test_an_archive_is_unpacked_where_one_stands_at_the_root():
    assert "/" in written("cd / && tar xf b")
