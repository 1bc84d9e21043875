"""Where skills describe themselves: found by name, the project's own before the user's."""

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from synaptic.files.bounded import read_content
from synaptic.files.snapshot import iter_names
from synaptic.model.errors import LayerError
from synaptic.model.layers import Skill
from synaptic.policies.routing.skill_file import read_skill

SKILL_NAME = re.compile(r"[\w][\w.:-]{0,99}")
SKILL_FOLDERS = (".claude/skills", ".synaptic/skills")
SKILL_FILE = "SKILL.md"
FILE_LIMIT = 1 << 20


class FoundSkills(msgspec.Struct, frozen=True):
    """Skills by name, and what was wrong with the others."""

    skills: tuple[Skill, ...] = ()
    problems: tuple[str, ...] = ()


def find_skill(root: str, name: str) -> Skill | None:
    """The skill of a name; None when no file describes it. Raises LayerError for a file that cannot be read."""
    if found := find_named_skill(root, name):
        return found
    known = (skill for skill in list_skills(root).skills if skill.name.casefold() == name.casefold())
    return next(known, None)


def find_named_skill(root: str, name: str, home: str = "") -> Skill | None:
    """The skill whose folder has this name. Raises LayerError for a file that cannot be read."""
    for folder in _list_folders(root, home):
        if SKILL_NAME.fullmatch(name) and (path := folder / name / SKILL_FILE).is_file():
            return msgspec.structs.replace(read_skill_file(path), name=name)
    return None


def find_readable_skill(root: str, name: str) -> Skill | None:
    """The same as its file is now; one that can no longer be read keeps nobody from working."""
    try:
        return find_skill(root, name)
    except LayerError:
        return None


def list_skills(root: str) -> FoundSkills:
    """Every skill that a project sees, sorted; of two with one name the first folder's counts."""
    files = (folder / name / SKILL_FILE for folder in _list_folders(root) for name in iter_names(str(folder)))
    return read_skills(path for path in files if path.is_file())


def read_skills(paths: Iterable[Path]) -> FoundSkills:
    """The skills of some files. What cannot be read is a problem and keeps nobody else out."""
    found: dict[str, Skill] = {}
    problems: list[str] = []
    for path in paths:
        try:
            skill = read_skill_file(path)
            found.setdefault(skill.name, skill)
        except LayerError as error:
            problems.append(str(error))
    return FoundSkills(tuple(found[name] for name in sorted(found)), tuple(problems))


def read_skill_file(path: Path) -> Skill:
    """What one file says. Raises LayerError."""
    from synaptic.hooks.document import load_yaml  # noqa: PLC0415  YAML: nothing that every log should wait for

    content = read_content(str(path), FILE_LIMIT)
    if not isinstance(content, bytes):
        raise LayerError("NOT_FOUND", content.why if content else "No such file or directory", where=str(path))
    return read_skill(content.decode("utf-8", "replace"), str(path), load_yaml)


def _list_folders(root: str, home: str = "") -> tuple[Path, ...]:
    user = Path(home) if home else Path.home()
    homes = dict.fromkeys((Path(root), user) if root else (user,))
    return tuple(home / folder for home in homes for folder in SKILL_FOLDERS)
