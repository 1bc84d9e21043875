"""A session as one file that needs nothing else and may be handed on: no script, no request, redacted once more."""

from collections.abc import Mapping

from synaptic.store.db import Store
from synaptic.store.journal_filter import read_numbered_entries
from synaptic.store.session_list import find_listed_session
from synaptic.web.moments import ShownMoment, make_moment
from synaptic.web.page import render_part
from synaptic.web.texts import clean_saved
from synaptic.web.track import draw_track
from synaptic.work.event_words import name_project
from synaptic.work.saved_page import POLICY, STYLE
from synaptic.work.session_context import read_context
from synaptic.work.session_outline import read_outline

MOST_SAVED = 5000
"""Moments of a session in a file, the newest."""
AT_ONCE = 200


def render_saved_session(store: Store, session: str, env: Mapping[str, str]) -> str:
    """The whole file. Raises LayerError for a session that is not there."""
    outline = read_outline(store, session)
    head = find_listed_session(store, session).found
    points = read_context(store, session, env)
    shown = [one.id for one in outline.moments[-MOST_SAVED:]]
    return render_part(
        "saved.html", policy=POLICY, style=STYLE, session=clean_saved(session), agent=clean_saved(head.agent),
        project=clean_saved(name_project(head.root)) or "no project", track=draw_track(outline, points),
        moments=read_moments(store, shown), left_out=len(outline.moments) - len(shown), is_cut=outline.is_cut,
        last=points[-1] if points else None,
    )  # fmt: skip


def read_moments(store: Store, numbers: list[int]) -> list[ShownMoment]:
    """Moments for a file; one that was pruned meanwhile is left out."""
    found = []
    for start in range(0, len(numbers), AT_ONCE):
        some = numbers[start : start + AT_ONCE]
        entries = read_numbered_entries(store, some)
        found += [make_moment(entries[number], clean_saved) for number in some if number in entries]
    return found
