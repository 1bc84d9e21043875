"""Where skills describe themselves: found by name, the project's own before the user's."""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

import msgspec

from synaptic.files.bounded import read_content
from synaptic.model.errors import LayerError
from synaptic.model.layers import Skill
from synaptic.policies.routing.skill_file import read_skill
from synaptic.store import skills
from synaptic.work.command import CommandContext, ProjectCommand
from synaptic.work.views import View, skill_to_view

SKILL_FOLDERS = (".claude/skills", ".synaptic/skills")
SKILL_FILE = "SKILL.md"
FILE_LIMIT = 1 << 20


class FoundSkills(msgspec.Struct, frozen=True):
    """Skills by name, and what was wrong with the others."""

    skills: tuple[Skill, ...] = ()
    problems: tuple[str, ...] = ()


class ListSkills(ProjectCommand[FoundSkills], frozen=True, kw_only=True):
    """The skills that a project sees, by name."""

    method: ClassVar[str] = "skills.list"

    def run(self, context: CommandContext) -> FoundSkills:
        return list_skills(context.caller.root)

    def answer(self, result: FoundSkills) -> View:
        return {"skills": [skill_to_view(one) for one in result.skills], "errors": list(result.problems)}


class CacheSkills(ProjectCommand[FoundSkills], frozen=True, kw_only=True):
    """Read skills' files again; what cannot be read keeps the others from nothing."""

    method: ClassVar[str] = "skills.cache"

    paths: tuple[str, ...] = ()
    """Their files; without any, all that the project sees."""

    def run(self, context: CommandContext) -> FoundSkills:
        root = context.require_project()
        found = read_skills(map(Path, self.paths)) if self.paths else list_skills(root)
        skills.remember_skills(context.require_durable_store(), root, found.skills, time.time())
        return found

    def answer(self, result: FoundSkills) -> View:
        return {"cached": len(result.skills), "errors": list(result.problems)}


def find_skill(root: str, name: str) -> Skill | None:
    """The skill of a name; None when no file describes it. Raises LayerError for a file that cannot be read."""
    for folder in _list_folders(root):
        if (path := folder / name / SKILL_FILE).is_file():
            return msgspec.structs.replace(read_skill_file(path), name=name)
    known = (skill for skill in list_skills(root).skills if skill.name.casefold() == name.casefold())
    return next(known, None)


def find_readable_skill(root: str, name: str) -> Skill | None:
    """The same as its file is now; one that can no longer be read keeps nobody from working."""
    try:
        return find_skill(root, name)
    except LayerError:
        return None


def list_skills(root: str) -> FoundSkills:
    """Every skill that a project sees, sorted; of two with one name the first folder's counts."""
    return read_skills(path for folder in _list_folders(root) for path in sorted(folder.glob(f"*/{SKILL_FILE}")))


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


def _list_folders(root: str) -> tuple[Path, ...]:
    homes = dict.fromkeys((Path(root), Path.home()) if root else (Path.home(),))
    return tuple(home / folder for home in homes for folder in SKILL_FOLDERS)
