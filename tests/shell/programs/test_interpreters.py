"""Code in other languages: what it runs, deletes and writes."""

import pytest

from synaptic.shell.read.reader import read_script
from tests.shell.read.seen import lines
from tests.shell.read.wrapping import quoted


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
        ("open('x', 'w').write('y'); open('z').read()", [": > x", ": < z"]),
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
    assert not read_script(text).unresolved


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Rscript -e 'system(\"rm x\")'", ["rm x"]),
        ("Rscript -e 'unlink(\"x\", recursive=TRUE)'", ["rm -rf x"]),
        ('R -q -e \'unlink("x", recursive = FALSE); file.remove("y")\'', ["rm -f x", "rm -f y"]),
        ('Rscript -e \'unlink(file.path(Sys.getenv("HOME"), "x"), recursive=TRUE)\'', ["rm -rf ~/x"]),
        ("julia -e 'rm(\"x\", recursive=true); run(`rm y`)'", ["rm -rf x", "rm y"]),
        ("julia -e 'rm(joinpath(homedir(), \"x\"), recursive=true)'", ["rm -rf ~/x"]),
        ('elixir -e \'File.rm_rf!("x"); System.cmd("rm", ["y"])\'', ["rm -rf x", "rm y"]),
        ("deno eval \"Deno.removeSync('x', {recursive: true})\"", ["rm -rf x"]),
        ("deno eval --ext=ts \"new Deno.Command('rm', {args: ['-rf', 'x']}).outputSync()\"", ["rm -rf x"]),
        ('echo \'require("fs").rmSync("x")\' | deno run -', ["deno run -", "rm -f x"]),
        ("emacs --batch --eval '(shell-command \"rm x\")'", ["rm x"]),
        ("emacs -Q --batch --eval='(delete-directory (expand-file-name \"~/x\") t)'", ["rm -rf ~/x"]),
        ('emacsclient -e \'(call-process "rm" nil nil nil "-rf" "x")\'', ["rm -rf x"]),
        ("emacs --batch -l ert -l tests.el -f ert-run-tests-batch-and-exit", []),
        ("Rscript -e 'install.packages(\"x\")'", []),
        ("tsx -e \"import {execSync} from 'child_process'; execSync('rm x')\"", ["rm x"]),
        ("ts-node -P tsconfig.json -e 'fs.rmSync(\"x\")'", ["rm -f x"]),
        ("tsx watch src/index.ts", []),
        ("bun run build", []),
    ],
)
def test_more_languages(text: str, found: list[str]) -> None:
    assert lines(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "python3 -m guard <<< 'rm x'",
        "python3 -um guard.lines --all - <<< 'rm x'",
        "python3 -mabc <<< 'rm x'",
        "php -f guard.php <<< 'rm x'",
        "R -f guard.R <<< 'rm x'",
    ],
)
def test_what_a_program_reads_is_data(text: str) -> None:
    assert lines(text) == []
    assert not read_script(text).unresolved


def test_modules_that_run_code_are_given_some() -> None:
    assert lines("python3 -m code <<< 'import os; os.system(\"rm x\")'") == ["rm x"]
    written = "echo 'import os; os.system(\"rm x\")' > f.py; "
    assert lines(f"{written} python3 -m f")[1:] == ["rm x"]
    assert lines(f"{written} python3 -m cProfile -o out f.py")[1:] == ["rm x"]
    assert lines(f"{written} python3 -m coverage run f.py")[1:] == ["rm x"]
    assert lines(f"{written} python3 -m black f.py")[1:] == []
    assert lines("python3 - -m x <<< 'import os; os.system(\"rm x\")'") == ["rm x"]
    assert lines("echo 'rm x' | uv run python -m guard")[1:] == ["python -m guard"]


def test_go_is_read_when_it_was_written_before() -> None:
    body = 'd := os.Getenv("HOME"); os.RemoveAll(filepath.Join(d, "x")); exec.Command("rm", "-rf", "y").Run()'
    file = f'cat > main.go <<\'EOF\'\nimport ("os"; "os/exec")\nfunc main() {{ {body} }}\nEOF\n'
    assert lines(f"{file}go run main.go")[1:] == ["rm -rf ~/x", "rm -rf y"]
    assert lines(f"{file}go run -race .")[1:] == ["rm -rf ~/x", "rm -rf y"]
    assert lines(f"{file}go vet .")[1:] == []


@pytest.mark.parametrize(
    "text",
    [
        "python3 -c \"print('rm x')\"",
        "python3 -c \"import sys; sys.stdout.write('rm x')\"",
        "python3 -c \"print('rm', 'x', sep=' ', end='')\"",
        "python3 -c \"p = 'x'; print(f'rm {p}')\"",
        "python3 - <<< 'print(\"rm x\")'",
        "node -p \"'rm x'\"",
        "node -p \"'rm ' + 'x'\"",
        "node -e \"console.log('rm', 'x')\"",
        "node -e \"process.stdout.write('rm x')\"",
        "ruby -e 'puts \"rm x\"'",
        "perl -e 'print \"rm x\\n\"'",
        "perl -E 'say \"rm x\"'",
        "php -r 'echo \"rm x\";'",
        "lua -e 'print(\"rm x\")'",
        "awk 'BEGIN { print \"rm x\" }'",
        "julia -e 'println(\"rm x\")'",
    ],
)
def test_what_is_printed_as_it_is_written_is_known(text: str) -> None:
    assert lines(f"{text} | sh")[-1:] == ["rm x"]
    assert lines(f"{text} > f; bash f")[-1:] == ["rm x"]


@pytest.mark.parametrize(
    "text",
    [
        'python3 -c "print(1 + 1)"',
        "python3 -c \"import mod; mod.main(); print('rm x')\"",
        "python3 -c \"print('rm x', file=f)\"",
        "node -p \"require('./package.json').version\"",
        'node -e "console.log(x)"',
        "perl -pe 's/rm x/y/' f",
        "awk '{ print \"rm \" $1 }' f",
        "ruby -e 'puts ARGV'",
    ],
)
def test_what_is_printed_otherwise_is_not(text: str) -> None:
    assert lines(f"{text} | xargs echo")[-1:] == ["echo <{}>"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("awk '{ system(\"rm -rf \" $1) }' dirs", ["rm -rf <{}>"]),
        ('awk \'{ system("rm -rf \\"" $NF "\\"") }\' dirs', ["rm -rf <{}>"]),
        ("awk '{ system(\"rm -rf /a/\" $(NF-1)) }' dirs", ["rm -rf </a/{}>"]),
        ("perl -ne 'chomp; system(\"rm -rf $_\")' dirs", ["rm -rf <{}>"]),
    ],
)
def test_a_line_of_a_list_is_an_item(text: str, found: list[str]) -> None:
    assert lines(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "python3 -c \"open('f', 'w').write('rm x')\"; bash f",
        "python3 -c \"import pathlib; pathlib.Path('f').write_text('rm x')\"; bash f",
        "python3 - <<'E'\nwith open('f', 'w') as f:\n    f.write('cd y\\n')\n    f.write('rm x')\nE\nbash f",
        "node -e \"require('fs').writeFileSync('f', 'rm x')\"; bash f",
    ],
)
def test_what_code_writes_to_a_file_is_remembered(text: str) -> None:
    assert lines(text)[-1:] == ["rm x"]
