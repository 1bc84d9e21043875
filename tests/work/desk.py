"""A store, a project with a skill, and whoever works there."""

import asyncio
import json
from pathlib import Path

import pytest

from synaptic.model.errors import LayerError
from synaptic.model.layers import Effort
from synaptic.store.db import Store
from synaptic.store.windows import WorkerIdentity
from synaptic.work.beginnings import BegunEffort, ResumeEffort, StartEffort
from synaptic.work.command import Caller, CommandContext
from synaptic.work.efforts import MoveToPhase, WriteLog
from synaptic.work.handover import Dehydrate, EndedSession
from tests.daemon.setting import Setting

PAYLOAD = json.dumps({"summary": "s", "lastAction": "l", "nextSteps": ["n"]}).encode()
SKILL = '```json\n{"phases": ["0: Setup", "1: Build", "2: Check"], "nextSkills": ["test"]}\n```\n'


class Desk:
    """Commands, as somebody gives them in the project."""

    def __init__(self, setting: Setting) -> None:
        self.store = Store.open(setting.home)
        self.root = setting.project
        file = self.root / ".claude/skills/build/SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(SKILL)

    def context(self, folder: Path | None = None, **who: str) -> CommandContext:
        root = str(folder or self.root)
        return CommandContext(self.store, Caller(root=root, cwd=root, who=WorkerIdentity(**who)))

    def start(self, task: str = "t", skill: str = "build", **who: str) -> BegunEffort:
        return StartEffort(task=task, skill=skill).run(self.context(**who))

    def move(self, effort: Effort, phase: str, reason: str = "") -> Effort:
        return MoveToPhase(effort_id=effort.id, phase=phase, reason=reason).run(self.context()).effort

    def log(self, effort: Effort, text: str, **who: str) -> str:
        return WriteLog(effort_id=effort.id, text=text).run(self.context(**who)).path

    def resume(self, given: dict[str, str], **who: str) -> BegunEffort:
        return ResumeEffort(**given).run(self.context(**who))

    def dehydrate(self, raw: bytes = PAYLOAD, **who: str) -> EndedSession:
        return asyncio.run(Dehydrate(payload=raw).run(self.context(**who)))


def code(work) -> str:
    """The word of the error that some work ends with."""
    with pytest.raises(LayerError) as caught:
        work()
    return caught.value.code
