"""Files that change after somebody has agreed to a hook that runs them, by whatever way."""

import py_compile
import sys
from pathlib import Path

import pytest

from tests.security.repository.hostile import Repository

COVERED = {
    "the project's variable": '"$SYNAPTIC_PROJECT_ROOT"/hooks/x.sh',
    "the variable in braces": "${SYNAPTIC_PROJECT_ROOT}/hooks/x.sh",
    "the agent's variable": '"$CLAUDE_PROJECT_DIR"/hooks/x.sh',
    "another folder": "cd hooks && ./x.sh",
    "a subshell in another folder": "(cd hooks; sh ./x.sh)",
    "pushd": "bash -c 'pushd hooks >/dev/null && ./x.sh'",
    "sourced in a nested shell": 'sh -c ". ./hooks/x.sh"',
    "sourced": ". hooks/x.sh",
    "source of bash": "bash -c 'source hooks/x.sh'",
    "a loop over a pattern": "for f in hooks/*.sh; do sh $f; done",
    "a quoted loop variable": 'for f in hooks/*.sh; do sh "$f"; done',
    "a pattern as a word": "sh hooks/?.sh",
    "a module": "python3 -m hooks.x",
    "an import": "python3 -c 'import hooks.x'",
    "make in another folder": "make -s -C hooks",
    "a named Makefile": "make -s -f hooks/Makefile",
    "another folder by env": "env -C hooks ./x.sh",
    "a function": "f() { sh hooks/x.sh; }; f",
    "a variable": "X=hooks/x.sh; sh $X",
    "an alias of a path": "H=$PWD/hooks; $H/x.sh",
    "input of a shell": "sh < hooks/x.sh",
    "a pipe into a shell": "cat hooks/x.sh | sh",
    "eval of a file": 'eval "$(cat hooks/x.sh)"',
    "nohup": "nohup sh hooks/x.sh",
    "timeout": "timeout 5 ./hooks/x.sh",
    "exec": "exec hooks/x.sh",
    "a trap": "trap 'sh hooks/x.sh' EXIT",
    "a condition": "if sh hooks/x.sh; then :; fi",
    "find with a plain script": "find . -maxdepth 0 -exec sh hooks/x.sh {} +",
    "xargs with a plain script": "echo a | xargs sh hooks/x.sh",
    "python by path": "python3 hooks/x.py",
    "node by path": "node hooks/x.js",
    "perl by path": "perl hooks/x.pl",
    "a here-document": "sh <<'E'\n. hooks/x.sh\nE",
    "a name that is put together": 'N=$(printf x); eval "sh hooks/$(printf x).sh"',
    "a list of files in the repository": "while read -r f; do sh $f; done < hooks/list",
}
"""What the digest covers: it runs when it is trusted, and not when it was changed."""

UNCOVERED = {
    "names from a listing": "ls hooks/*.sh | xargs -n1 sh",
    "names from find": "find hooks -name '*.sh' -exec sh {} \\;",
    "a script of npm": "npm run --silent check",
    "another PATH": "PATH=$PWD/hooks:$PATH x.sh",
    "PYTHONPATH": "PYTHONPATH=hooks python3 -c 'import x'",
    "node with a preload": "NODE_OPTIONS=--require=./hooks/x.js node -e 1",
    "an unknown program": "some-runner hooks",
    "a test runner": "pytest -q hooks",
    "code that Python makes": "python3 -c \"exec(open('hooks/x.py').read())\"",
    "Python's own loader": "python3 -c \"import runpy; runpy.run_path('hooks/x.py')\"",
    "an alias of git": "git -c alias.x='!sh hooks/x.sh' x",
    "BASH_ENV": "BASH_ENV=hooks/x.sh bash -c true",
    "a copy": "cp hooks/x.sh copy.sh && sh copy.sh",
    "a list of files": "echo hooks/x.sh > list; while read -r f; do sh $f; done < list",
    "another root": "sh /proc/self/cwd/hooks/x.sh",
}
"""What is shown as not covered, and does not run before a person accepts exactly that."""


def fill(repository: Repository, word: str) -> None:
    """The repository with code that notes a word, in every language."""
    note = repository.note(word)
    repository.write("hooks/x.sh", f"#!/bin/sh\n{note}")
    repository.write("hooks/x.py", repository.note_python(word))
    repository.write("hooks/x.js", f"require('fs').appendFileSync({str(repository.ran)!r}, '{word}\\n')\n")
    repository.write("hooks/x.pl", f"open(F, '>>', '{repository.ran}'); print F \"{word}\\n\";\n")
    repository.write("hooks/Makefile", f"all:\n\t@{note}")
    repository.write("package.json", f'{{"scripts": {{"check": "echo {word} >> {repository.ran}"}}}}')
    repository.write("hooks/__init__.py", "")
    repository.write("hooks/list", "hooks/x.sh\n")


