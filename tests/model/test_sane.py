from synaptic.model import sane
from synaptic.model.state import State


def test_a_fresh_state_is_exactly_what_is_written_down() -> None:
    """S1-140, S1-128 (circuit_breaker), S1-079 (enforcement)"""
    fresh = {name.removeprefix("project:"): sane.read_section(State(), name) for name in sane.SECTIONS}
    assert fresh == {
        "circuit_breaker": {
            "failures": 0,
            "tripped": False,
            "tripped_at": None,
            "last_error": None,
            "error_signatures": {},
        },
        "requirements": {"requested": [], "satisfied": [], "is_task": False, "is_big_task": False},
        "research": {"memory": None, "docs": None, "web": None, "github": None, "local": None},
        "edits": {"count": 0, "unique_files": [], "last_file": None},
        "saneloop": {
            "active": False,
            "task": None,
            "iteration": 0,
            "max_iterations": 20,
            "acceptance_criteria": [],
            "started_at": None,
        },
        "enforcement": {"blocks": [], "halted": False, "halted_at": None, "halted_reason": None},
        "action_log": {"entries": []},
        "learnings": {"entries": []},
    }


def test_a_section_of_an_older_version_gets_the_fields_it_lacks() -> None:
    """S1-143"""
    old = State({sane.CIRCUIT_BREAKER: {"failures": 2, "tripped": True}})
    assert sane.read_section(old, sane.CIRCUIT_BREAKER)["error_signatures"] == {}
    assert sane.read_section(old, sane.CIRCUIT_BREAKER)["failures"] == 2


def test_whoever_changes_what_was_read_changes_no_default() -> None:
    """S1-143"""
    signatures = sane.read_section(State(), sane.CIRCUIT_BREAKER)["error_signatures"]
    assert isinstance(signatures, dict)
    signatures["X"] = 1
    assert sane.default_section(sane.CIRCUIT_BREAKER)["error_signatures"] == {}


def test_a_forged_section_says_what_no_forger_wants() -> None:
    """S1-151"""
    forged = State({}, frozenset({*sane.SECTIONS, sane.SAFEMODE}))
    assert sane.read_section(forged, sane.CIRCUIT_BREAKER)["tripped"] is True
    assert sane.read_section(forged, sane.SAFEMODE)["active"] is True
    assert sane.read_section(forged, sane.REQUIREMENTS)["is_task"] is True
    assert not any(sane.read_section(forged, sane.RESEARCH).values())
    assert sane.read_section(forged, sane.SANELOOP)["active"] is False
