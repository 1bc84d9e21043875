"""The options by which verbs choose events of the journal, and the moments that people write."""

import inspect
import re
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

from synaptic.cli import completion, typer
from synaptic.cli.place import find_place
from synaptic.model.decision import Kind
from synaptic.model.errors import SynapticError
from synaptic.store.journal_filter import JournalFilter

SPAN = re.compile(r"([0-9]{1,6}) ?(s|m|min|h|d|w)")
SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?")
ZONED = re.compile(r"t.*(?:z|[+-][0-9:]{2,6})$")
"""A moment as programs write it, with its own distance from Greenwich."""
MOMENTS = "yesterday, today, monday, 7d, 2h, 30m, 14:00, 2026-11-18 or '2026-11-18 14:00'"
Words = list[str] | None

FILTER_OPTIONS: dict[str, Any] = {
    "denied": Annotated[bool, typer.Option("--denied", help="Only what was refused.")],
    "asked": Annotated[bool, typer.Option("--asked", help="Only what somebody was asked about.")],
    "rewritten": Annotated[bool, typer.Option("--rewritten", help="Only what went ahead in another form.")],
    "failed": Annotated[bool, typer.Option("--failed", help="Only where a hook failed.")],
    "since": Annotated[str, typer.Option(metavar="WHEN", help=f"From then on: {MOMENTS}.")],
    "until": Annotated[str, typer.Option(metavar="WHEN", help="Before then; a day means its beginning.")],
    "project": Annotated[str, typer.Option(metavar="NAME|PATH", help="Of one project; `.` is this one.")],
    "session": Annotated[str, typer.Option(metavar="ID", help="Of the session whose id begins so.")],
    "agent": Annotated[Words, typer.Option(metavar="NAME", help="Of this agent; may be repeated.")],
    "tool": Annotated[Words, typer.Option(metavar="NAME", help="Of this tool, such as Bash or 'mcp__*'; repeatable.")],
    "grep": Annotated[str, typer.Option(metavar="TEXT", help="With this text in command, file, prompt or reason.")],
    "policy": Annotated[
        Words,
        typer.Option(
            metavar="ID",
            help="Where this policy or hook spoke; 'git.*' for a group; repeatable.",
            autocompletion=completion.complete_policies,
        ),
    ],
}
"""Each option and its type; all may be left out."""


def add_filter_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb all filter options; it gets what they say as one value, its parameter `chosen`."""
    own = inspect.signature(function)
    others = [one for name, one in own.parameters.items() if name != "chosen"]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_default_of(kind), annotation=kind)
        for name, kind in FILTER_OPTIONS.items()
    ]

    @wraps(function)
    def call(**given: Any) -> Any:
        words = {name: given.pop(name, _default_of(kind)) for name, kind in FILTER_OPTIONS.items()}
        return function(chosen=read_filter(words), **given)

    call.__signature__ = own.replace(  # type: ignore[attr-defined]  # what inspect looks for
        parameters=sorted([*others, *added], key=lambda one: one.kind)
    )
    return call


def read_filter(words: dict[str, Any]) -> JournalFilter:
    """What the options say. Raises BadParameter for a moment that nobody can read."""
    kinds = [(Kind.DENY, "denied"), (Kind.ASK, "asked"), (Kind.REWRITE, "rewritten")]
    since, until = (read_option_moment(words[name], f"--{name}") for name in ("since", "until"))
    if since and until and until <= since:
        raise typer.BadParameter(f"nothing is between --since {words['since']} and --until {words['until']}")
    return JournalFilter(
        kinds=tuple(kind for kind, name in kinds if words[name]),
        failed=words["failed"],
        since=since,
        until=until,
        project=_read_project(words["project"]),
        session=words["session"].strip(),
        agents=tuple(words["agent"] or ()),
        tools=tuple(words["tool"] or ()),
        grep=words["grep"],
        policies=tuple(words["policy"] or ()),
    )


def read_option_moment(text: str, option: str) -> float:
    """The moment that an option names; 0 when it was left out. Raises BadParameter."""
    if not text.strip():
        return 0.0
    found = read_moment(text, time.time())
    if found is None:
        raise typer.BadParameter(f"{option} {text}: no moment; write {MOMENTS}")
    return found or 1.0  # the first moment of all is not an option that was left out


def read_moment(text: str, now: float) -> float | None:
    """The moment that somebody has written, in local time; None for what is none."""
    word = " ".join(text.split()).lower()
    today = datetime.fromtimestamp(now).date()
    if word == "now":
        return now
    if span := SPAN.fullmatch(word):
        return max(now - int(span[1]) * SECONDS[span[2]], 1.0)
    try:
        return _read_day(word, today) if not ZONED.search(word) else datetime.fromisoformat(word.upper()).timestamp()
    except (ValueError, OverflowError, OSError):  # no such day or hour, or one that no clock has
        return None


def _read_day(word: str, today: date) -> float | None:
    day, _, clock = word.replace("t", " ", 1).partition(" ") if word[:1].isdigit() else word.partition(" ")
    if CLOCK.fullmatch(word):
        day, clock = "today", word
    found = _find_day(day, today)
    if found is None:
        return None
    # From the calendar and not by adding seconds: a day of summer time has 23 or 25 hours.
    return datetime(found.year, found.month, found.day, *_read_clock(clock)).timestamp()


def _find_day(word: str, today: date) -> date | None:
    if word in ("today", "yesterday"):
        return today - timedelta(days=word == "yesterday")
    if len(word) >= 3 and (names := [at for at, name in enumerate(WEEKDAYS) if name.startswith(word)]):
        return today - timedelta(days=(today.weekday() - names[0]) % 7)
    return date.fromisoformat(word) if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", word) else None


def _read_clock(word: str) -> tuple[int, int, int]:
    if not word:
        return 0, 0, 0
    found = CLOCK.fullmatch(word)
    if found is None:
        raise ValueError(word)
    return int(found[1]), int(found[2]), int(found[3] or 0)


def _read_project(word: str) -> str:
    """A project's root where a path is meant, else the name as it is."""
    if not word or not (word in (".", "..") or "/" in word or word.startswith("~")):
        return word
    path = Path(word).expanduser()
    try:
        return find_place(str(path)).root or str(path)
    except SynapticError:  # it is gone, and its events are not
        return str(path).rstrip("/") or "/"


def _default_of(kind: Any) -> Any:
    word = kind.__origin__
    return False if word is bool else "" if word is str else None
