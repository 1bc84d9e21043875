"""Code in other languages: what it runs, deletes and writes."""

import pytest

from synaptic.parse.shell.reader import read
from tests.parse.shell.wrapping import quoted


def lines(text: str) -> list[str]:
    found = read(text, "/p", "/h").commands[1:]
    return [
        " ".join([w.text if w.known else f"<{w.text}>" for w in c.argv] + [f"> {r.target.text}" for r in c.redirects])
        for c in found
    ]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import os; os.system('rm x')", ["rm x"]),
        ("from os import system as s; s('rm x')", ["rm x"]),
        ("import os as o; o.popen('rm x')", ["rm x"]),
        ("__import__('os').system('rm x')", ["rm x"]),
        ("import os; getattr(os, 'system')('rm x')", ["rm x"]),
        ("import subprocess; subprocess.run(['rm', '-rf', 'x'])", ["rm -rf x"]),
        ("import subprocess; subprocess.call('rm x', shell=True)", ["rm x"]),
        ("import subprocess; c = ['rm', 'x']; subprocess.Popen(c)", ["rm x"]),
        ("import os; os.execvp('rm', ['rm', 'x'])", ["rm x"]),
        ("import shutil; p = '/a'; shutil.rmtree(p + '/b')", ["rm -rf /a/b"]),
        ("import shutil, sys; shutil.rmtree(sys.argv[1])", ["rm -rf <sys.argv[1]>"]),
        ("import os; os.remove('x'); os.rmdir('y'); os.rename('a', 'b')", ["rm -f x", "rmdir y", "mv a b"]),
        ("from pathlib import Path; Path('/a', 'b').unlink(); (Path('c') / 'd').rmdir()", ["rm -f /a/b", "rmdir c/d"]),
        ("open('x', 'w').write('y'); open('z').read()", [": > x"]),
        ("from pathlib import Path; Path('x').write_text('y')", [": > x"]),
        ("import base64; exec(base64.b64decode('aW1wb3J0IG9zOyBvcy5zeXN0ZW0oInJtIHgiKQ=='))", ["rm x"]),
        ("import os; os.system(f'rm -rf {x}')", ["rm -rf <{x}>"]),
        ("print('os.system(1)'); # os.system('rm x')", []),
        ("import os; os.system('rm x'", ["rm x"]),
    ],
)
def test_python(code: str, found: list[str]) -> None:
    assert [line.replace("{x}>", "{x}>") for line in lines(f"python3 -c {quoted(code)}")] == [
        line.replace("<{x}>", "{x}") for line in found
    ]
    assert lines(f"python3.12 - <<'EOF'\n{code}\nEOF") == lines(f"echo {quoted(code)} > f.py; python f.py")[1:]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('node -e \'require("child_process").exec("rm x")\'', ["rm x"]),
        ('node --eval=\'require("child_process").spawnSync("rm", ["-rf", "x"])\'', ["rm -rf x"]),
        ('node -e \'fs.rmSync("x", {recursive: true}); fs.unlinkSync("y")\'', ["rm -rf x", "rm -f y"]),
        ('node -e \'fs.writeFileSync("x", "rm y")\'', [": > x"]),
        ('node -e \'/a/.exec("rm x"); console.log("exec(1)")\'', []),
        ("node -pe '1 + 1'", []),
        ('perl -we \'system("rm x"); unlink "y"; `rm z`\'', ["rm x", "rm -f y", "rm z"]),
        ("perl -e 'qx{rm x}; open(F, \">y\")'", ["rm x", ": > y"]),
        ("perl -e 'print \"system(1)\"'", []),
        ('ruby -e \'system("rm", "x"); FileUtils.rm_rf("y"); %x(rm z)\'', ["rm x", "rm -rf y", "rm z"]),
        ('ruby -e \'File.delete("x"); a.delete("y")\'', ["rm -f x"]),
        ('php -r \'shell_exec("rm x"); unlink("y");\'', ["rm x", "rm -f y"]),
        ("lua -e 'os.execute(\"rm x\")'", ["rm x"]),
        ('awk \'BEGIN { system("rm x"); "rm y" | getline; print | "rm z" }\'', ["rm x", "rm y", "rm z"]),
        ("awk '{ print $1 > \"out\" }' f", [": > out"]),
        ("awk -F: '$3 > 5 && /rm x/ { print \"system\" }' f", []),
        ("node <<'EOF'\nrequire('child_process').execSync('rm x')\nEOF", ["rm x"]),
    ],
)
def test_other_languages(text: str, found: list[str]) -> None:
    assert lines(text) == found


@pytest.mark.parametrize("text", ["python -m pytest -c x", "python x.py", "node x.js", "ruby x.rb", "python --version"])
def test_no_code_no_acts(text: str) -> None:
    assert not lines(text)
    assert not read(text).unresolved
