"""Which words of a command name what it reads."""

import pytest

from synaptic.shell.effects.commands import find_acts, find_read_words
from synaptic.shell.read.reader import read_script

READ = (
    ("cat a b", "a b"),
    ("grep a b c", "b c"),
    ("grep -e a b", "b"),
    ("grep -rne a b", "b"),
    ("grep -m 1 a b", "b"),
    ("grep --color a b", "b"),
    ("grep --regexp=a b", "b"),
    ("grep --reg=a b", "b"),
    ("grep -f a b", "a b"),
    ("grep -- a b", "b"),
    ("grep b -e a c", "b c"),
    ("rg -r a b c", "c"),
    ("rg --files a", "a"),
    ("sed '' a", "a"),
    ("sed -i '' s/a/b/ c", "c"),
    ("sed 'r /x' a", "/x a"),
    ("awk -F: 1 a", "a"),
    ("python3 -c 'print(1)' a", "a"),
    ("python3 -c 'open(\"/x\")' a", "/x a"),
    ("perl -ne 'print' a", "a"),
    ("perl -e'print 1' a", "a"),
    ("scp -i a b h:", "b"),
    ("cat -E a", "a"),
    ("cat --unheard-of=a b", "a b"),
    ("rsync -e 'ssh -i a' b h:", "b"),
    ("rsync --exclude a b h:", "b"),
    ("zip -r a.zip . -x b c -q", "."),
    ("sqlite3 a 'select b'", "a"),
    ("unheard-of a -b", "a -b"),
)


@pytest.mark.parametrize(("text", "files"), READ)
def test_patterns_program_texts_and_keys_in_use_are_no_files(text: str, files: str):
    (command,) = read_script(text, cwd="/p", home="/h").commands[:1]
    assert " ".join(word.text for word in find_read_words(command)) == files


def test_files_of_a_patch_are_written():
    text = "apply_patch <<'E'\n*** Begin Patch\n*** Add File: a\n*** End Patch\nE"
    (command,) = read_script(text, cwd="/p", home="/h").commands
    assert [(kind, word.text) for kind, word in find_acts(command)] == [("write", "a")]
