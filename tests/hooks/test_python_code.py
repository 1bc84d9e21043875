"""What a Python file loads and starts."""

import pytest

from synaptic.hooks.python_code import is_of_python, iter_module_files, read_python_code


def test_imports_are_listed_wherever_they_stand():
    code = read_python_code("import a.b, c\nfrom d import e\ndef f():\n    from . import g\n")
    assert set(code.modules) == {"a.b", "c", "d", "d.e", ".", ".g"}


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("import subprocess\nsubprocess.run(['git', 'diff', path])", 'git diff "$SYNAPTIC_UNKNOWN"'),
        ("from subprocess import check_output as co\nco('ls -l', shell=True)", "ls -l"),
        ("import os\nos.system('sh x.sh')", "sh x.sh"),
        ("import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'x'])", "python3 -m x"),
    ],
)
def test_programs_that_are_started_are_read_as_commands(text: str, command: str):
    code = read_python_code(text)
    assert (code.commands, code.gaps) == ((command,), ())


@pytest.mark.parametrize(
    "text",
    ["exec(x)", "eval('1')", "__import__('a')", "import importlib", "import sys\nsys.path.append('a')", "def broken(",
     "import subprocess\nsubprocess.run(command)", "import os\nos.execv('a', [])", "# coding: utf-7\n",
     "getattr(a, b)()"],
)  # fmt: skip
def test_what_cannot_be_known_is_a_gap(text: str):
    assert read_python_code(text).gaps


def test_ordinary_code_has_no_gap():
    text = "import json, re, sys\nre.compile('a')\ngetattr(x, 'name')\nprint(json.load(sys.stdin)['a'])\n"
    assert read_python_code(text).gaps == ()


def test_a_module_is_looked_for_with_every_package_on_the_way():
    found = list(iter_module_files("a.b", ("/p",), "/p"))
    assert {"/p/a.py", "/p/a/__init__.py", "/p/a/b.py", "/p/a/b/__init__.py"} <= set(found)
    assert "/p/x/__init__.py" in iter_module_files(".y", ("/p",), "/p/x")
    assert "/p/y.py" in iter_module_files("..y", ("/p",), "/p/x")
    assert is_of_python("os.path")
    assert not is_of_python("requests")
