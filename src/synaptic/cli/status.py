"""`synaptic status`, and `synaptic` alone: what runs here, what is on, what happened last, and what to type next."""

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime

import msgspec

import synaptic
from synaptic.cli import event_lines, screen
from synaptic.cli.place import CommandPlace, find_place, open_journal
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.daemon.ask import greet_daemon
from synaptic.daemon.standing import read_status
from synaptic.files.bounded import read_start
from synaptic.files.toml import parse_toml
from synaptic.model.decision import Kind
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.model.presets import DEFAULT_PRESETS
from synaptic.model.witness import Standing
from synaptic.store import refused
from synaptic.store.day_counts import DayCounts, read_day_counts
from synaptic.store.db import Store
from synaptic.store.journal_filter import JournalFilter, read_matching_entries
from synaptic.store.witnessed import list_alarms
from synaptic.work.event_words import name_project
from synaptic.work.exceptions import format_exceptions, list_in_force

app = make_verb_app()
LAST_EVENTS = 3
WITNESS_DAYS = 7
SECONDS_PER_DAY = 86_400
SPOKEN = JournalFilter(kinds=(Kind.DENY, Kind.ASK, Kind.REWRITE), failed=True)
MOST_OPEN = 100
CONFIG_LIMIT = 1 << 20
EXAMPLES = """
synaptic            the same, without a verb
synaptic status --json
"""
REPAIR_STEPS = (
    ("synaptic daemon restart", "end the daemon that does not answer"),
    ("synaptic doctor", "what is wrong, and what to type"),
)
INBOX_STEP = ("synaptic inbox", "what waits for your answer")
LOOK_STEPS = (
    ("synaptic check 'git push -f'", "what would be said about a call"),
    ("synaptic tail -f", "events as they happen"),
    ("synaptic explain", "why the last one was stopped"),
    ("synaptic policy list --on", "the rules that are on"),
    ("synaptic --help", "every verb"),
)
START_STEPS = (("synaptic up", "set everything up and see one event go through"), LOOK_STEPS[0], LOOK_STEPS[-1])


class JournalGlance(msgspec.Struct, frozen=True):
    """What the journal tells at a glance."""

    today: DayCounts = DayCounts()
    refusals: int = 0
    questions: int = 0
    exceptions: int = 0
    last: tuple[str, ...] = ()
    alarms: Mapping[Standing, int] = {}


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """What `status` tells. Every part is looked up by itself: one that is broken hides no other."""

    version: str
    home: str
    project: str
    installed: bool
    """Whether the dispatcher is there."""
    daemon: str
    """running, starting, stopped, or hanging: it lives and does not answer."""
    daemon_version: str
    pid: int
    agents: tuple[str, ...]
    """Agents that are told to call the dispatcher."""
    presets: tuple[str, ...]
    project_presets: tuple[str, ...]
    loosened: tuple[str, ...]
    """Presets and policies that your config.toml sets to advise or to shadow."""
    exceptions: int
    """How many are in force here."""
    guard: str
    """on, or off with the reason."""
    since: float
    """Since when the daemon runs, in seconds since 1970; 0 where none does."""
    today: DayCounts
    open_refusals: int
    """What nobody has answered."""
    open_questions: int
    witness: Mapping[Standing, int]
    """Calls of the last days that did not go as they were decided, by what became of them."""
    unverified: tuple[str, ...]
    """Clients that have changed since they were verified, or were not found guarded."""
    hub: str
    """Which hub this machine has joined, and how far it is there; "" where none."""
    last: tuple[str, ...]
    """The newest events that somebody said something about, a line each, newest last."""
    trouble: tuple[str, ...]
    next: tuple[str, ...]
    """What to type, most needed first."""


@app.command(epilog=format_examples(EXAMPLES))
def status(as_json: Json = False) -> None:
    """Show what runs here, which agents are guarded, what is on, what happened last, and what to type next."""
    if as_json:
        screen.print_json(collect_overview(find_place()))
    else:
        print_overview()


def print_overview() -> None:
    """Print the overview, on one screen."""
    found = collect_overview(find_place())
    for line in found.trouble:
        print(f"{screen.paint_word('warn')}      {screen.clean_text(line)}")
    for title, text in _list_facts(found):
        print(f"{title:<9} {screen.cut_line(text, 10)}")
    for line in found.last:
        screen.say(screen.cut_line(f"  {line}", 0))
    print()
    known = dict((*START_STEPS, *REPAIR_STEPS, INBOX_STEP, *LOOK_STEPS))
    for step in found.next:
        print(f"  {step:<30} {known.get(step, '')}".rstrip())


