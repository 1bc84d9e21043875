"""Shell commands that are edits, as a table. Nothing here is run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synaptic.policies.sane.shell_edit import edits_files
from synaptic.shell.reading import CommandReading

ROOT = "/home/u/project"
PATCH = "*** Begin Patch\n*** Update File: a.py\n+x > phantom\n*** End Patch"
STORY = "## Did\nrm -rf dist; synaptic down\ncat /etc/hosts > a.txt\n"
EDITS = [
    "echo a > b.txt", "echo a >> b.txt", "ls &> out", "echo hi 2> err.log", "cat <<EOF > x\nhi\nEOF", ": > a.log",
    "cat a | tee out.txt", "sed -i s/a/b/ f.py", "sed -i.bak -e s/a/b/ f.py", "perl -pi -e s/a/b/ f", "ruby -i -pe 1 f",
    "perl -0pi -e s/a/b/ f", "dd if=a of=disk.img", "cp a b", "mv a b", "mv -t /tmp a", "FOO=1 sudo rm -rf build",
    "touch x y", "truncate -s 0 a.log", "install -m 755 a b", "ln -s a b", "rsync -a a/ b/",
    "ed -s a.py <<'EOF'\nw\nEOF",
    "vim -Es -c '%s/a/b/' -c wq x.sh", "bash -c 'echo x > y'", "bash -lc 'echo x > y'", "bash -o pipefail -c 'rm a'",
    "eval 'echo x > y'", "cd src && echo x > y", "ls | xargs rm", "ls | xargs -I {} sh -c 'rm {}'", "parallel rm ::: a",
    "find . -name x -delete", "find . -exec rm {} +", "find . -execdir sh -c 'rm a' \\;", "fd -e pyc -x rm {}",
    "git apply p.patch", "git checkout -- a", "git -C sub restore .", "git stash", "git stash pop", "git pull",
    "git reset --hard", "git clean -fd", "git submodule update --init", "git read-tree -u HEAD", "git bisect reset",
    "git mv a b", "git -c alias.x='reset --hard' x", "curl -o f http://x", "curl -O http://x/f", "wget http://x/f",
    "xargs -n1 curl -sO < urls", "tar xzf a.tgz", "tar -xf a.tar", "tar --exclude=t -xf a.tar", "tar czf a.tgz src",
    "unzip a.zip", "patch -p1 < a.patch", "python -c \"open('a','w').write('x')\"", "awk '{print > \"out\"}' f",
    "python3 <<'EOF'\nimport os\nos.rename(a(), b())\nEOF", "node -e \"fs.writeFileSync('a','b')\"", "sort -o a a",
    "perl -e 'open(my $f, \">\", $ARGV[0])'", "ruby -e 'File.open(x, \"w\") { |f| f.puts 1 }'", "npx rimraf dist",
    "php -r 'file_put_contents(\"a\", \"b\");'", "function f() { rm a; }; f", "alias r='rm -rf'; r $X", "$(echo rm) a",
    "echo x > /tmp/../etc/y", "echo x > $OUT", "trap 'rm a' EXIT", "nohup cp a b &", "(cd src; rm a)", "rm a || true",
    "doas cp a b", "stdbuf -o0 tee a", "strace -f cp a b", "busybox cp a b", "\\cp a b", "'cp' a b", "c''p a b",
    "time cp a b", "! cp a b", "coproc cp a b", "if true; then cp a b; fi", "exec > a.log", "cat < a <> b",
    f"apply_patch <<'EOF'\n{PATCH}\nEOF", f"cd sub && applypatch <<'EOF'\n{PATCH}\nEOF",
    "bash <<'EOF'\n*** Begin Patch\necho x > real\n*** End Patch\nEOF", "apply_patch <<EOF\n$(rm a)\nEOF",
    f"synaptic effort log <<'EOF' && rm a.py\n{STORY}EOF", f"synaptic effort log <<'EOF' > a.py\n{STORY}EOF",
    "synaptic effort log <<EOF\n$(rm a.py)\nEOF", f"synaptic effort log <<'EOF'\n{STORY}EOF\nrm a.py\n",
    f"bash <<'X'; synaptic effort log <<'EOF'\nrm a.py\nX\n{STORY}EOF", "rm a.py # synaptic effort log",
    "echo x > ${TMPDIR:-src}/a.py", "echo x > ${TMPDIR:+src}/a.py", "echo x > $TMPDIRECTORY/a.py",
    "echo x > $(mktemp -p src)", "echo x > $(mktemp src/aXXXXXX)", "echo x > $(mktemp aXXXX)",
    "echo x > $TMPDIR/../home/u/project/a",
    "ls; " * 3000 + "rm a", "\n" * 1_000_000 + "ls",
]  # fmt: skip
FREE = [
    "", "ls -la", "grep -r x . 2>/dev/null", "make 2>&1 | tail", "make > /dev/null 2>&1", "echo 'a > b'", "sed -n 1p f",
    "git status", "git diff HEAD~1", "git commit -m 'rm x > y'", "git push", "cat a | sort | uniq -c", "git stash list",
    "git stash show -p", "git submodule status", "git submodule foreach git status", "git read-tree HEAD", "git log",
    "git apply --check p.patch", "git clean -n", "git checkout --help", "git fetch", "git blame a | head > /dev/null",
    "echo x > /tmp/y", "cp a /var/tmp/b", "cd /tmp && rm -rf x && git init x", "T=/tmp/t; echo x > $T/y", "rm --help",
    "x=$(mktemp); echo a > $x", "echo a > `mktemp`", "echo a > ${TMPDIR:-/tmp}/x", "echo a > $TMPDIR/x",
    "echo a > ${TMPDIR}/x", "d=$(mktemp -d); echo a > $d/x", "echo a > $(mktemp -t name)",
    "echo a > $(mktemp /tmp/a.XXXX)",
    "echo a > $(mktemp --suffix=.py)", "echo a > ${TMPDIR:-/var/tmp}/x",
    "mkdir -p build",
    "curl -s http://x", "curl -o- http://x | head", "wget -O - http://x", "wget -qO- http://x", "wget --spider http://x",
    "tar tzf a.tgz", "tar xzf a.tgz -C /tmp/x", "tar czf - src | ssh h 'cat > a.tgz'", "unzip -l a.zip",
    "find . -name x", "find . -exec sed -n 1p {} \\;", "find /tmp/x -delete", "scp a host:/b", "rsync -a a/ h:b/",
    "python -m pytest", "python -c 'print(1)'", "python3 - <<'EOF'\nprint(1 > 0)\nEOF", "node -e 'f(() => 1)'",
    "npm test", "a=1 b=2 env", "ls # > x", "tee", "cat a > >(tee /tmp/b)", "if true; then ls; fi", "[[ a > b ]]",
    "test 1 \\> 2", "echo $((1 > 2))", "cat <<'EOF'\nrm -rf ~ > a\nEOF", "ssh h 'rm -rf x'", "docker exec c rm x",
    "kubectl exec p -- sh -c 'echo > a'", "cleanup() { rm -rf out; }", f"git commit -m '{PATCH}'", "command -v rm",
    f"synaptic effort log <<'EOF'\n{STORY}EOF", "printf 'a; rm b' | synaptic effort log", "echo x >&2", "ls 2>&1",
    f"cd src && cat <<'EOF' | synaptic effort log --json\n{STORY}EOF\n", "synaptic effort log x > /dev/null",
    "sort a > /dev/stdout", "\n" * 900_000 + "ls",
]  # fmt: skip


def edits(command: str, root: str = ROOT) -> bool:
    return edits_files(CommandReading(command, root, "/home/u"), root)


@pytest.mark.parametrize("command", EDITS)
def test_a_command_that_changes_files(command: str) -> None:
    """S1-075"""
    assert edits(command)


@pytest.mark.parametrize("command", FREE)
def test_a_command_that_changes_none(command: str) -> None:
    """S1-075"""
    assert not edits(command)


def test_a_project_in_a_temporary_folder_is_a_project() -> None:
    assert edits("echo x > a.py", "/tmp/project")
    assert edits("cp a /tmp/project/b", "/tmp/project")
    assert not edits("cp a /tmp/elsewhere/b", "/tmp/project")
    assert edits("git checkout -- a.py", "/tmp/project")


@given(st.text())
def test_every_text_is_read(command: str) -> None:
    edits(command)
