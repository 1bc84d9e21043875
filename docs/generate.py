"""`python -m docs.generate`: write everything that is made from code, or with `--check` say what is stale."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from docs.pages import (
    agents,
    attempts,
    commands,
    config,
    events,
    methods,
    plugin,
    policies,
    readme,
    recipes,
    requirements,
    typescript,
)

ROOT = Path(__file__).parents[1]
FOLDERS = (Path("docs/reference"), Path("plugin"), Path("recipes"))
"""Nothing but generated files lives there."""
ROOMS = (
    policies,
    events,
    agents,
    config,
    commands,
    methods,
    requirements,
    attempts,
    readme,
    recipes,
    plugin,
    typescript,
)


def main() -> int:
    """Exit code 1 when `--check` finds a page that is not what the code says."""
    parser = argparse.ArgumentParser(prog="python -m docs.generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when something is stale")
    check = parser.parse_args().check
    pages = generated()
    stale = outdated(ROOT, pages)
    if not check:
        write(ROOT, pages)
    verb = "is stale" if check else "written"
    sys.stdout.write("".join(f"{verb}: {path}\n" for path in stale))
    if check and stale:
        sys.stdout.write("type: make gen\n")
    return int(check and bool(stale))


def generated() -> Mapping[str, str]:
    """Every page by its path, whatever is on disk."""
    return {path: text for room in ROOMS for path, text in room.pages()}


def outdated(root: Path, pages: Mapping[str, str]) -> list[str]:
    """Paths whose file differs, is missing, or should not be there any more."""
    changed = [path for path, text in pages.items() if _text(root / path) != text]
    return changed + [path for path in present(root) if path not in pages]


def write(root: Path, pages: Mapping[str, str]) -> None:
    """Bring the files in line with the pages; scripts are made executable."""
    for path in present(root):
        if path not in pages:
            (root / path).unlink()
    for path, text in pages.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
        if text.startswith("#!"):
            (root / path).chmod(0o755)


def present(root: Path) -> list[str]:
    """What is in the folders of generated files."""
    found = (file for folder in FOLDERS for file in (root / folder).rglob("*") if file.is_file())
    return sorted(file.relative_to(root).as_posix() for file in found)


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main())
