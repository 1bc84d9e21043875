"""Where skills describe themselves: found by name, the project's own before the user's."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from synaptic.model.errors import LayerError
from synaptic.model.layers import Skill
from synaptic.policies.routing.skill_file import read

FOLDERS = (".claude/skills", ".synaptic/skills")
FILE = "SKILL.md"
LIMIT = 1 << 20


class Found(msgspec.Struct, frozen=True):
    """Skills by name, and what was wrong with the others."""

    skills: tuple[Skill, ...] = ()
    problems: tuple[str, ...] = ()


def find(root: str, name: str) -> Skill | None:
    """The skill of a name; None when no file describes it. Raises LayerError for a file that cannot be read."""
    for folder in _folders(root):
        if (path := folder / name / FILE).is_file():
            return msgspec.structs.replace(skill_of(path), name=name)
    known = (skill for skill in every(root).skills if skill.name.casefold() == name.casefold())
    return next(known, None)


def every(root: str) -> Found:
    """Every skill that a project sees, sorted; of two with one name the first folder's counts."""
    return gathered(path for folder in _folders(root) for path in sorted(folder.glob(f"*/{FILE}")))


def gathered(paths: Iterator[Path]) -> Found:
    """The skills of some files. What cannot be read is a problem and keeps nobody else out."""
    skills: dict[str, Skill] = {}
    problems: list[str] = []
    for path in paths:
        try:
            skill = skill_of(path)
            skills.setdefault(skill.name, skill)
        except LayerError as error:
            problems.append(str(error))
    return Found(tuple(skills[name] for name in sorted(skills)), tuple(problems))


def skill_of(path: Path) -> Skill:
    """What one file says. Raises LayerError."""
    from synaptic.hooks.document import load  # noqa: PLC0415  YAML: nothing that every log should wait for

    try:
        with path.open("rb") as file:
            text = file.read(LIMIT)
    except OSError as error:
        raise LayerError("NOT_FOUND", error.strerror or str(error), where=str(path)) from error
    return read(text.decode("utf-8", "replace"), str(path), load)


def _folders(root: str) -> tuple[Path, ...]:
    homes = dict.fromkeys((Path(root), Path.home()) if root else (Path.home(),))
    return tuple(home / folder for home in homes for folder in FOLDERS)
