"""Calls that were refused or asked about, and whether they ran all the same."""

import re

from synaptic.store.db import Store
from synaptic.store.entries import SELECT_EVENTS, select_entries
from synaptic.store.journal_filter import JUDGED, NEIGHBOURS, find_number_at
from synaptic.store.record import JournalEntry

MOST_FOUND = 1000
MOST_RESULTS = 500
"""Results of a session that are compared with one call."""
PLAIN_NUMBER = re.compile(r"[A-Za-z0-9_.:-]+")
SELECT_STOPPED = f"""
{SELECT_EVENTS} WHERE {JUDGED} AND id >= ? AND at >= ? AND event = 'PreToolUse' AND kind IN ('deny', 'ask')
ORDER BY id DESC LIMIT ?
"""
SELECT_RESULTS = f"""
{SELECT_EVENTS} WHERE session = ? AND id > ? AND event IN ('PostToolUse', 'PostToolUseFailure') AND tool = ?
AND instr(payload, ?) > 0 ORDER BY id LIMIT ?
"""
SELECT_RESULT = f"""
{SELECT_EVENTS} WHERE session = ? AND event IN ('PostToolUse', 'PostToolUseFailure') AND tool = ?
AND instr(payload, ?) > 0 ORDER BY id DESC LIMIT ?
"""
SELECT_LET_THROUGH = f"""
{SELECT_EVENTS} WHERE session = ? AND id > ? AND event = 'PreToolUse' AND tool = ? AND kind NOT IN ('deny', 'ask')
AND instr(decision, '"grants":[') > 0 ORDER BY id LIMIT ?
"""


def read_stopped_calls(store: Store, since: float) -> tuple[JournalEntry, ...]:
    """The calls since a moment that were refused or asked about, oldest first; of very many the newest."""
    first = find_number_at(store, since) - NEIGHBOURS
    return tuple(select_entries(store, SELECT_STOPPED, (first, since, MOST_FOUND)))[::-1]


def read_results_after(store: Store, entry: JournalEntry, number: str) -> tuple[JournalEntry, ...]:
    """The results of the same tool that came after a call, in its session, and that may name the call's number."""
    # Other signs may be written in more than one way in JSON: then all results are looked at.
    wanted = number if PLAIN_NUMBER.fullmatch(number) else ""
    return tuple(select_entries(store, SELECT_RESULTS, (entry.session, entry.id, entry.tool, wanted, MOST_RESULTS)))


def read_results_of(store: Store, session: str, tool: str, number: str) -> tuple[JournalEntry, ...]:
    """The results of a session's tool in which the number of a call is named, the newest first."""
    return tuple(select_entries(store, SELECT_RESULT, (session, tool, f'"{number}"', MOST_RESULTS)))


def read_let_through_after(store: Store, entry: JournalEntry) -> tuple[JournalEntry, ...]:
    """The calls of the same tool after one, in its session, that an exception has let through."""
    return tuple(select_entries(store, SELECT_LET_THROUGH, (entry.session, entry.id, entry.tool, MOST_RESULTS)))
