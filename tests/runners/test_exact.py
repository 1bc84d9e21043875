"""A file is run by the bytes that were compared, and does not notice."""

import hashlib
import os
from pathlib import Path

import pytest

from synaptic.runners.exact import ChangedContentError, bind_file, open_content
from synaptic.runners.processes import LaunchPlan, StandardStreams, start_process


def accept(path: Path) -> dict[str, frozenset[str]]:
    return {str(path): frozenset({hashlib.sha256(path.read_bytes()).hexdigest()})}


def run_exchanged(path: Path, *, shell: str = "") -> tuple[str, int]:
    """Bind the file, exchange it, then run: what it prints and its exit code."""
    exact = bind_file(() if shell else (str(path), "a", "b c"), shell, accept(path), str(path.parent))
    path.write_text("#!/bin/sh\necho EVIL\n")
    plan = LaunchPlan(exact.argv, dict(os.environ), str(path.parent), "m", str(path), exact.content, exact.executable)
    reader, writer = os.pipe()
    stdin, feed = os.pipe()
    os.write(feed, b"event\n")
    os.close(feed)
    process = start_process(plan, StandardStreams(stdin, writer, writer))
    os.close(writer)
    os.close(stdin)
    with os.fdopen(reader) as out:
        return out.read(), process.wait()


SCRIPTS = {
    "sh": '#!/bin/sh -e\necho "$0|$(dirname "$0")|$1|$2"; cat; exit 3\n',
    "no first line": 'echo "$0|$(dirname "$0")|$1|$2"; cat; exit 3\n',
    "bash": '#!/usr/bin/env bash\nset -euo pipefail\necho "${BASH_SOURCE[0]}|$(dirname "$0")|$1|$2"; cat; exit 3\n',
    "python": (
        "#!/usr/bin/env python3\nimport sys\nprint(__file__, sys.path[0], *sys.argv[1:], sep='|')\n"
        "print(sys.stdin.read(), end='')\nassert __name__ == '__main__'\nsys.exit(3)\n"
    ),
    "perl": '#!/usr/bin/perl\nuse FindBin; print join("|", $0, $FindBin::Bin, @ARGV), "\\n"; print <STDIN>; exit 3;\n',
    "node": (
        "#!/usr/bin/env node\nconsole.log([__filename, __dirname, ...process.argv.slice(2)].join('|'));\n"
        "process.stdout.write(require('fs').readFileSync(0)); process.exitCode = require.main === module ? 3 : 1\n"
    ),
}


@pytest.mark.parametrize("kind", SCRIPTS)
def test_a_script_runs_as_it_was_and_sees_its_own_place(tmp_path: Path, kind: str):
    path = tmp_path / "x.sh"
    path.write_text(SCRIPTS[kind])
    path.chmod(0o755)
    assert run_exchanged(path) == (f"{path}|{tmp_path}|a|b c\nevent\n", 3)


@pytest.mark.parametrize("shell", ["sh x.sh a 'b c'", "./x.sh a 'b c'", '"$SYNAPTIC_PROJECT_ROOT"/x.sh a "b c"'])
def test_text_that_is_one_plain_command_runs_by_its_bytes_too(tmp_path: Path, shell: str):
    path = tmp_path / "x.sh"
    path.write_text('#!/bin/sh\necho "$1|$2"\n')
    path.chmod(0o755)
    assert run_exchanged(path, shell=shell) == ("a|b c\n", 0)


@pytest.mark.parametrize(
    "shell", ["sh x.sh | cat", "cd . && sh x.sh", "A=1 sh x.sh", "sh x.sh > out", "echo $(sh x.sh)"]
)
def test_other_text_goes_to_a_shell(tmp_path: Path, shell: str):
    (tmp_path / "x.sh").write_text("")
    assert bind_file((), shell, {}, str(tmp_path)).argv == ("/bin/sh", "-c", shell)


def test_a_program_in_machine_code_runs_by_its_bytes(tmp_path: Path):
    path = tmp_path / "tool"
    path.write_bytes(Path("/bin/echo").read_bytes())
    path.chmod(0o755)
    assert run_exchanged(path) == ("a b c\n", 0)


def test_another_content_is_refused(tmp_path: Path):
    path = tmp_path / "x.sh"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    accepted = accept(path)
    path.write_text("#!/bin/sh\necho EVIL\n")
    for argv, shell in (((str(path),), ""), ((), "sh x.sh"), ((), "./x.sh")):
        with pytest.raises(ChangedContentError):
            bind_file(argv, shell, accepted, str(tmp_path))


def test_a_file_that_is_missing_or_must_not_run_is_said_as_exec_says_it(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        bind_file((f"{tmp_path}/gone.sh",), "", {}, str(tmp_path))
    path = tmp_path / "x.sh"
    path.write_text("")
    with pytest.raises(PermissionError):
        bind_file((str(path),), "", accept(path), str(tmp_path))


def test_programs_of_the_system_run_as_they_are():
    assert bind_file(("/usr/bin/env", "true"), "", {}, "/").argv == ("/usr/bin/env", "true")
    assert bind_file((), "/bin/cat a", {}, "/").argv == ("/bin/sh", "-c", "/bin/cat a")


def test_what_is_handed_over_cannot_be_changed():
    handle = open_content(b"text")
    with pytest.raises(OSError, match="not permitted"):
        os.write(handle, b"EVIL")
    os.close(handle)
