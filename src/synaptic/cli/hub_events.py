"""`tail --hub` and `search --hub`: events of all hosts, in the lines of the local verbs with the host before them."""

import sys
import time
from collections import OrderedDict
from collections.abc import Iterator

from synaptic.cli import screen
from synaptic.cli.cells import clean_line
from synaptic.cli.event_lines import TONE_COLOURS
from synaptic.cli.hub_question import MOST_ROWS, make_question, open_hub
from synaptic.hub.answers import EventAnswer
from synaptic.hub.client import PersonClient
from synaptic.model.moment import find_local_time
from synaptic.store.journal_filter import JournalFilter
from synaptic.work.event_words import BEFORE_THE_ACT, COMMAND_TOOLS, Tone, drop_handle, format_took, name_project

LOOK_SECONDS = 2.0
OVERLAP_SECONDS = 120.0
"""Hosts ship a little later than things happen, and their clocks differ."""
MOST_SEEN = 5000
TONES: dict[str, Tone] = {"deny": "deny", "ask": "ask", "rewrite": "rewrite"}
KEPT_THERE = "its host keeps the command"


def tail_hub(chosen: JournalFilter, lines: int, *, is_whole: bool, follows: bool, as_json: bool) -> None:
    """The newest events of all hosts, oldest first; with `follows` those that come."""
    asked = make_question(chosen)
    if not is_whole:
        asked["kind"] = asked["kind"] or "spoken"  # what nobody minded is shown on request
    with open_hub() as client:
        found = list(_read(client, asked, lines))
        for one in reversed(found):
            _print(one, as_json)
        if follows:
            _follow(client, asked, found, as_json)
    if not found and not as_json:
        screen.note("no event of any host is like that")


def search_hub(chosen: JournalFilter, words: tuple[str, ...], lines: int, *, as_json: bool) -> None:
    """Events of all hosts with these words, the newest first."""
    asked = make_question(chosen, words)
    with open_hub() as client:
        found = list(_read(client, asked, lines))
    if as_json:
        screen.print_json({"events": found})
        return
    for one in found:
        _print(one, False)
    if not found:
        screen.say("nothing found on any host; those that ship the structure only are searched where they are")
    elif len(found) == lines:
        screen.note(f"the first {lines}; more with -n")


def _read(client: PersonClient, asked: dict[str, object], lines: int) -> Iterator[EventAnswer]:
    """So many, page by page, the newest first."""
    before = ""
    while lines > 0:
        page = client.ask("events", list[EventAnswer], **asked, limit=min(lines, MOST_ROWS), before=before)
        yield from page
        if len(page) < min(lines, MOST_ROWS) or page[-1].place == before:
            return
        lines, before = lines - len(page), page[-1].place


def _follow(client: PersonClient, asked: dict[str, object], found: list[EventAnswer], as_json: bool) -> None:
    seen = OrderedDict.fromkeys((one.host, one.seq) for one in found)
    newest = max((one.at for one in found), default=time.time())
    while True:
        sys.stdout.flush()
        time.sleep(LOOK_SECONDS)
        since = max(min(newest, time.time()) - OVERLAP_SECONDS, 1.0)
        for one in reversed(client.ask("events", list[EventAnswer], **{**asked, "since": since}, limit=MOST_ROWS)):
            if (one.host, one.seq) not in seen:
                seen[one.host, one.seq] = None
                newest = max(newest, one.at)
                _print(one, as_json)
        while len(seen) > MOST_SEEN:
            seen.popitem(last=False)


def _print(one: EventAnswer, as_json: bool) -> None:
    if as_json:
        screen.print_json_line(one)
        return
    line = format_line(one)
    print(screen.paint_text(screen.cut_line(line, 0), TONE_COLOURS.get(TONES.get(one.kind, "plain"), 0) or 39))


def format_line(one: EventAnswer) -> str:
    """An event as one line: where, when, what, what was said."""
    at = find_local_time(one.at).strftime("%Y-%m-%d %H:%M:%S") if 0 <= one.at < 4e9 else "?"
    by = f" by {one.by}" if one.by and one.kind != "none" else ""
    why = f": {drop_handle(one.reason)}" if one.reason else ""
    where = f"{one.host} {one.number} {at} {name_project(one.project) or one.project or '-'} {one.agent}"
    return clean_line(f"{where} {describe_act(one)} -> {one.kind}{by} ({format_took(one.micros)}){why}")


def describe_act(one: EventAnswer) -> str:
    """What was done; where the host keeps that to itself, so."""
    subject = one.subject or (f"({KEPT_THERE})" if one.tool else "")
    if one.event not in BEFORE_THE_ACT:
        return " ".join(part for part in (one.event, one.tool, one.subject) if part)
    return (
        subject if one.subject and one.tool.lower() in COMMAND_TOOLS else f"{one.tool} {subject}".strip() or one.event
    )
