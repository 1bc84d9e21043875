import asyncio
from collections.abc import Callable, Sequence

import pytest

from synaptic.engine.commit import GroupCommit
from synaptic.model.errors import StoreError
from synaptic.store.record import EventRecord, JournalDetail

AppendRecords = Callable[[Sequence[EventRecord], JournalDetail], list[bool]]


def record(number: int) -> EventRecord:
    return EventRecord(call=f"c{number}", at=0.0, agent="claude", event="Stop")


def noting(note: Callable[[Sequence[EventRecord], JournalDetail], None]) -> AppendRecords:
    """An append that notes what it gets, and for which every record is new."""

    def append(records: Sequence[EventRecord], keep: JournalDetail) -> list[bool]:
        note(records, keep)
        return [True] * len(records)

    return append


def test_events_of_one_turn_are_written_together() -> None:
    batches: list[list[str]] = []

    async def burst() -> None:
        commit = GroupCommit(noting(lambda records, keep: batches.append([one.call for one in records])))
        await asyncio.gather(*(commit.write(record(number)) for number in range(50)))
        await commit.write(record(50))

    asyncio.run(burst())
    assert [len(batch) for batch in batches] == [50, 1]


@pytest.mark.parametrize("trouble", [StoreError("the disk is full"), ValueError("a row that cannot be written")])
def test_nobody_is_told_before_the_write_and_everybody_hears_of_its_failure(trouble: Exception) -> None:
    def fail(records: Sequence[EventRecord], keep: JournalDetail) -> list[bool]:
        raise trouble

    async def burst() -> list[object]:
        commit = GroupCommit(fail)
        return await asyncio.gather(*(commit.write(record(number)) for number in range(3)), return_exceptions=True)

    assert [type(error) for error in asyncio.run(burst())] == [StoreError] * 3


def test_who_has_taken_a_call_back_is_not_written_and_does_not_disturb_the_others() -> None:
    written: list[str] = []

    async def burst() -> None:
        commit = GroupCommit(noting(lambda records, keep: written.extend(one.call for one in records)))
        impatient = asyncio.create_task(commit.write(record(1)))
        patient = asyncio.create_task(commit.write(record(2)))
        await asyncio.sleep(0)
        impatient.cancel()
        await patient
        with pytest.raises(asyncio.CancelledError):
            await impatient

    asyncio.run(burst())
    assert written == ["c2"]


def test_what_is_kept_of_an_event_is_its_own_projects_choice() -> None:
    batches: list[tuple[list[str], str]] = []

    async def burst() -> None:
        commit = GroupCommit(noting(lambda records, keep: batches.append(([one.call for one in records], keep))))
        await asyncio.gather(
            commit.write(record(1), "full"), commit.write(record(2), "off"), commit.write(record(3), "full")
        )

    asyncio.run(burst())
    assert batches == [(["c1", "c3"], "full"), (["c2"], "off")]


def test_an_event_that_is_alone_waits_for_no_turn_and_others_that_wait_are_not_overtaken() -> None:
    """Issue 14: one call costs no turns of the loop that only a crowd gains by."""
    batches: list[list[str]] = []

    async def write() -> None:
        commit = GroupCommit(noting(lambda records, keep: batches.append([one.call for one in records])))
        alone = commit.write(record(0), is_alone=True)
        with pytest.raises(StopIteration):
            alone.send(None)  # done at once: nothing was awaited
        waiting = asyncio.ensure_future(commit.write(record(1)))
        await asyncio.sleep(0)
        await commit.write(record(2), is_alone=True)
        await waiting

    asyncio.run(write())
    assert batches == [["c0"], ["c1", "c2"]]


@pytest.mark.parametrize("trouble", [StoreError("the disk is full"), ValueError("a row that cannot be written")])
def test_an_event_that_is_alone_hears_of_its_failure(trouble: Exception) -> None:
    def fail(records: Sequence[EventRecord], keep: JournalDetail) -> list[bool]:
        raise trouble

    with pytest.raises(StoreError, match=str(trouble)):
        asyncio.run(GroupCommit(fail).write(record(0), is_alone=True))
