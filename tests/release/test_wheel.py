"""A wheel from the source distribution: what its tag says is true, and it installs where there is no compiler."""

import json
import shutil
import struct
import subprocess
import zipfile
from pathlib import Path

import hatch_build
import pytest
from release.build import ReleaseError, build_wheels
from release.inspect import DISPATCH, find_problems, find_processor
from release.probe import check_foreign_wheel

from tests.release.bare_machine import COMPILERS, BareMachine, can_be_made
from tests.release.conftest import give_up


def test_what_is_built_is_what_it_says(sdist: Path, wheel: Path) -> None:
    assert find_problems(sdist) == []
    assert find_problems(wheel) == []
    assert wheel.name.endswith(f".musllinux_1_1_{find_processor(wheel)}.whl")
    assert check_foreign_wheel(wheel) == "its dispatcher runs"


def test_a_wheel_for_the_other_processor_carries_a_program_for_it(sdist: Path, tmp_path: Path) -> None:
    if not shutil.which("aarch64-linux-gnu-gcc"):
        give_up("no compiler for arm64; type: apt install gcc-aarch64-linux-gnu")
    (wheel,) = build_wheels(sdist, tmp_path, ("aarch64",))
    assert find_problems(wheel) == []
    assert find_processor(wheel) == "aarch64"
    with zipfile.ZipFile(wheel) as archive:
        assert "another processor" in hatch_build.find_needs(archive.read(DISPATCH), "x86_64")
    check_foreign_wheel(wheel)


def test_a_processor_that_nobody_can_compile_for_is_said_and_no_wheel_is_made(sdist: Path, tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="riscv64: one of x86_64, aarch64 is possible"):
        build_wheels(sdist, tmp_path, ("riscv64",))
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_needs_a_loader_gets_no_portable_wheel(tmp_path: Path) -> None:
    if not shutil.which("cc"):
        give_up("no C compiler")
    source, made = tmp_path / "a.c", tmp_path / "a"
    source.write_text("int main(void) { return 0; }")
    subprocess.run(["cc", str(source), "-o", str(made)], check=True)
    (machine,) = struct.unpack_from("<H", made.read_bytes(), 18)
    processor = next(name for name, number in hatch_build.PROCESSORS.items() if number == machine)
    assert "libraries" in hatch_build.find_needs(made.read_bytes(), processor)
    assert hatch_build.find_needs(b"#!/bin/sh\n", processor) == "no 64-bit ELF program"


def rebuild(wheel: Path, folder: Path, change: dict[str, bytes | None], name: str = "") -> Path:
    """The wheel with other content of some members, or without them."""
    made = folder / (name or wheel.name)
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(made, "w") as new:
        for member in old.infolist():
            content = change.get(member.filename, old.read(member))
            if content is not None:
                new.writestr(member, content)
    return made


def test_a_wheel_that_is_not_what_it_says_is_not_published(wheel: Path, tmp_path: Path) -> None:
    without = rebuild(wheel, tmp_path, {DISPATCH: None})
    assert "the dispatcher is missing" in find_problems(without)
    script = rebuild(wheel, tmp_path, {DISPATCH: b"#!/bin/sh\n"})
    assert f"{DISPATCH} is not what RECORD says" in find_problems(script)
    assert any("no 64-bit ELF" in problem for problem in find_problems(script))
    plain = rebuild(wheel, tmp_path, {}, "synaptic_hooks-0.1.0-py3-none-any.whl")
    assert any(problem.startswith("its name says") for problem in find_problems(plain))


def test_a_wheel_installs_and_guards_on_a_machine_without_a_compiler(shelf: Path, tmp_path: Path) -> None:
    if why := can_be_made():
        give_up(why)
    machine = BareMachine(tmp_path / "root")
    assert machine.run("sh", "-c", "command -v sh").stdout == "/usr/bin/sh\n"
    for name in COMPILERS:
        assert machine.run("sh", "-c", f"command -v {name}").returncode != 0, f"{name} is there"
    shutil.copytree(shelf, machine.root / "shelf")
    install = (
        f"set -e; {machine.python} -m venv /home/you/venv; cd /home/you; "
        "venv/bin/python -m pip install --quiet --no-compile --no-index --find-links /shelf synaptic-hooks"
    )
    done = machine.run("sh", "-c", install)
    assert done.returncode == 0, done.stderr
    # One life of the machine: the daemon that `up` starts ends with it.
    done = machine.run(
        "sh", "-c", "cd /home/you; venv/bin/synaptic up --json; venv/bin/synaptic check 'rm -rf /'; echo $?"
    )
    told, denied = done.stdout.partition("\n}\n")[0] + "}", done.stdout.rstrip().rpartition("\n")[2]
    assert json.loads(told)["ok"] is True, done.stderr
    assert denied == "2"
    assert (machine.root / "home/you/.synaptic/bin/dispatch").read_bytes()[:4] == b"\x7fELF"
    done = machine.run("sh", "-c", "cd /home/you; venv/bin/synaptic down")
    assert done.returncode == 0, done.stderr
    assert not (machine.root / "home/you/.synaptic/bin/dispatch").exists()
