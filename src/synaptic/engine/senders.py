"""Who has sent an event: the agent itself by its hook, a person, or something below an agent that speaks for others."""

import sys
import time
from collections.abc import Iterator, Sequence
from enum import Enum

import msgspec

from synaptic.agents.shared.authority import find_authority
from synaptic.agents.shared.callers import HookCallers, ProcessKey
from synaptic.agents.shared.discover import OWN_NAME, find_adapter, has_dialect
from synaptic.agents.shared.lineage import Sender, examine_sender, find_agent_above, list_markers
from synaptic.agents.shared.ours import is_dispatcher
from synaptic.agents.shared.processes import TICKS_PER_SECOND, ProcessInfo, read_process, read_program
from synaptic.agents.shared.recognise import correct_sender
from synaptic.model.authority import Authority
from synaptic.model.call import HookProcess, Request
from synaptic.model.decision import Kind
from synaptic.model.errors import StoreError, SynapticError
from synaptic.model.event import ABILITY_EVENTS, PreToolUse
from synaptic.model.home import Home
from synaptic.policies.self.verbs import SPEAKING_EVENTS
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.store.record import JournalEntry

BELIEVED_SECONDS = 10.0
"""For how long a caller that was looked at is not looked at again."""
OLDEST_CALL = 15.0
"""Seconds after which a process that brings a prompt was not started for it."""
MARK_BYTES = 64
"""How much of a payload's beginning tells its session from others; where it tells more, one more look is taken."""
MOST_SESSIONS = 4096
READ_EVENTS = 200
"""Events of a session that are searched for tool calls that are not over."""
CLOSING_EVENTS = frozenset({"Stop", "SessionStart", "SessionEnd"})
AFTER_TOOL = frozenset({"PostToolUse", "PostToolUseFailure"})
OUTWARD_MARKS = (b'"Web', b'"mcp__', b"\\u00")
"""What the payload of a call that looks something up elsewhere holds, or one that hides how its tool is called."""
CLOCK_SLACK = 0.05
"""Seconds by which the start of a process, counted in ticks, may seem too early."""

Window = tuple[float, float]
NOBODY: ProcessKey = (0, "")


class _EventKind(Enum):
    """What an event may move, and so how closely its sender is looked at."""

    FREE = "an orchestrator's own event, which speaks for nobody"
    BEFORE = "before a tool: it only asks, so one look a session is enough"
    PROMPT = "what a person says"
    OTHER = "everything else"


class Senders:
    """Looks at the processes behind calls, and remembers those that are agents."""

    def __init__(self, home: Home, store: Store) -> None:
        self._callers = HookCallers(home)
        self._store = store
        self._kinds: dict[tuple[str, str], _EventKind] = {}
        self._seen: dict[bytes, ProcessKey] = {}
        """How payloads of known sessions begin, and who sent the last one that was looked at."""
        self._believed: dict[int, tuple[float, ProcessInfo]] = {}
        self._sessions: dict[ProcessKey, dict[str, None]] = {}

    def find_agent_above(self, pid: int) -> str:
        """What makes the process an agent's; "" for a person's."""
        return find_agent_above(pid, self._callers)

    def find_authority(self, pid: int, connected: float = 0.0) -> Authority:
        """Who says yes, and how that is known; `connected` is when they came, by the clock of processes' starts."""
        process = read_process(pid)
        if process is not None and connected and _was_started_after(process, connected):
            return Authority(standing="unsure", why="whoever connected has ended, and another process has its number")
        return find_authority(pid, self._callers)

    def prepare(self) -> None:
        """Load what the first look needs, before an event waits for it."""
        list_markers()

    def is_familiar(self, request: Request) -> bool:
        """Whether nobody has to be looked at: it says nothing for a person, or asks in a session that is known."""
        kind = self._find_kind(request)
        return kind is _EventKind.FREE or (
            kind is _EventKind.BEFORE and request.stdin[:MARK_BYTES] in self._seen and not _looks_outward(request)
        )

    def is_question(self, request: Request) -> bool:
        """Whether the event only asks, before a tool, and opens nothing by having been asked."""
        return self._find_kind(request) is _EventKind.BEFORE and not _looks_outward(request)

    def is_spoken(self, request: Request) -> bool:
        """Whether the event is what a person says."""
        return self._find_kind(request) is _EventKind.PROMPT

    def examine(self, request: Request, pid: int) -> Request:
        """The request as it may count: with the reason, where it is not the agent's own or a person's.

        Where the process is not known (0), which is so on loopback, only what a person says is not believed.
        """
        kind = self._find_kind(request)
        if self.is_familiar(request) or (not pid and kind is not _EventKind.PROMPT):
            return request
        sender = self._look_at(pid)
        why = sender.why
        if not why:
            self._remember_session(request, sender)
        if not why and sender.kind == "hook" and kind is _EventKind.PROMPT:
            why = self._find_doubt(sender)
        if why:
            return msgspec.structs.replace(request, stranger=why)
        reports = kind is _EventKind.OTHER and sender.kind == "hook"
        return msgspec.structs.replace(request, sent=_describe_process(sender)) if reports else request

    def is_during_tool(self, sent: HookProcess) -> bool:
        """Whether a process was started while a tool call of its agent ran. Raises StoreError."""
        names = self._sessions.get(sent.caller, ())
        windows = [one for name in names for one in self._list_windows(name)]
        # Calls from before the agent was started are those of another process in the same session.
        return any(begin >= sent.born and begin - CLOCK_SLACK <= sent.started <= end for begin, end in windows)

    def find_caller(self, session: str) -> int:
        """The agent's process that a session's events come from; 0 where nobody has looked at one, or it is gone."""
        keys = [key for key, names in self._sessions.items() if session in names]
        process = read_process(keys[-1][0]) if session and keys else None
        return process.pid if process and process.key == keys[-1] else 0

    def _find_kind(self, request: Request) -> _EventKind:
        named = (request.agent, request.event)
        if named not in self._kinds:
            if len(self._kinds) > MOST_SESSIONS:
                self._kinds.clear()
            self._kinds[named] = _classify_event(*named)
        return self._kinds[named]

    def _look_at(self, pid: int) -> Sender:
        """Who sent it. A caller that was just looked at is believed when it has run the dispatcher directly."""
        process = read_process(pid)
        until, caller = self._believed.get(process.parent, (0.0, None)) if process else (0.0, None)
        if caller is not None and until > time.monotonic() and is_dispatcher(read_program(pid), self._callers.dispatch):
            return Sender("hook", caller=caller, process=process)
        sender = examine_sender(pid, self._callers)
        if sender.kind == "hook" and sender.caller is not None:
            if len(self._believed) > MOST_SESSIONS:
                self._believed.clear()
            self._believed[sender.caller.pid] = (time.monotonic() + BELIEVED_SECONDS, sender.caller)
        return sender

    def _remember_session(self, request: Request, sender: Sender) -> None:
        """Which sessions are a caller's: its tool calls are looked for there."""
        mark, caller = request.stdin[:MARK_BYTES], sender.caller.key if sender.caller else NOBODY
        if self._seen.get(mark) == caller:
            return
        if len(self._seen) > MOST_SESSIONS:
            self._seen.clear()
            self._sessions.clear()
        self._seen[mark] = caller
        if sender.kind == "hook":
            self._sessions.setdefault(caller, {})[_read_session(request)] = None

    def _find_doubt(self, sender: Sender) -> str:
        """What a tool starts can put the dispatcher in its own place: such a process was started during the call."""
        sent = _describe_process(sender)
        if sent is None:
            return ""
        if time.time() - sent.started > OLDEST_CALL:
            return "its process was not started for it"
        try:
            is_during = self.is_during_tool(sent)
        except StoreError:
            return "the journal cannot be read, so a tool call that is running may have sent it"
        return "it came while a tool call was running, which may have sent it" if is_during else ""

    def _list_windows(self, session: str) -> Iterator[Window]:
        newest = journal.read_last_entries(self._store, READ_EVENTS, session=session) if session else ()
        return iter_windows(newest[::-1])


