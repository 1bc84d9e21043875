"""What a build's end means."""

import msgspec

from synaptic.model.errand import ErrandResult
from synaptic.model.event import SessionStop
from synaptic.policies.facts import Facts
from synaptic.policies.routing.session_stop_build_check import SessionStopBuildCheck

EVENT = SessionStop(changed_files=("services/a/x.ts", "apps/b/y.ts"))
FACTS = Facts(root="/r")
POLICY = SessionStopBuildCheck(timeout=10)


def concluded(*ends: ErrandResult):
    return POLICY.conclude(EVENT, FACTS, ErrandResult(output=msgspec.json.encode(ends).decode()))


def test_one_errand_builds_every_service_in_the_repository():
    """S2-087, S2-088"""
    verdict = POLICY.check(EVENT, FACTS)
    assert verdict is not None and verdict.errand is not None
    assert verdict.errand.cwd == "/r" and verdict.errand.timeout > 20
    builds = msgspec.json.decode(verdict.errand.argv[-1])
    assert [build["argv"] for build in builds] == [["npm", "run", "build:a"], ["npm", "run", "build:b"]]


def test_success_has_nothing_for_the_model():
    verdict = concluded(ErrandResult(), ErrandResult())
    assert verdict.context == () and verdict.result.follow_up_actions == ()
    assert verdict.messages[1:] == ("A build: success.", "B build: success.")


def test_a_build_that_cannot_run_or_names_no_place_is_told():
    verdict = concluded(ErrandResult(trouble="could not be started: no npm"), ErrandResult(exit=3, output="it broke"))
    assert verdict.messages[1:] == ("A build: could not be started: no npm.", "B build: failed (exit 3).")


def test_no_result_is_a_warning():
    verdict = POLICY.conclude(EVENT, FACTS, ErrandResult(trouble="gave no answer"))
    assert "gave no answer" in verdict.warnings[0] and verdict.messages == ()


def test_a_rehearsal_builds_nothing():
    assert POLICY.conclude(EVENT, FACTS, ErrandResult(trouble="is not run in a rehearsal")).messages == ()
