"""Compiles `native/dispatch.c` when a C compiler is there; without one the Python client is installed instead."""

import os
import shutil
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


class DispatchHook(BuildHookInterface):
    """Adds the compiled dispatcher to a wheel, also to an editable one."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version != "editable":
            build_data["force_include"].update(case_files(root))
        target = root / "src" / "synaptic" / "_native" / "dispatch"
        built = compile_dispatch(root / "native" / "dispatch.c", target, self.metadata.version)
        if built is None:
            target.unlink(missing_ok=True)
            self.app.display_warning("dispatch was not compiled (no working C compiler): the Python client is used")
            return
        self.app.display_info(f"dispatch compiled ({built})")
        build_data["artifacts"].append("src/synaptic/_native/dispatch")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag()}"


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


def _runs(program: Path) -> bool:
    """A dispatcher without an engine says so and refuses the call."""
    with tempfile.TemporaryDirectory() as empty:
        try:
            done = subprocess.run(
                [program, "PreToolUse"],
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