def collect_overview(place: CommandPlace) -> Overview:
    """Look at everything. No file is made, and nobody is waited for longer than a moment."""
    home = place.home
    trouble: list[str] = []
    installed = home.dispatch.exists()
    now = read_status(home)
    state: str = now.state
    if state == "running" and greet_daemon(home) is None:
        state = "hanging"
        trouble.append(f"the daemon (process {now.pid}) does not answer; its log is {home.log}")
    if now.pid and now.version != synaptic.__version__:
        trouble.append(f"the daemon has version {now.version}, and this is {synaptic.__version__}")
    seen = _read_journal(place, trouble)
    presets, of_project = _read_presets(place, trouble)
    agents = tuple(_list_agents(home, trouble))
    return Overview(
        version=synaptic.__version__,
        home=str(home.root),
        project=place.root,
        installed=installed,
        daemon=state,
        daemon_version=now.version,
        pid=now.pid,
        agents=agents,
        guard=_judge_guard(installed, agents, presets + of_project),
        since=now.since,
        today=seen.today,
        open_refusals=seen.refusals,
        open_questions=seen.questions,
        presets=presets,
        project_presets=of_project,
        loosened=_read_loosened(str(place.home.config)),
        exceptions=seen.exceptions,
        witness=seen.alarms,
        unverified=_list_unverified(home, trouble),
        hub=_describe_hub(home),
        last=seen.last,
        trouble=tuple(trouble),
        next=tuple(_choose_steps(installed, state, bool(trouble), bool(seen.refusals or seen.questions))),
    )


def _list_facts(found: Overview) -> Iterator[tuple[str, str]]:
    yield "synaptic", f"{found.version}, {'in ' + found.home if found.installed else 'not set up yet'}"
    yield "guard", found.guard
    who = f" (process {found.pid}, version {found.daemon_version})" if found.pid else ""
    yield "daemon", f"{found.daemon}{_describe_since(found.since)}{who}"
    yield "presets", ", ".join(found.presets + tuple(f"{name} (project)" for name in found.project_presets)) or "none"
    if found.loosened:
        yield "modes", f"not enforced: {', '.join(found.loosened)}"
    yield "project", found.project or "none here"
    yield from _list_counts(found.today)
    if found.open_refusals or found.open_questions:
        waiting = f"{_count(found.open_refusals, 'refusal')} and {_count(found.open_questions, 'question')}"
        yield "inbox", f"{waiting} not answered: synaptic inbox"
    if found.witness:
        yield "witness", _describe_alarms(found.witness)
    if found.unverified:
        yield "clients", f"{', '.join(found.unverified)}: synaptic agents verify"
    if found.exceptions:
        yield "grants", format_exceptions(found.exceptions)
    if found.hub:
        yield "hub", found.hub
    if found.last:
        yield "lately", "stopped, changed or failed:"


def _list_counts(today: DayCounts) -> Iterator[tuple[str, str]]:
    if not today.events:
        yield "today", "no event yet"
        return
    yield "today", _count(today.events, "event")
    said = (f"{today.denied} denied", f"{today.asked} asked about", f"{today.rewritten} rewritten")
    yield "", ", ".join((*said, f"{today.failed} with a hook that failed"))
    if today.busiest:
        yield "", f"busiest policy: {today.busiest}, {_count(today.busiest_count, 'time')}"
    if today.projects:
        yield "", f"in {', '.join(name_project(root) for root in today.projects)}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _describe_since(since: float) -> str:
    if not since:
        return ""
    begun = datetime.fromtimestamp(since)
    return begun.strftime(" since %H:%M" if begun.date() == date.today() else " since %Y-%m-%d %H:%M")


def _judge_guard(installed: bool, agents: Sequence[str], presets: Sequence[str]) -> str:
    if not installed:
        return "off: nothing is installed"
    if not agents:
        return "off: no agent calls it"
    if not presets:
        return f"on for {', '.join(agents)}, with no preset: only policies and hooks that are named count"
    return f"on for {', '.join(agents)}"


