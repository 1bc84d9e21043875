"""Files that the engine reads for an agent."""

import asyncio
from pathlib import Path

import pytest

from synaptic.model.dehydration import Dehydration, ReadDehydration
from synaptic.model.layers import Effort
from synaptic.work import handover
from tests.daemon.setting import Setting


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    return Setting(tmp_path)


def test_what_a_policy_keeps_from_the_agent_is_left_out_and_said(setting: Setting):
    root = str(setting.project)
    effort = Effort(id=1, task=f"{root}/.tasks/t", project=1, skill="s", ordinal=1)
    names = ("a.py", f"{root}/b.py", "/home/u/.ssh/id_rsa", "../../.aws/credentials")
    given = ReadDehydration(
        Dehydration(summary="s", last_action="l", next_steps=(), required_files=names), ("something before",)
    )
    found = asyncio.run(handover.drop_refused_files(setting.home, root, effort, given))
    assert found.payload.required_files == ("a.py", f"{root}/b.py")
    assert found.warnings[0] == "something before"
    assert len(found.warnings) == 3
    assert "id_rsa left out (secrets.files)" in found.warnings[1]


def test_one_file(setting: Setting):
    root = str(setting.project)
    assert asyncio.run(handover.explain_refused_file(setting.home, root, f"{root}/a.py")) == ""
    assert "secrets.files" in asyncio.run(handover.explain_refused_file(setting.home, root, "/home/u/.ssh/id_rsa"))
