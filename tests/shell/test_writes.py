"""Commands that write files, as a table. Nothing here is run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.shell.writes import named, written

WRITES = {
    "echo a > b.txt": ("b.txt",),
    "echo a >> b.txt": ("b.txt",),
    "ls &> out": ("out",),
    "echo hi 2> err.log": ("err.log",),
    "cat <<EOF > x\nhi\nEOF": ("x",),
    "cat a | tee out.txt": ("out.txt",),
    "sed -i s/a/b/ f.py": ("f.py",),
    "sed -i.bak -e s/a/b/ f.py": ("f.py",),
    "perl -pi -e s/a/b/ f": ("f",),
    "dd if=a of=disk.img": ("disk.img",),
    "cp a b": ("b",),
    "mv a b": ("a", "b"),
    "FOO=1 sudo rm -rf build": ("build",),
    "touch x y": ("x", "y"),
    "bash -c 'echo x > y'": ("y",),
    "eval 'echo x > y'": ("y",),
    "cd src && echo x > y": ("y",),
    "ls | xargs rm": ("?",),
    "find . -name x -delete": ("?",),
    "find . -exec rm {} +": ("?",),
    "git apply p.patch": ("?",),
    "git checkout -- a": ("?",),
    "curl -o f http://x": ("f",),
    "curl -O http://x/f": ("?",),
    "wget http://x/f": ("?",),
    "tar xzf a.tgz": ("?",),
    "patch -p1 < a.patch": ("?",),
    "python -c \"open('a','w').write('x')\"": ("?",),
    "node -e \"fs.writeFileSync('a','b')\"": ("?",),
}
READS = [
    "", "ls -la", "grep -r x . 2>/dev/null", "make 2>&1 | tail", "make > /dev/null 2>&1", "echo 'a > b'", "sed -n 1p f",
    "git status", "git diff HEAD~1", "git commit -m 'rm x > y'", "git push", "cat a | sort | uniq -c", "git stash list",
    "echo x > /tmp/y", "cp a /var/tmp/b", "curl -s http://x", "wget -O - http://x", "tar tzf a.tgz", "find . -name x",
    "python -m pytest", "python -c 'print(1)'", "npm test", "a=1 b=2 env", "ls # > x", "tee", "if true; then ls; fi",
]  # fmt: skip


@pytest.mark.parametrize("command", WRITES)
def test_a_writing_command(command: str) -> None:
    """S1-075"""
    assert written(command) == WRITES[command]


@pytest.mark.parametrize("command", READS)
def test_a_reading_command(command: str) -> None:
    """S1-075"""
    assert written(command) == ()


def test_temporary_files_are_named_and_not_counted() -> None:
    assert named("echo x > /tmp/y") == ("/tmp/y",)
    assert written("echo x > /tmp/../etc/y") == ("/tmp/../etc/y",)


PATCH = (
    "*** Begin Patch\n*** Update File: a.py\n+x > phantom\n*** Move to: no\n*** Add File: b c.py\n+hi\n*** End Patch"
)


def test_a_patch_writes_the_files_it_names_and_not_what_its_lines_look_like() -> None:
    assert named(f"apply_patch <<'EOF'\n{PATCH}\nEOF") == ("a.py", "b c.py")
    assert named(f"cd sub && applypatch <<'EOF'\n{PATCH}\nEOF") == ("a.py", "b c.py")
    assert named(f"git commit -m '{PATCH}'") == ()


def test_only_a_patch_that_no_shell_looks_at_hides_its_lines() -> None:
    """Whoever runs the lines writes what they write."""
    lines = "*** Begin Patch\necho x > real\n*** End Patch"
    for start in ("bash <<'EOF'", "bash -s apply_patch <<'EOF'", "apply_patch <<EOF"):
        assert "real" in named(f"{start}\n{lines}\nEOF")


@given(st.text())
def test_every_text_is_read(command: str) -> None:
    written(command)


def test_a_megabyte_of_empty_lines_is_read_at_once():
    """Each line is looked at once; a look from every line to the end would take minutes."""
    assert written("\n" * 1_000_000 + "ls") == ()
