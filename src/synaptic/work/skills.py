"""The skills that a project sees: listed, and read again."""

import time
from pathlib import Path
from typing import ClassVar

from synaptic.hooks.skill_files import FoundSkills, list_skills, read_skills
from synaptic.store import skills
from synaptic.work.command import CommandContext, ProjectCommand
from synaptic.work.views import View, skill_to_view


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
