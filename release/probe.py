"""The trial of an installation: up in an empty HOME, one command refused, down again, nothing left running."""

import json
import os
import subprocess  # noqa: TID251  the installed program is run as people run it
import tempfile
import zipfile
from pathlib import Path

from hatch_build import find_runner

from release.build import ReleaseError, run
from release.inspect import DISPATCH, find_processor

DENIED = "rm -rf /"
"""Only ever asked about."""
DENIED_EXIT = 2


def probe(program: Path, home: Path, *, is_native: bool) -> str:
    """What was seen. Raises ReleaseError for the first thing that is not as it should be."""
    home.mkdir(parents=True)
    env = {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
    version = run([str(program), "--version"], env=env, cwd=home, timeout=60).strip()
    try:
        told = json.loads(run([str(program), "up", "--json"], env=env, cwd=home, timeout=120))
        kind = find_kind(home / ".synaptic" / "bin" / "dispatch")
        if not told["ok"] or kind != ("native" if is_native else "python"):
            raise ReleaseError(f"`synaptic up`: ok is {told['ok']}, the dispatcher is {kind}")
        check = subprocess.run(
            [str(program), "check", DENIED], env=env, cwd=home, capture_output=True, timeout=60, check=False
        )
        if check.returncode != DENIED_EXIT:
            raise ReleaseError(f"`synaptic check '{DENIED}'` ended with {check.returncode}, not {DENIED_EXIT}")
    finally:
        run([str(program), "down"], env=env, cwd=home, timeout=60)
    if (home / ".synaptic" / "bin" / "dispatch").exists():
        raise ReleaseError("`synaptic down` has left the dispatcher")
    return f"{version}: up in {told['event']['milliseconds']:.1f} ms by a {kind} dispatcher, a deletion denied, down"


def find_kind(dispatch: Path) -> str:
    """Whether a dispatcher is a program or a script."""
    return "native" if dispatch.read_bytes()[:4] in (b"\x7fELF", b"\xcf\xfa\xed\xfe") else "python"


def check_foreign_wheel(wheel: Path) -> str:
    """Whether the dispatcher in a wheel answers, also under an emulator; where nothing runs it, its header must do."""
    processor = find_processor(wheel)
    runner = find_runner(processor)
    if runner is None:
        return f"its dispatcher cannot be run here (no qemu-{processor}); its header needs nothing"
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        program = Path(archive.extract(DISPATCH, folder))
        program.chmod(0o755)
        command = [*runner, str(program), "PreToolUse"]
        env = {"SYNAPTIC_HOME": folder, "PATH": os.environ.get("PATH", "")}
        done = subprocess.run(command, input=b"{}", env=env, capture_output=True, timeout=60, check=False)
    if done.returncode != DENIED_EXIT or b"could not be checked" not in done.stderr:
        raise ReleaseError(f"the dispatcher of {wheel.name} says {done.stderr!r} and ends with {done.returncode}")
    return f"its dispatcher runs{' under ' + Path(runner[0]).name if runner else ''}"