def iter_windows(entries: Sequence[JournalEntry]) -> Iterator[Window]:
    """From when to when tool calls ran, in the events of one session, oldest first."""
    running: dict[tuple[str, str], list[float]] = {}
    for entry in entries:
        calls = running.setdefault((entry.agent_id, entry.tool), [])
        if entry.event == PreToolUse.__name__ and entry.decision.kind is not Kind.DENY:
            calls.append(entry.at)
        elif entry.event in AFTER_TOOL and calls:
            yield calls.pop(0), entry.at
        elif entry.event in CLOSING_EVENTS:
            yield from ((begin, entry.at) for begins in running.values() for begin in begins)
            running.clear()
    yield from ((begin, float("inf")) for begins in running.values() for begin in begins)


def _classify_event(agent: str, event: str) -> _EventKind:
    if event in {kind.__name__ for kind in ABILITY_EVENTS}:
        return _EventKind.FREE
    name = find_adapter(agent).to_canonical(event) if has_dialect(agent) else event
    if name in SPEAKING_EVENTS:
        return _EventKind.PROMPT
    # An orchestrator's events are its own words; only what it says in a person's name matters.
    if agent == OWN_NAME:
        return _EventKind.FREE
    return _EventKind.BEFORE if name == PreToolUse.__name__ else _EventKind.OTHER


def _looks_outward(request: Request) -> bool:
    """Whether the call looks something up elsewhere: its result is research, so it matters who has announced it."""
    return any(mark in request.stdin for mark in OUTWARD_MARKS)


def _describe_process(sender: Sender) -> HookProcess | None:
    """The process of a hook call; None where the agent itself sent it, or where starts are not told exactly."""
    started = _find_start(sender.process) if sender.process is not sender.caller else None
    if started is None or sender.caller is None:
        return None
    return HookProcess(sender.caller.key, _find_start(sender.caller) or 0.0, started)


def _read_session(request: Request) -> str:
    try:
        sent = correct_sender(request)
        return find_adapter(sent.agent).decode(sent).event.session_id
    except SynapticError:
        return ""


def _was_started_after(process: ProcessInfo, moment: float) -> bool:
    return sys.platform == "linux" and int(process.started) / TICKS_PER_SECOND > moment


def _find_start(process: ProcessInfo | None) -> float | None:
    """When a process was forked; replacing its program does not change that. None where it is not told exactly."""
    if process is None or sys.platform != "linux":
        return None
    return time.time() - (time.clock_gettime(time.CLOCK_BOOTTIME) - int(process.started) / TICKS_PER_SECOND)
