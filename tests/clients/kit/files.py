"""What an installation did to a home, and whether it is undone."""

from pathlib import Path

Files = dict[Path, bytes]


def files(home: Path) -> Files:
    """The home as it is, but for our own folder."""
    found = (path for path in home.rglob("*") if path.is_file())
    names = ((path.relative_to(home), path) for path in found)
    return {name: path.read_bytes() for name, path in names if name.parts[0] != ".synaptic"}


def changed(before: Files, after: Files) -> set[Path]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def undone(before: Files, ours: set[Path], after: Files) -> str:
    """Whether every file that was touched is as it was, byte for byte, or gone again."""
    if not ours:
        return "nothing was put in"
    left = changed(before, after) & ours
    return f"left behind: {', '.join(map(str, sorted(left)))}" if left else "as before"
