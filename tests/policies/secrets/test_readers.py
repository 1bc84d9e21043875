"""Which words of a reading command are files."""

import pytest

from synaptic.policies.secrets.readers import files_of
from synaptic.shell.read.reader import read

FILES = (
    ("cat a b", ["a", "b"]),
    ("grep a b c", ["b", "c"]),
    ("grep -e a b", ["-e", "b"]),
    ("grep -rne a b", ["-rne", "b"]),
    ("grep -m 1 a b", ["-m", "1", "b"]),
    ("grep --color a b", ["--color", "b"]),
    ("grep --regexp=a b", ["b"]),
    ("grep --reg=a b", ["b"]),
    ("grep -f a b", ["-f", "a", "b"]),
    ("grep -- a b", ["--", "b"]),
    ("grep b -e a c", ["b", "-e", "c"]),
    ("rg -r a b c", ["-r", "a", "c"]),
    ("rg --files a", ["--files", "a"]),
    ("sed '' a", ["a"]),
    ("sed -i '' s/a/b/ c", ["-i", "", "c"]),
    ("sed 'r /x' a", ["/x", "a"]),
    ("awk -F: 1 a", ["-F:", "a"]),
    ("python3 -c 'print(1)' a", ["-c", "a"]),
    ("python3 -c 'open(\"/x\")' a", ["-c", "/x", "a"]),
    ("perl -ne 'print' a", ["-ne", "a"]),
    ("perl -e'print 1' a", ["a"]),
    ("scp -i a b h:", ["-i", "b", "h:"]),
    ("cat -E a", ["-E", "a"]),
    ("rsync -e 'ssh -i a' b h:", ["-e", "b", "h:"]),
    ("rsync --exclude a b h:", ["--exclude", "b", "h:"]),
    ("zip -r a.zip . -x b c -q", ["-r", "a.zip", ".", "-x", "-q"]),
    ("sqlite3 a 'select b'", ["a"]),
    ("sqlite3 a .dump", ["a", ".dump"]),
)


@pytest.mark.parametrize(("text", "files"), FILES)
def test_patterns_program_texts_and_keys_in_use_are_no_files(text: str, files: list[str]):
    (command,) = read(text, cwd="/p", home="/h").commands[:1]
    assert [word.text for word in files_of(command)] == files
