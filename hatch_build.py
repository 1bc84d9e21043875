"""Compiles `native/dispatch.c` when a C compiler is there; without one the Python client is installed instead."""

import os
import platform
import shutil
import struct
import subprocess  # noqa: TID251  a build runs a compiler
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMMON = ("-O2", "-std=c11", "-Wall", "-Wextra")
BARE = (
    "-static",
    "-nostdlib",
    "-ffreestanding",
    "-fno-pie",
    "-no-pie",
    "-fno-stack-protector",
    "-fno-tree-loop-distribute-patterns",
    "-fno-asynchronous-unwind-tables",
    "-U_FORTIFY_SOURCE",
    "-DSYNAPTIC_BARE",
)
VARIANTS = {"without libc": BARE, "static": ("-static",), "dynamic": ()}
"""Best first; each is tried until one compiles and runs."""
TARGET = "SYNAPTIC_TARGET"
"""The processor that a wheel for everybody is built for; unset, a build is for this machine alone."""
PROCESSORS = {"x86_64": 62, "aarch64": 183}
"""Those that `bare.h` can start on, and their numbers in an ELF header."""
PORTABLE_TAG = "manylinux_2_17_{0}.musllinux_1_1_{0}"
"""True of a program that needs no C library at all, and of no other that we build."""
PT_DYNAMIC, PT_INTERP = 2, 3


class DispatchHook(BuildHookInterface):
    """Adds the compiled dispatcher to a wheel, also to an editable one."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version != "editable":
            build_data["force_include"].update(case_files(root))
        target = root / "src" / "synaptic" / "_native" / "dispatch"
        if version != "editable" and (processor := os.environ.get(TARGET)):
            compile_portable(root / "native" / "dispatch.c", target, self.metadata.version, processor)
            self._include(build_data, PORTABLE_TAG.format(processor))
            return
        built = compile_dispatch(root / "native" / "dispatch.c", target, self.metadata.version)
        if built is None:
            target.unlink(missing_ok=True)
            self.app.display_warning("dispatch was not compiled (no working C compiler): the Python client is used")
            return
        self.app.display_info(f"dispatch compiled ({built})")
        self._include(build_data, platform_tag())

    def _include(self, build_data: dict[str, Any], platforms: str) -> None:
        build_data["artifacts"].append("src/synaptic/_native/dispatch")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platforms}"


def case_files(root: Path) -> dict[str, str]:
    """The policies' cases and their place in a wheel: `synaptic self-test` runs them on the installed program."""
    cases = root / "tests" / "policies"
    return {str(file): f"synaptic/_cases/{file.relative_to(cases).as_posix()}" for file in cases.rglob("*.toml")}


def compile_dispatch(source: Path, target: Path, version: str) -> str | None:
    """The variant that compiled and ran; None when there is no compiler, or none did."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler or not source.is_file():
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".dispatch.{os.getpid()}")
    try:
        for name, flags in VARIANTS.items():
            command = [*compile_command(compiler, flags, version), str(source), "-o", str(fresh)]
            if _succeeds(command) and _runs(fresh):
                fresh.replace(target)
                return name
    finally:
        fresh.unlink(missing_ok=True)
    return None


def compile_portable(source: Path, target: Path, version: str, processor: str) -> None:
    """The dispatcher without a C library for a processor, also another one; nothing less will do for everybody."""
    compiler = find_compiler(processor)
    command = [*compile_command(compiler, BARE, version), "-s", str(source), "-o", str(target)]
    target.parent.mkdir(parents=True, exist_ok=True)
    if not _succeeds(command):
        raise RuntimeError(f"dispatch could not be compiled for {processor}; type: {' '.join(command)}")
    if needs := find_needs(target.read_bytes(), processor):
        raise RuntimeError(f"dispatch for {processor} is not what its wheel says: {needs}")
    runner = find_runner(processor)
    if runner is not None and not _runs(target, runner):
        raise RuntimeError(f"dispatch for {processor} was compiled and does not run")


def find_compiler(processor: str) -> str:
    """The compiler for a processor: ours, or Debian's name of one for another. Raises RuntimeError."""
    if processor not in PROCESSORS:
        raise RuntimeError(f"{TARGET}={processor}: one of {', '.join(PROCESSORS)} is possible")
    if processor == platform.machine() and sys.platform == "linux":
        found = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    else:
        found = shutil.which(f"{processor}-linux-gnu-gcc")
    if not found:
        raise RuntimeError(
            f"no compiler for {processor}; type: apt install gcc-{processor.replace('_', '-')}-linux-gnu"
        )
    return found


def find_runner(processor: str) -> tuple[str, ...] | None:
    """What stands before a program of this processor to run it here; None where it cannot be run."""
    if processor == platform.machine() and sys.platform == "linux":
        return ()
    emulator = shutil.which(f"qemu-{processor}-static") or shutil.which(f"qemu-{processor}")
    return (emulator,) if emulator else None


def find_needs(program: bytes, processor: str) -> str:
    """Why a program does not run on every Linux of a processor, by its ELF header; "" when it does."""
    if program[:6] != b"\x7fELF\x02\x01":
        return "no 64-bit ELF program"
    (machine,) = struct.unpack_from("<H", program, 18)
    if machine != PROCESSORS[processor]:
        return f"made for another processor ({machine})"
    (start,) = struct.unpack_from("<Q", program, 32)
    size, count = struct.unpack_from("<HH", program, 54)
    kinds = {struct.unpack_from("<I", program, start + size * one)[0] for one in range(count)}
    return "it needs a loader and libraries" if kinds & {PT_DYNAMIC, PT_INTERP} else ""


def compile_command(compiler: str, flags: tuple[str, ...], version: str) -> list[str]:
    """The compiler with everything but the files; `CC` may carry options of its own."""
    return [*compiler.split(), *COMMON, *flags, f'-DSYNAPTIC_VERSION="{version}"']


def platform_tag() -> str:
    """The platform part of a wheel's name."""
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _succeeds(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=120, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _runs(program: Path, runner: tuple[str, ...] = ()) -> bool:
    """A dispatcher without an engine says so and refuses the call."""
    with tempfile.TemporaryDirectory() as empty:
        try:
            done = subprocess.run(
                [*runner, program, "PreToolUse"],
                input=b"{}",
                env={"SYNAPTIC_HOME": empty},
                capture_output=True,
                timeout=30,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
    return done.returncode == 2 and b"could not be checked" in done.stderr


if __name__ == "__main__":
    here = Path(__file__).parent
    about = (here / "src" / "synaptic" / "__init__.py").read_text()
    number = about.split('__version__ = "')[1].split('"')[0]
    made = compile_dispatch(here / "native" / "dispatch.c", here / "src" / "synaptic" / "_native" / "dispatch", number)
    sys.exit(0 if made else "dispatch was not compiled: no working C compiler")
