"""`python -m release`, behind `make dist`: build, check, install each in an empty place, and try it there."""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from hatch_build import PROCESSORS

from release.build import ROOT, ReleaseError, build_sdist, build_wheels
from release.formula import fill_formula
from release.inspect import find_problems
from release.places import list_places
from release.probe import check_foreign_wheel, probe


def main() -> int:
    """Exit code 1 when anything that was built does not work; the last line says why."""
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    parser.add_argument("--into", type=Path, default=ROOT / "dist", help="the folder, which is emptied first")
    parser.add_argument("--processor", action="append", choices=tuple(PROCESSORS), help="only these wheels")
    parser.add_argument("--url", default="", help="where the source distribution will lie, for the Homebrew formula")
    parser.add_argument("--homepage", default="", help="the project's page, for the formula")
    parser.add_argument("--skip-install", action="store_true", help="build and check only")
    given = parser.parse_args()
    try:
        sdist, wheels = _build_all(given.into, tuple(given.processor or PROCESSORS))
        fill_formula(sdist, given.url, given.homepage)
        if not given.skip_install:
            _try_all(sdist, wheels)
    except ReleaseError as error:
        say(f"FAILED: {error}")
        return 1
    say("everything that was built is as it should be")
    return 0


def _build_all(folder: Path, processors: tuple[str, ...]) -> tuple[Path, tuple[Path, ...]]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    say(f"source distribution into {folder}")
    sdist = build_sdist(folder)
    say(f"wheels from {sdist.name}, for {', '.join(processors)}")
    wheels = build_wheels(sdist, folder, processors)
    for file in (sdist, *wheels):
        problems = find_problems(file)
        if problems:
            raise ReleaseError(f"{file.name}: {'; '.join(problems)}")
        say(f"  {file.name}: {file.stat().st_size // 1024} KiB, as it says")
    return sdist, wheels


def _try_all(sdist: Path, wheels: tuple[Path, ...]) -> None:
    with tempfile.TemporaryDirectory(prefix="syn-") as empty:
        for number, (place, file) in enumerate(list_places(sdist, wheels, Path(empty) / "tools", say)):
            started = time.monotonic()
            say(f"{place.name}: {file.name}")
            program = place.install(file, Path(empty) / str(number))
            told = probe(program, Path(empty) / f"h{number}", is_native=True)
            say(f"  {told} ({time.monotonic() - started:.0f} s)")
    for wheel in wheels:
        say(f"{wheel.name}: {check_foreign_wheel(wheel)}")


def say(text: str) -> None:
    """One line, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
