"""Replay against generated sessions, and against deciding the same events anew under the other config."""

from pathlib import Path

import msgspec
import pytest

from synaptic.daemon.client import new_call_id
from synaptic.engine.past_catalog import CatalogChange
from synaptic.engine.replay import ReplayedEvent, Standing, is_same
from synaptic.model.call import Request
from tests.daemon.setting import Setting
from tests.engine.calls import sample_calls
from tests.engine.replay_campaign import describe_flip, run_campaign
from tests.engine.replaying import answer_all, replay
from tests.engine.sessions import make_repository

EVENTS = 2_000
EVERY = 31
"""One in so many calls of the corpora and of the cases of policies."""
RULE = '[[rule]]\nid = "our.curl"\nrun = "curl"\nthen = "deny"\nsay = "use the mirror"\n'
PLAIN, STRICT = 'trust = "all"\n', 'trust = "all"\npresets = ["strict"]\n'
OFF = f'{PLAIN}[policies."files.recursive-deletion"]\nenabled = false\n[policies."git.force-push"]\nenabled = false\n'
CHANGES = {
    "a policy off": (PLAIN, CatalogChange(disable=("files.recursive-deletion",))),
    "a preset off": (STRICT, CatalogChange(disable=("@strict",), enable=("@essentials",))),
    "policies on": (OFF, CatalogChange(enable=("files.recursive-deletion", "git.force-push"))),
    "an option": (
        PLAIN,
        CatalogChange(settings=(('policies."git.force-push".protected', '["release/*", "feature/*"]'),)),
    ),
    "another config": (PLAIN, CatalogChange(config='presets = []\n[policies."git.reset-hard"]\nenabled = true\n')),
    "a rule": (PLAIN, CatalogChange(rules=RULE)),
}
"""The config before, and the change. A preset that was off needs facts that nobody looked up: those are not exact."""
CALLS = (
    "git push --force origin release/1",
    "git push -f",
    "rm -rf src ../other",
    "curl example.org",
    "git reset --hard",
)


def test_with_nothing_changed_generated_sessions_are_decided_as_they_were(tmp_path: Path):
    """Far more of them: `python -m tests.engine.replay_campaign`."""
    result = run_campaign(tmp_path, EVENTS, seed=1)
    assert result.standings.total() == EVENTS
    assert [line for one in result.flips for line in describe_flip(one)] == []
    # A few cases have tokens in them, and some stops are judged by what the session has changed.
    assert result.standings["exact"] > 0.9 * EVENTS
    assert len(result.kinds) >= 5
    assert result.lifted > 0


def make_requests(setting: Setting) -> list[Request]:
    """Calls that depend on no other: each is in a session of its own."""
    calls = [*(("Bash", {"command": command}) for command in CALLS), *sample_calls(str(setting.project), EVERY)]
    return [
        setting.request(tool_name=tool, tool_input=given, session_id=f"s{number}", tool_use_id=f"t{number}")
        for number, (tool, given) in enumerate(calls)
    ]


def decide_anew(setting: Setting, requests: list[Request], config: str) -> list[ReplayedEvent]:
    """The same calls through an engine that has seen none of them."""
    for file in setting.home.database.parent.glob(f"{setting.home.database.name}*"):
        file.unlink()
    setting.config(config)
    answer_all(setting, [msgspec.structs.replace(request, id=new_call_id()) for request in requests])
    return replay(setting)


@pytest.mark.parametrize("name", CHANGES)
def test_flips_are_those_of_deciding_every_event_anew(tmp_path: Path, name: str):
    config, change = CHANGES[name]
    setting = Setting(tmp_path)
    make_repository(setting.project)
    requests = make_requests(setting)
    before = decide_anew(setting, requests, config)
    replayed = replay(setting, change)
    anew = [one.entry.decision for one in decide_anew(setting, requests, change.edit(config))]
    assert len(before) == len(replayed) == len(anew) == len(requests)
    exact = [number for number, one in enumerate(replayed) if one.standing is Standing.EXACT]
    flips = {number for number in exact if replayed[number].flips}
    assert flips == {number for number in exact if not is_same(before[number].entry.decision, anew[number])}
    different = [
        (requests[number].stdin, now, anew[number])
        for number in exact
        if (now := replayed[number].decision) is not None and not is_same(now, anew[number])
    ]
    assert different == []
    assert flips
