"""Which files a hook would run, and what is told as not covered."""

import pytest

from synaptic.hooks.coverage import HookCoverage, find_coverage
from synaptic.model.hook import Command, HttpEndpoint, PythonFunction
from tests.hooks.projects import Project


def cover(project: Project, command: str) -> HookCoverage:
    return find_coverage(Command(shell=command, cwd=project.root), project.root)


def relative(project: Project, found: HookCoverage) -> list[str]:
    return [path.removeprefix(f"{project.root}/") for path in found.files]


@pytest.mark.parametrize(
    "command", ["jq -r .tool | grep -q Bash && exit 2", "echo a >> log; cat log", "date | tee -a log", "exit 0"]
)
def test_ordinary_commands_cover_nothing_and_leave_no_gap(project: Project, command: str):
    project.write("log", "old")
    assert cover(project, command) == HookCoverage()


def test_data_of_a_script_is_no_part_of_it(project: Project):
    project.script(
        "x.sh", '#!/bin/sh\ncat "$SYNAPTIC_ROOT/state" >> "$SYNAPTIC_ROOT/log"\necho a >> "$SYNAPTIC_ROOT/log"\n'
    )
    found = cover(project, "./x.sh")
    assert (relative(project, found), found.gaps) == (["x.sh"], ())


def test_scripts_of_scripts_are_covered_in_the_order_they_are_met(project: Project):
    project.script("a.sh", '#!/bin/sh\n. "$(dirname "$0")/b.sh"\n')
    project.write("b.sh", 'sh "$SYNAPTIC_PROJECT_ROOT/c.sh"\n')
    project.write("c.sh", "echo c\n")
    assert relative(project, cover(project, "./a.sh")) == ["a.sh", "b.sh", "c.sh"]


def test_a_script_that_looks_into_the_folder_of_the_event_is_told(project: Project):
    script = project.script("a.sh", "#!/bin/sh\n. ./lib.sh\n")
    found = find_coverage(Command(argv=(str(script),)), project.root)
    assert "looked for in the folder of each event" in found.gaps[0]


def test_a_python_function_brings_its_imports(project: Project):
    project.write("h/lib.py", "import json\n")
    file = project.write("h/x.py", "import lib, re\ndef run(event): ...\n")
    found = find_coverage(PythonFunction(str(file), "run"), project.root)
    assert (relative(project, found), found.gaps) == (["h/x.py", "h/lib.py"], ())
    assert f"{project.root}/h" in found.folders


def test_a_folder_that_runs_is_covered_whole(project: Project):
    project.script("h/a", "#!/bin/sh\n")
    project.write("h/sub/b", "x")
    found = cover(project, "run-parts h")
    assert {"h/a", "h/sub/b"} <= set(relative(project, found))
    assert f"{project.root}/h/sub" in found.folders


def test_gaps_say_what_and_never_where_the_project_is(project: Project):
    project.write("h/x.py", "exec(input())")
    found = cover(project, "python3 h/x.py; pytest -q; $TOOL run")
    expected = {"what `$TOOL` is", "h/x.py calls exec (line 1)", "which files of the project `pytest` runs"}
    assert expected <= set(found.gaps)
    assert not any(project.root in gap for gap in found.gaps)


def test_text_that_never_ends_is_told(project: Project):
    project.script("a.sh", "#!/bin/sh\n" + "\n".join(f". ./{number}.sh" for number in range(2000)))
    assert any("to its end" in gap or "more files" in gap for gap in cover(project, "./a.sh").gaps)


def test_a_script_that_runs_itself_ends(project: Project):
    project.script("a.sh", '#!/bin/sh\n"$0"\n. "$0"\n')
    assert relative(project, cover(project, "./a.sh")) == ["a.sh"]


def test_an_address_runs_no_file(project: Project):
    assert find_coverage(HttpEndpoint("http://127.0.0.1:1/"), project.root) == HookCoverage()
