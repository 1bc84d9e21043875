"""`synaptic status`, and `synaptic` alone: what runs here, what is on, what happened last, and what to type next."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec

import synaptic
from synaptic.cli import event, screen
from synaptic.cli.place import CommandPlace, find_place, open_journal
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.daemon.ask import greet_daemon
from synaptic.daemon.standing import read_status
from synaptic.files.bounded import read_start
from synaptic.files.toml import parse_toml
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.model.presets import DEFAULT_PRESETS
from synaptic.store import entries
from synaptic.store.record import JournalEntry
from synaptic.work.exceptions import format_exceptions, list_in_force

app = make_verb_app()
LAST_EVENTS = 5
CONFIG_LIMIT = 1 << 20
EXAMPLES = """
synaptic            the same, without a verb
synaptic status --json
"""
REPAIR_STEPS = (
    ("synaptic daemon restart", "end the daemon that does not answer"),
    ("synaptic doctor", "what is wrong, and what to type"),
)
LOOK_STEPS = (
    ("synaptic check 'git push -f'", "what would be said about a call"),
    ("synaptic tail -f", "events as they happen"),
    ("synaptic explain --last", "why the last one ended as it did"),
    ("synaptic policy list --on", "the rules that are on"),
    ("synaptic --help", "every verb"),
)
START_STEPS = (("synaptic up", "set everything up and see one event go through"), LOOK_STEPS[0], LOOK_STEPS[-1])


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
    last: tuple[str, ...]
    """The newest events, a line each, newest last."""
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
    for title, text in _list_facts(found):
        print(f"{title:<9} {screen.cut_line(text, 10)}")
    for line in found.last:
        screen.say(screen.cut_line(f"  {line}", 0))
    for line in found.trouble:
        print(f"{screen.paint_word('warn')}      {screen.clean_text(line)}")
    print()
    known = dict(START_STEPS + REPAIR_STEPS + LOOK_STEPS)
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
    last, exceptions = _read_journal(place, trouble)
    presets, of_project = _read_presets(place, trouble)
    return Overview(
        version=synaptic.__version__,
        home=str(home.root),
        project=place.root,
        installed=installed,
        daemon=state,
        daemon_version=now.version,
        pid=now.pid,
        agents=tuple(_list_agents(home, trouble)),
        presets=presets,
        project_presets=of_project,
        loosened=_read_loosened(str(place.home.config)),
        exceptions=exceptions,
        last=last,
        trouble=tuple(trouble),
        next=tuple(_choose_steps(installed, state, bool(trouble))),
    )


def _list_facts(found: Overview) -> Iterator[tuple[str, str]]:
    yield "synaptic", f"{found.version}, {'in ' + found.home if found.installed else 'not set up yet'}"
    who = f" (process {found.pid}, version {found.daemon_version})" if found.pid else ""
    yield "daemon", f"{found.daemon}{who}"
    yield "agents", ", ".join(found.agents) or "none calls Synaptic yet"
    yield "presets", ", ".join(found.presets + tuple(f"{name} (project)" for name in found.project_presets)) or "none"
    if found.loosened:
        yield "modes", f"not enforced: {', '.join(found.loosened)}"
    yield "project", found.project or "none here"
    if found.exceptions:
        yield "grants", format_exceptions(found.exceptions)
    yield "events", "the last ones:" if found.last else "none yet"


def _read_journal(place: CommandPlace, trouble: list[str]) -> tuple[tuple[str, ...], int]:
    """The newest events, and how many exceptions are in force."""
    if not place.home.database.exists():
        return (), 0
    try:
        with open_journal(place.home) as store:
            newest = entries.read_last_entries(store, LAST_EVENTS)
            exceptions = len(list_in_force(store, place.root))
            trouble.extend(store.notices)
    except (SynapticError, OSError) as error:
        trouble.append(f"the journal cannot be read: {error}")
        return (), 0
    return tuple(_format_entries(newest)), exceptions


def _format_entries(newest: Sequence[JournalEntry]) -> Iterator[str]:
    for entry in reversed(newest):
        with suppress(SynapticError):
            yield event.format_entry_line(entry)


def _list_agents(home: Home, trouble: list[str]) -> list[str]:
    from synaptic.agents.shared.record import load_record  # noqa: PLC0415  with all that is known about settings

    try:
        return sorted({mark.agent for mark in load_record(home).settings.values()})
    except (SynapticError, OSError) as error:
        trouble.append(str(error))
        return []


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


def _choose_steps(installed: bool, daemon: str, is_troubled: bool) -> Iterator[str]:
    if not installed:
        yield from (step for step, _ in START_STEPS)
        return
    restart, look = (step for step, _ in REPAIR_STEPS)
    if daemon == "hanging":
        yield restart
    if is_troubled:
        yield look
    yield from (step for step, _ in LOOK_STEPS)
