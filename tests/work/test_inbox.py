"""What waits for a person: in groups, answered by a person, and never broken by what an agent has put into it."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.cli import screen
from synaptic.model.errors import LayerError, StoreError
from synaptic.model.grant import GrantScope
from synaptic.store import refused
from synaptic.store.db import Store
from synaptic.work.command import Caller, CommandContext, read_command
from synaptic.work.grants import AllowCall, ListGrants
from synaptic.work.inbox import ListInbox, ShowRefusal, UpholdRefusal
from tests.work.refusals import OTHER_PUSH, PUSH, SECRET, WIPE, RefusedAgent


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[RefusedAgent]:
    made = RefusedAgent(tmp_path)
    yield made
    made.close()


def test_refusals_are_grouped_by_policy_and_shape_and_the_newest_comes_first(agent: RefusedAgent):
    first, second = agent.tries(PUSH), agent.tries(OTHER_PUSH)
    agent.tries(WIPE)
    agent.tries(PUSH)
    groups = agent.does(ListInbox())
    assert [(group.policies, group.shape, group.count) for group in groups] == [
        (("git.force-push",), "git push", 3),
        (("files.recursive-deletion",), "rm", 1),
    ]
    assert [call.code for call in groups[0].calls] == [first, second]
    assert groups[0].last.count == 2


def test_an_upheld_refusal_leaves_the_inbox_and_stays_out_when_it_comes_again(agent: RefusedAgent):
    code = agent.tries(PUSH)
    agent.does(UpholdRefusal(code=code))
    assert agent.does(ListInbox()) == ()
    assert agent.tries(PUSH) == code
    assert agent.does(ListInbox()) == ()
    (group,) = agent.does(ListInbox(all=True))
    assert (group.last.answer, group.last.count) == ("upheld", 2)


@pytest.mark.parametrize("scope", ["once", "session", "here", "always"])
def test_a_no_takes_back_the_yes_that_was_said_before_it(agent: RefusedAgent, scope: GrantScope):
    code = agent.tries(WIPE)
    (made,) = agent.does(AllowCall(refusal=code, scope=scope)).grants
    upheld = agent.does(UpholdRefusal(code=code))
    assert upheld.taken_back == (made.id,)
    assert agent.does(ListGrants()) == ()
    assert agent.tries(WIPE) == code


def test_a_no_leaves_exceptions_for_other_calls_and_names_patterns_that_still_cover_this_one(agent: RefusedAgent):
    code, other = agent.tries(PUSH), agent.tries(WIPE)
    agent.does(AllowCall(refusal=other, scope="here"))
    (pattern,) = agent.does(AllowCall(refusal=code, scope="here", like="git push --force origin *")).grants
    upheld = agent.does(UpholdRefusal(code=code))
    assert (upheld.taken_back, upheld.patterns) == ((), (pattern.id,))
    assert len(agent.does(ListGrants())) == 2


def test_what_was_allowed_and_is_refused_again_waits_again(agent: RefusedAgent):
    code = agent.tries(PUSH)
    refused.answer_refused(agent.store, [agent.find(code).mark], "allowed", time.time())
    assert agent.does(ListInbox()) == ()
    time.sleep(0.01)
    agent.tries(PUSH)
    assert len(agent.does(ListInbox())) == 1


def test_each_filter_keeps_what_it_names(agent: RefusedAgent):
    agent.tries(PUSH)
    middle = time.time()
    agent.tries(WIPE)
    for command, policies in (
        (ListInbox(policy="git.*"), {"git.force-push"}),
        (ListInbox(policy="files.recursive-deletion"), {"files.recursive-deletion"}),
        (ListInbox(since=middle), {"files.recursive-deletion"}),
        (ListInbox(project="project", agent="claude", policy="git.force-push"), {"git.force-push"}),
        (ListInbox(project=str(agent.project), policy="git.*"), {"git.force-push"}),
        (ListInbox(project="elsewhere"), set()),
        (ListInbox(agent="codex"), set()),
    ):
        assert {name for group in agent.does(command) for name in group.policies} == policies, command


def test_an_unknown_code_is_told_and_nothing_of_it_reaches_the_terminal(agent: RefusedAgent):
    for code in ("zzzz", "", "\x1b[2J", "' OR 1=1 --", "k7qmd\0", "ſſſſ", "\ud800", "x" * 10_000):
        with pytest.raises(LayerError, match="nothing was refused") as caught:
            agent.does(ShowRefusal(code=code))
        assert str(caught.value) == screen.clean_text(str(caught.value))
        assert len(str(caught.value)) < 200


def test_a_code_is_found_as_people_type_it(agent: RefusedAgent):
    code = agent.tries(PUSH)
    assert agent.does(ShowRefusal(code=f" {code.upper()} "))[0].code == code


def test_a_code_that_two_projects_share_means_the_one_that_one_is_in(agent: RefusedAgent, tmp_path: Path):
    code = agent.tries(PUSH)
    agent.forges("UPDATE refused SET code = 'aaaa'")
    for name in ("second", "third"):
        (tmp_path / name / ".git").mkdir(parents=True)
        agent.session.check(WIPE, cwd=str(tmp_path / name))
    agent.forges("UPDATE refused SET code = ? WHERE code != 'aaaa'", code)
    elsewhere = agent.context(tmp_path)
    with pytest.raises(LayerError, match="two projects share this code"):
        UpholdRefusal(code=code).run(elsewhere)
    second = UpholdRefusal(code=code).run(agent.context(tmp_path / "second"))
    assert second.call.subject.root == str(tmp_path / "second")
    assert len(ShowRefusal(code=code).run(elsewhere)) == 2


def test_a_store_that_cannot_be_kept_is_an_error_and_not_an_empty_inbox(tmp_path: Path):
    (tmp_path / "file").write_text("")
    from synaptic.model.home import Home

    store = Store.open(Home(tmp_path / "file" / "below"))
    with pytest.raises(StoreError):
        ListInbox().run(CommandContext(store, Caller()))
    store.close()


def test_a_row_that_somebody_has_written_past_us_is_not_shown(agent: RefusedAgent):
    code = agent.tries(PUSH)
    agent.tries(WIPE)
    agent.forges("UPDATE refused SET value = replace(value, 'main', 'mine') WHERE code = ?", code)
    assert [group.policies for group in agent.does(ListInbox())] == [("files.recursive-deletion",)]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("reason", b"\xff\xfe\x80"),
        ("said", 7),
        ("appeal", b"\x00" * 10),
        ("count", "many"),
        ("first_at", "never"),
        ("value", b"{"),
        ("value", b"x" * 5_000_000),
        ("mac", b""),
        ("answer", "perhaps"),
        ("code", ""),
    ],
)
def test_one_damaged_row_hides_no_other(agent: RefusedAgent, column: str, value: object):
    code = agent.tries(PUSH)
    agent.tries(WIPE)
    # As text in the first case: bytes of a blob would be no text to begin with.
    kind = "CAST(? AS TEXT)" if column == "reason" else "?"
    agent.forges(f"UPDATE refused SET {column} = {kind}", value)
    agent.forges("DELETE FROM refused WHERE code != ?", code if column != "code" else "none")
    wiped = agent.tries(WIPE)
    assert wiped in {call.code for group in agent.does(ListInbox(all=True)) for call in group.calls}


def test_no_more_of_a_forged_text_is_read_than_is_ever_written(agent: RefusedAgent):
    code = agent.tries(PUSH)
    agent.forges("UPDATE refused SET said = ?, appeal = ?, reason = ?", *("x" * 3_000_000,) * 3)
    call = agent.find(code)
    assert max(map(len, (call.said, call.appeal, call.reason))) <= refused.MOST_REASON


def test_a_secret_is_in_no_text_of_the_inbox_wherever_it_was_cut(agent: RefusedAgent):
    for before in (1, 1900, 1960, 1980, 1999, 2000):
        agent.tries(f"{WIPE} {'a' * before} {SECRET}", description=f"{'b' * before} {SECRET}")
    shown = screen.encode_json(ListInbox().answer(agent.does(ListInbox()))).decode()
    # Half of one has no shape by which it could be found: no part of it may be there.
    assert SECRET[:12] not in shown


def hostile_texts() -> Iterator[str]:
    pieces = (
        "\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\x1bP+q\x1b\\", "\r", "\n", "\x00", "\x08", "\u202e", "\u2066",
        "\u200b", "\ud800", "\udfff", "\ufeff", "é" + "\u0301" * 50, "漢", "👩\u200d👩", "\U000e0041", "[31m", "'\"`$(",
    )  # fmt: skip
    for number in range(1000):
        piece = pieces[number % len(pieces)]
        yield f"{number} {piece * (number % 7 + 1)} {pieces[number * 7 % len(pieces)]} end"


def test_a_thousand_hostile_texts_are_valid_json_and_drive_no_terminal(agent: RefusedAgent):
    for number, text in enumerate(hostile_texts()):
        if number % 3 == 0:
            agent.tries(f"{WIPE} # {text}", description=text)
        elif number % 3 == 1:
            agent.uses("Write", file_path=f"/etc/{text}", content=text)
        else:
            agent.tries(WIPE, description=text)
    groups = agent.does(ListInbox())
    assert sum(group.count for group in groups) >= 900
    encoded = screen.encode_json(ListInbox().answer(groups)).decode()
    assert json.loads(encoded)
    assert all(letter.isprintable() or letter == "\n" for letter in encoded)


def test_a_text_of_a_megabyte_is_cut_everywhere(agent: RefusedAgent):
    big = "x" * 1_000_000
    agent.tries(f"{WIPE} {big}", description=big)
    agent.uses("Write", file_path=f"/etc/{big}", content=big)
    agent.uses(f"mcp__{big}", command=WIPE)
    agent.session.check(WIPE, cwd=f"{agent.project}/{big}", agent_id=big)
    groups = agent.does(ListInbox())
    assert groups
    assert len(screen.encode_json(ListInbox().answer(groups))) < 200_000


def test_arguments_that_nobody_knows_are_an_error(agent: RefusedAgent):
    with pytest.raises(LayerError, match="no argument"):
        read_command(ListInbox, {"every": True})