def _read_journal(place: CommandPlace, trouble: list[str]) -> JournalGlance:
    if not place.home.database.exists():
        return JournalGlance()
    try:
        with open_journal(place.home) as store:
            midnight = datetime.combine(date.today(), datetime.min.time()).timestamp()
            refusals, questions = refused.count_open(store, MOST_OPEN)
            found = JournalGlance(
                today=read_day_counts(store, midnight),
                refusals=refusals,
                questions=questions,
                exceptions=len(list_in_force(store, place.root)),
                alarms=_count_alarms(store),
                last=tuple(map(event_lines.format_short_line, read_matching_entries(store, SPOKEN, LAST_EVENTS)))[::-1],
            )
            trouble.extend(store.notices)
    except (SynapticError, OSError) as error:
        trouble.append(f"the journal cannot be read: {error}")
        return JournalGlance()
    return found


def _count_alarms(store: Store) -> dict[Standing, int]:
    since = time.time() - WITNESS_DAYS * SECONDS_PER_DAY
    if not list_alarms(store, since):
        return {}
    from synaptic.work.witness_report import count_alarms  # noqa: PLC0415  seldom needed, with ten modules

    return count_alarms(store, since)


def _describe_alarms(counts: Mapping[Standing, int]) -> str:
    from synaptic.work.witness_report import describe_alarms  # noqa: PLC0415  as above

    return f"in {WITNESS_DAYS} days {describe_alarms(counts)}"


def _list_agents(home: Home, trouble: list[str]) -> list[str]:
    from synaptic.agents.shared.record import load_record  # noqa: PLC0415  with all that is known about settings

    try:
        return sorted({mark.agent for mark in load_record(home).settings.values()})
    except (SynapticError, OSError) as error:
        trouble.append(str(error))
        return []


def _list_unverified(home: Home, trouble: list[str]) -> tuple[str, ...]:
    if not home.verified.exists():
        return ()
    from synaptic.setup.verified import list_stale  # noqa: PLC0415  with what finds versions of programs

    try:
        return list_stale(home)
    except (SynapticError, OSError) as error:
        trouble.append(str(error))
        return ()


def _describe_hub(home: Home) -> str:
    if not (home.root / "hub" / "joined.json").exists():
        return ""
    from synaptic.cli.hub_line import describe_hub  # noqa: PLC0415  only where a hub was joined

    return describe_hub(home)


def _read_presets(place: CommandPlace, trouble: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the user's and the project's config.toml say. Read here: the whole configuration needs every policy."""
    project = f"{place.root}/.synaptic/config.toml" if place.root else ""
    user = _read_preset_names(str(place.home.config), trouble)
    added = _read_preset_names(project, trouble) if project else None
    chosen = DEFAULT_PRESETS if user is None else user
    return chosen, tuple(name for name in added or () if name not in chosen)


def _read_preset_names(path: str, trouble: list[str]) -> tuple[str, ...] | None:
    try:
        found = parse_toml(read_start(path, CONFIG_LIMIT)).get("presets")
    except (OSError, ValueError) as error:
        trouble.append(f"{path}: is no valid TOML, nothing in it counts: {error}")
        return None
    return tuple(map(str, found)) if isinstance(found, list) else None


def _read_loosened(path: str) -> tuple[str, ...]:
    """What the user's config.toml does not enforce, as it says so; what is wrong with the file is told already."""
    try:
        table = parse_toml(read_start(path, CONFIG_LIMIT))
    except (OSError, ValueError):
        return ()
    modes, policies = table.get("modes"), table.get("policies")
    named = dict(modes) if isinstance(modes, dict) else {}
    tables = policies.items() if isinstance(policies, dict) else ()
    named |= {name: one["mode"] for name, one in tables if isinstance(one, dict) and "mode" in one}
    return tuple(f"{name} ({mode})" for name, mode in named.items() if mode in ("advise", "shadow"))


def _choose_steps(installed: bool, daemon: str, is_troubled: bool, is_awaited: bool) -> Iterator[str]:
    if not installed:
        yield from (step for step, _ in START_STEPS)
        return
    restart, look = (step for step, _ in REPAIR_STEPS)
    if daemon == "hanging":
        yield restart
    if is_troubled:
        yield look
    if is_awaited:
        yield INBOX_STEP[0]
    yield from (step for step, _ in LOOK_STEPS)