@pytest.mark.parametrize("name", COVERED)
def test_a_changed_file_does_not_run(repository: Repository, name: str):
    fill(repository, "good")
    repository.declare(command=COVERED[name])
    (item,) = repository.list_items()
    repository.trust(uncovered=name in ("perl by path", "eval of a file"))
    repository.happens()
    assert "good" in repository.notes, item.gaps
    repository.happens()
    assert repository.notes.count("good") > 1, "it still runs while nothing changes"
    fill(repository, "EVIL")
    repository.happens()
    assert "EVIL" not in repository.notes


@pytest.mark.parametrize("name", UNCOVERED)
def test_what_is_not_covered_is_told_and_does_not_run(repository: Repository, name: str):
    fill(repository, "EVIL")
    repository.declare(command=UNCOVERED[name])
    (item,) = repository.list_items()
    assert item.gaps
    repository.trust()
    repository.happens()
    assert repository.notes == []


LOADED = {
    "a sourced library": ("main.sh", '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n', "lib.sh"),
    "a library of bash": ("main.sh", '#!/bin/bash\nsource "${BASH_SOURCE[0]%/*}/lib.sh"\n', "lib.sh"),
    "a library by a resolved folder": (
        "main.sh",
        '#!/usr/bin/env bash\nHERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\n. "$HERE/lib.sh"\n',
        "lib.sh",
    ),
    "a library by the project's variable": ("main.sh", '#!/bin/sh\n. "$SYNAPTIC_PROJECT_ROOT/h/lib.sh"\n', "lib.sh"),
    "a script of a script": ("main.sh", '#!/bin/sh\nsh "$(dirname "$0")/lib.sh"\n', "lib.sh"),
    "a library of a library": ("main.sh", '#!/bin/sh\n. "$(dirname "$0")/mid.sh"\n', "lib.sh"),
    "an imported module": ("main.py", "#!/usr/bin/env python3\nimport lib\n", "lib.py"),
    "a name of a module": ("main.py", "#!/usr/bin/env python3\nfrom lib import ran\n", "lib.py"),
    "a package": ("main.py", "#!/usr/bin/env python3\nimport pkg.lib\n", "pkg/lib.py"),
    "a module in the way of Python's own": ("main.py", "#!/usr/bin/env python3\nimport json\n", "json.py"),
    "a module that Python's own imports": ("main.py", "#!/usr/bin/env python3\nimport tempfile\n", "random.py"),
    "a late import": ("main.py", "#!/usr/bin/env python3\ndef f():\n    import lib\nf()\n", "lib.py"),
    "a started script": (
        "main.py",
        "#!/usr/bin/env python3\nimport subprocess\nsubprocess.run(['sh', '{root}/h/lib.sh'])\n",
        "lib.sh",
    ),
    "a required file": ("main.js", "#!/usr/bin/env node\nrequire('./lib')\n", "lib.js"),
    "a required folder": ("main.js", "#!/usr/bin/env node\nrequire('./pkg')\n", "pkg/index.js"),
}


def write_library(repository: Repository, name: str, word: str) -> None:
    text = {
        "py": f"{repository.note_python(word)}ran = 1\n",
        "sh": repository.note(word),
        "js": f"require('fs').appendFileSync({str(repository.ran)!r}, '{word}\\n')\n",
    }[name.rpartition(".")[2]]
    repository.write(f"h/{name}", text)


@pytest.mark.parametrize("name", LOADED)
def test_what_a_trusted_script_loads_does_not_run_when_it_was_changed(repository: Repository, name: str):
    file, text, library = LOADED[name]
    repository.write("h/mid.sh", '. "$(dirname "$0")/lib.sh"\n')
    repository.write("h/pkg/__init__.py", "")
    script = repository.write(f"h/{file}", text.replace("{root}", repository.root))
    if library not in ("json.py", "random.py"):
        write_library(repository, library, "good")
    repository.declare(script=str(script), timeout=20)
    assert repository.trust(), [item.gaps for item in repository.list_items()]
    repository.happens()
    assert library in ("json.py", "random.py") or repository.notes == ["good"]
    write_library(repository, library, "EVIL")
    repository.happens()
    assert "EVIL" not in repository.notes


