"""Efforts in words."""

import msgspec

from synaptic.model.layers import Effort, Skill
from synaptic.store.windows import ContextWindow
from synaptic.work.beginnings import BegunEffort, describe_begun

EFFORT = Effort(id=3, task="/r/.tasks/t", project=1, skill="build", ordinal=2, metadata={"phases": ["0: A", "1: B"]})
BEGUN = BegunEffort(effort=EFFORT, window=ContextWindow(session=7), resumed=False)


def test_a_start_names_the_log_with_its_ordinal():
    """S3-195, S3-205, S3-D09"""
    skill = Skill(name="build", next_skills=("test", "review"))
    text = describe_begun(msgspec.structs.replace(BEGUN, skill=skill, debriefs=("/r/.tasks/t/1_BRAINSTORM.md",)))
    assert text == (
        "Effort 3 started: build (number 2 of /r/.tasks/t), session 7.\n"
        "Log: /r/.tasks/t/2_BUILD_LOG.md\n"
        "Phase: none, next '0: A' (0: A; 1: B)\n"
        "Prior debriefs:\n- /r/.tasks/t/1_BRAINSTORM.md\n"
        "Next skills: test, review"
    )


def test_what_there_is_none_of_is_said():
    """S3-205"""
    plain = msgspec.structs.replace(EFFORT, metadata={})
    text = describe_begun(msgspec.structs.replace(BEGUN, effort=plain))
    assert "Phase: none (the skill has no SKILL.md here: any label goes)" in text
    assert "Prior debriefs: (none)" in text
    assert "Next skills: (none)" in text


def test_a_return_tells_what_the_last_window_left():
    """S3-206"""
    payload = '{"summary": "did much", "lastAction": "l", "nextSteps": ["go on"], "requiredFiles": ["a.py"]}'
    window = ContextWindow(session=8, previous=7, payload=payload)
    last = msgspec.structs.replace(EFFORT, phase="1: B", mode="fast")
    text = describe_begun(
        BegunEffort(effort=last, window=window, resumed=True, artifacts=("/r/.tasks/t/2_BUILD_LOG.md",))
    )
    assert "Effort 3 resumed: build, mode fast" in text
    assert "Phase: 1: B (the last one)" in text
    assert "Artifacts:\n- /r/.tasks/t/2_BUILD_LOG.md" in text
    assert "did much" in text
    assert "- go on" in text
    assert text.endswith("Required files:\n- a.py")


def test_a_window_that_is_still_open_is_said_to_be():
    text = describe_begun(msgspec.structs.replace(BEGUN, window=ContextWindow(session=7, opened=False), resumed=True))
    assert "session 7, still open" in text
