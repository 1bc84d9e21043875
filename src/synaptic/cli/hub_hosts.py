"""`fleet --hub` and `sessions --hub`: all hosts and their sessions, in the tables of the local verbs."""

import time

from synaptic.cli import screen
from synaptic.cli.hub_question import MOST_ROWS, make_question, open_hub
from synaptic.cli.sessions import SHORT_ID, format_time
from synaptic.fleet.roster import describe_age
from synaptic.hub.answers import HostAnswer, SessionAnswer
from synaptic.hub.wire import EPOCH_SHIFT
from synaptic.model.errors import SynapticError
from synaptic.store.journal_filter import JournalFilter
from synaptic.work.event_words import name_project

HOSTS_HEAD = ("HOST", "SEEN", "BEHIND", "VERSION", "BUNDLE", "AGENTS", "TROUBLE")
SESSIONS_HEAD = ("SESSION", "HOST", "AGENT", "PROJECT", "BEGAN", "LAST", "EVENTS", "REFUSED")
MOST_HOSTS = 5000


def show_hosts(*, as_json: bool, everybody: bool) -> None:
    """Every host that has joined; those that were shut out with `--all`."""
    hosts = [one for one in read_hosts() if everybody or not one.revoked_at]
    if as_json:
        screen.print_json({"hosts": hosts})
    elif not hosts:
        screen.say("no host has joined yet (there: synaptic hub invite, then: synaptic join URL)")
    else:
        now = time.time()
        screen.print_table(HOSTS_HEAD, [_make_host(one, now) for one in hosts])


def read_hosts() -> list[HostAnswer]:
    """All hosts, page by page."""
    found: list[HostAnswer] = []
    with open_hub() as client:
        while len(found) < MOST_HOSTS:
            before = found[-1].id if found else ""
            page = client.ask("hosts", list[HostAnswer], limit=MOST_ROWS, before=before)
            found += page
            if len(page) < MOST_ROWS:
                break
    return found


def show_sessions(chosen: JournalFilter, lines: int, *, as_json: bool) -> None:
    """Sessions of all hosts, those that went on last first."""
    asked = make_question(chosen)
    if asked["kind"] not in ("", "deny", "refused") or asked["tool"] or asked["policy"]:
        raise SynapticError("sessions at the hub are found by --denied, --agent, --project, --session and times")
    asked["kind"] = "refused" if asked["kind"] else ""
    with open_hub() as client:
        found = client.ask("sessions", list[SessionAnswer], **asked, limit=min(lines, MOST_ROWS))
    if as_json:
        screen.print_json({"sessions": found})
    elif not found:
        screen.say("no session of any host is like that")
    else:
        screen.print_table(SESSIONS_HEAD, [_make_session(one) for one in found])


def _make_host(one: HostAnswer, now: float) -> tuple[str, ...]:
    behind, status = max(one.newest - one.seq, 0), one.status
    agents = status.agents if status else ()
    told = [status.bundle_trouble, *status.problems] if status else []
    trouble = "revoked" if one.revoked_at else "; ".join(text for text in told if text)
    lag = "a new journal" if behind >> EPOCH_SHIFT else f"{behind:,}" if behind else ""
    doing = ", ".join(f"{agent.label or agent.kind} {agent.status}" for agent in agents)
    return one.id, describe_age(now - one.seen_at), lag, one.version, one.bundle, doing, trouble


def _make_session(one: SessionAnswer) -> tuple[str, ...]:
    times = (format_time(at) if 0 <= at < 4e9 else "?" for at in (one.first_at, one.last_at))
    project = name_project(one.project) or one.project
    return (one.session[:SHORT_ID], one.host, one.agent, project, *times, f"{one.events:,}", f"{one.refused or ''}")