@pytest.mark.parametrize(
    "text",
    [
        "import importlib; importlib.import_module('li' + 'b')",
        "__import__('li' + 'b')",
        "exec(open(__file__.replace('main', 'lib')).read())",
        "import sys; sys.path.insert(0, 'elsewhere'); import lib2",
        "import subprocess; subprocess.run([''.join(['s', 'h']), 'h/lib.sh'])",
        "import os; os.execvp('sh', ['sh', 'h/lib.sh'])",
        "import ctypes; ctypes.CDLL('./h/lib.so')",
        "import pickle; pickle.load(open('h/data', 'rb'))",
        "import os; vars(os)['system']('sh h/lib.sh')",
        "import os; os.__dict__['system']('sh h/lib.sh')",
        "import os; f = os; f.system('sh h/lib.sh')",
        "from os import *; system('sh h/lib.sh')",
        "import os, operator; operator.methodcaller('system', 'sh h/lib.sh')(os)",
        "import unittest; unittest.main('lib')",
    ],
)
def test_a_script_that_loads_by_its_own_means_is_not_covered(repository: Repository, text: str):
    script = repository.write("h/main.py", f"#!/usr/bin/env python3\n{repository.note_python('EVIL')}{text}\n")
    repository.declare(script=str(script))
    assert repository.list_items()[0].gaps
    repository.trust()
    repository.happens()
    assert repository.notes == []


@pytest.mark.parametrize("where", ["beside the script", "in the package"])
def test_compiled_files_beside_the_sources_are_not_believed(repository: Repository, where: str):
    """A `.pyc` with the size and time of its source would run in its place."""
    folder = "h" if where == "beside the script" else "h/pkg"
    repository.write("h/pkg/__init__.py", "")
    library = repository.write(f"{folder}/lib.py", repository.note_python("good"))
    imported = "lib" if folder == "h" else "pkg.lib"
    script = repository.write("h/main.py", f"#!/usr/bin/env python3\nimport {imported}\n")
    repository.declare(script=str(script), timeout=20)
    assert repository.trust()
    evil = repository.path / "evil.py"
    evil.write_text(repository.note_python("EVIL"))
    compiled = py_compile.compile(str(evil), cfile=str(repository.path / "evil.pyc"))
    head = Path(compiled).read_bytes()
    status = library.stat()
    stamp = int(status.st_mtime).to_bytes(4, "little") + (status.st_size & 0xFFFFFFFF).to_bytes(4, "little")
    target = library.parent / "__pycache__" / f"lib.{sys.implementation.cache_tag}.pyc"
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(head[:8] + stamp + head[16:])
    repository.happens()
    assert repository.notes == ["good"]


DISGUISES = (
    'sh "${X:-hooks/x.sh}"', "sh hooks/$SYNAPTIC_CHANNEL.sh", "$FOO hooks/x.sh", "mv hooks/x.sh a.sh; sh a.sh",
    "ln -sf hooks/x.sh a.sh; sh a.sh", "install hooks/x.sh a.sh && sh a.sh", "dd if=hooks/x.sh of=a.sh; sh a.sh",
    "tee a.sh < hooks/x.sh; sh a.sh", "sed s/x/y/ hooks/x.sh > a.sh; sh a.sh", "cp -t . hooks/x.sh; sh x.sh",
    'awk \'BEGIN { "cat hooks/x.sh" | getline c; system(c) }\'', 'awk \'BEGIN { system("sh hooks/x.sh") }\'',
    "sed -n '1e sh hooks/x.sh'", "sed 's/.*/sh hooks\\/x.sh/e'", "awk -f hooks/x.awk", "sed -nf hooks/x.sed",
    "jq -rf hooks/x.jq", "flock l sh hooks/x.sh", "flock l -c 'sh hooks/x.sh'", "setsid sh hooks/x.sh",
    "stdbuf -o0 sh hooks/x.sh", "time sh hooks/x.sh", "command sh hooks/x.sh", "find . -execdir sh hooks/x.sh ';'",
    "sort --compress-program=hooks/x.sh f", "rg --pre hooks/x.sh q", "git -C hooks status",
    "tar --to-command=hooks/x.sh -xf a.tar", "bash -c 'coproc sh hooks/x.sh'",
    "bash -c 'mapfile -C hooks/x.sh -c 1 a < b'", "bash -c 'enable -f hooks/x.sh x'", "exec 3<hooks/x.sh; sh <&3",
    "sh /dev/fd/3 3<hooks/x.sh", ". /dev/stdin < hooks/x.sh", "bash -c 'bash <(cat hooks/x.sh)'",
    "bash -c 'source <(cat hooks/x.sh)'", 'echo "$(cat hooks/x.sh)" | sh', "read -r c < hooks/x.sh; $c",
    'set -- hooks/x.sh; sh "$1"', "printf 'sh hooks/x.sh' | xargs -I{} sh -c {}", "xargs -a hooks/list -n1 sh",
    "test -f hooks/x.sh && . $_", 'sh -c "$(cat hooks/x.sh)"', "bash -c 'hash -p hooks/x.sh jq; jq .'",
    "alias jq=hooks/x.sh; jq .", "unset PATH; x.sh", 'cd "$(cat hooks/list)" && ./x.sh', "env - sh hooks/x.sh",
    "env -S 'sh hooks/x.sh'", "gzip -dc hooks/x.sh | sh", "base64 -d hooks/x.sh | bash", "python3 < hooks/x.py",
    "cat hooks/x.py | python3 -", "node < hooks/x.js", "node -r ./hooks/x.js -e 1",
    "python3 -X importtime hooks/x.py", "perl -Ihooks -Mx -e 1", "perl -e 'do q(./hooks/x.pl)'",
    "ruby -r./hooks/x -e 1", "deno run hooks/x.js", "make -f - < hooks/Makefile", "at now -f hooks/x.sh",
    "crontab hooks/list", "npx check", "go run ./hooks", "java -jar hooks/x.jar", "busybox sh hooks/x.sh",
    "./hooks/../hooks/x.sh", "hooks//x.sh", "hooks/x.s''h", "hooks/x.{sh,py}", '"$(pwd)"/hooks/x.sh',
    '"$(git rev-parse --show-toplevel)"/hooks/x.sh', "cd - && ./x.sh", "ssh localhost sh hooks/x.sh",
    "sudo -n sh hooks/x.sh", "watch -n1 hooks/x.sh", "parallel sh ::: hooks/x.sh",
    "script -qc 'sh hooks/x.sh' /dev/null", "vim -es -c '!sh hooks/x.sh' -c q", "less hooks/x.sh", "pytest", "tox",
    "just check", "CDPATH=hooks; cd h && ./x.sh", "python3 -E hooks/x.py", "python3 hooks", "run-parts hooks",
    "bash --rcfile hooks/x.sh -i", "export BASH_ENV=$X; bash -c true", "zsh -c 'source hooks/x.sh'",
    "eval $(cat hooks/list)", "make -C hooks -s all",
    "python3 -m pytest", "python3 -m cProfile hooks/x.py", "hooks/python3 x.py", "$SHELL hooks/x.sh", "sh $HOME/x.sh",
    "sh $TMPDIR/x.sh", "find hooks -name x.sh -print0 | xargs -0 sh", "sh ~/x.sh", "sh hooks/x.sh; sh $0",
    ". ./hooks/x.sh || :",
)  # fmt: skip


@pytest.mark.parametrize("command", DISGUISES)
def test_a_command_in_disguise_is_covered_or_told(repository: Repository, command: str):
    """Either a change of the files is another digest, or a person is told that it would not be."""
    fill(repository, "good")
    for name in ("x.awk", "x.sed", "x.jq"):
        repository.write(f"hooks/{name}", "")
    repository.declare(command=command)
    (before,) = repository.list_items()
    fill(repository, "EVIL")
    for name in ("x.awk", "x.sed", "x.jq", "list"):
        repository.write(f"hooks/{name}", "evil")
    (after,) = repository.list_items()
    assert before.gaps or before.digest != after.digest


@pytest.mark.known_hole("A file that a trusted script opens by itself can be exchanged while that script already runs.")
def test_a_library_that_is_exchanged_while_the_script_runs(repository: Repository):
    library = repository.write("h/lib.sh", repository.note("good"))
    text = f'#!/bin/sh\nprintf "%s\\n" "echo EVIL >> {repository.ran}" > "{library}"\n. "$(dirname "$0")/late.sh"\n'
    late = repository.write("h/late.sh", repository.note("good"))
    text = text.replace(str(library), str(late))
    repository.declare(script=str(repository.write("h/main.sh", text)))
    repository.trust(uncovered=True)
    repository.happens()
    assert "EVIL" not in repository.notes
