"""Generated sessions with lost, repeated and reordered events and kills: no alarm that is not true.

Of an agent that numbers its calls an alarm is true when that very call was refused and has run. Of one that does not,
when an input was refused, has run, and was never let through. A result cannot come before the decision about its own
call: the answer leaves after it is written.
"""

import asyncio
import json
import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from synaptic.daemon.client import new_call_id
from synaptic.engine.walk import Engine, open_engine
from synaptic.model.call import Request
from synaptic.model.home import Home
from synaptic.work.witness_report import make_report

REFUSED = ("git push --force origin main", "git push -f origin master")
ASKED = ("terraform destroy -auto-approve",)
REWRITTEN = {"git push --force origin topic": "git push --force-with-lease origin topic"}
QUIET = ("ls -la", "pwd", "git status")
COMMANDS = st.sampled_from((*REFUSED, *ASKED, *REWRITTEN, *QUIET))
TOLD_WORDS = ("run it all the same", "run it as it was", "without asking")
EXAMPLES = int(os.environ.get("SYNAPTIC_WITNESS_EXAMPLES", "25"))


class Call:
    """One call of the agent, as it truly went."""

    def __init__(self, session: str, number: str, command: str) -> None:
        self.session, self.number, self.command = session, number, command
        self.runs = command
        self.is_refused = self.is_heard = self.was_let = False


class Sessions(RuleBasedStateMachine):
    """Two sessions, of an agent with numbers and of one without; a daemon that may be killed between any two events."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="syn-w-"))
        (self.folder / "project" / ".synaptic").mkdir(parents=True)
        (self.folder / ".synaptic").mkdir()
        self.loop = asyncio.new_event_loop()
        self.engine: Engine | None = None
        self.calls: list[Call] = []
        self.sent: list[Request] = []
        self.let: set[tuple[str, str]] = set()
        """Of the session without numbers: what was let through."""
        self.refused: set[tuple[str, str]] = set()
        self.wrong: list[str] = []
        self.told: set[tuple[str, str, str]] = set()
        self.alarms = 0

    def teardown(self) -> None:
        if self.engine:
            self.loop.run_until_complete(self.engine.close())
        self.loop.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @rule(command=COMMANDS, session=st.sampled_from(("s1", "s2", "bare")), loses=st.booleans(), again=st.booleans())
    def asks(self, command: str, session: str, loses: bool, again: bool) -> None:
        """A call is asked about; its question may be lost, and then it runs; it may come twice."""
        number = "" if session == "bare" else f"toolu_{len(self.calls)}"
        call = Call(session, number, command)
        self.calls.append(call)
        if loses:
            return
        call.is_heard = True
        for _ in range(1 + again):
            self._asks(call)

    @rule(place=st.integers(0, 50))
    def asks_again_under_the_number(self, place: int) -> None:
        """A client that tries a hook again."""
        if (call := self._pick(place)) and call.is_heard:
            self._asks(call)

    @rule(place=st.integers(0, 50), failed=st.booleans(), times=st.integers(1, 2))
    def tells_what_an_obedient_agent_tells(self, place: int, failed: bool, times: int) -> None:
        """Results in any order, some of them twice, some never."""
        call = self._pick(place)
        if call is None or call.is_refused:
            return
        for _ in range(times):
            text = self._send(call, "PostToolUseFailure" if failed else "PostToolUse", call.runs)
            self._judge(call, text, is_true=call.number == "" and self._is_true_of_bare(call))

    @rule(place=st.integers(0, 50))
    def runs_what_was_refused(self, place: int) -> None:
        """An agent, or whoever stands between, that ignores the refusal."""
        call = self._pick(place)
        if call is None or not call.is_refused:
            return
        text = self._send(call, "PostToolUse", call.command)
        key = (call.session, call.number, call.command)
        # What was let through once under its number is never told again.
        is_true = not call.was_let if call.number else self._is_true_of_bare(call)
        expected = key not in self.told and is_true
        if expected and "all the same" not in text:
            self.wrong.append(f"nothing was told about {key}")
        self.told.add(key)

    @rule(place=st.integers(0, 50))
    def a_fork_tells_the_result(self, place: int) -> None:
        """Another session with the numbers of this one."""
        if (call := self._pick(place)) and call.number:
            fork = Call("fork", call.number, call.command)
            self._judge(fork, self._send(fork, "PostToolUse", call.command), is_true=False)

    @rule(event=st.sampled_from(("Stop", "SessionStart", "UserPromptSubmit", "SessionEnd", "PostToolBatch")))
    def something_else_happens(self, event: str) -> None:
        self._deliver(event, {"session_id": "s1", "source": "resume", "prompt": "go on"})

    @rule(place=st.integers(0, 200))
    def a_request_is_sent_again(self, place: int) -> None:
        """The dispatcher asks somebody else about the same request."""
        if self.sent:
            self._answer(self.sent[place % len(self.sent)])

    @rule(is_on=st.booleans())
    def its_person_switches_the_guard(self, is_on: bool) -> None:
        """The same call is refused at one time and let through at another."""
        (self.folder / ".synaptic" / "config.toml").write_text("" if is_on else "presets = []\n")

    @rule()
    def somebody_reads_the_report(self) -> None:
        """It counts what was told, no less and no more."""
        if self.engine:
            made = make_report(self.engine.store, 0.0)
            assert made.alarms == len(made.told) == self.alarms

    @rule()
    def is_killed(self) -> None:
        """The process ends between two events, without closing anything."""
        if self.engine:
            # Threads cannot be killed: what they have begun ends first, and nothing else is closed or settled.
            self.loop.run_until_complete(self.engine._witness.finish())
            self.engine.store._close_connection()
        self.engine = None

    @invariant()
    def nothing_false_was_told(self) -> None:
        assert self.wrong == []

    def _pick(self, place: int) -> Call | None:
        return self.calls[place % len(self.calls)] if self.calls else None

    def _asks(self, call: Call) -> None:
        text = self._send(call, "PreToolUse", call.command)
        call.is_refused = '"deny"' in text
        call.was_let |= not call.is_refused
        call.runs = REWRITTEN.get(call.command, call.command) if "with-lease" in text else call.command
        seen = self.refused if call.is_refused else self.let
        seen.add((call.session, call.runs))

    def _is_true_of_bare(self, call: Call) -> bool:
        return (call.session, call.runs) in self.refused - self.let

    def _judge(self, call: Call, text: str, is_true: bool) -> None:
        told = any(words in text for words in TOLD_WORDS)
        # A rewrite whose question was lost runs as it was: without numbers it is the call that was rewritten before.
        lost = not call.number and call.command in REWRITTEN and not call.is_heard
        if told and not is_true and not lost:
            self.wrong.append(f"told about {call.session} {call.number} {call.command}: {text[:300]}")
        if told:
            self.told.add((call.session, call.number, call.command))

    def _send(self, call: Call, event: str, command: str) -> str:
        numbered = {"tool_use_id": call.number} if call.number else {}
        given = {"tool_name": "Bash", "tool_input": {"command": command}, "session_id": call.session}
        text = self._deliver(event, {**given, **numbered})
        self.alarms += any(words in text for words in TOLD_WORDS)
        return text

    def _deliver(self, event: str, payload: dict[str, object]) -> str:
        base = {"cwd": str(self.folder / "project"), "hook_event_name": event}
        env = {"HOME": str(self.folder), "PATH": "/usr/bin:/bin"}
        request = Request("claude", event, json.dumps({**base, **payload}).encode(), new_call_id(), env=env)
        self.sent.append(request)
        return self._answer(request)

    def _answer(self, request: Request) -> str:
        async def work() -> str:
            self.engine = self.engine or open_engine(Home(self.folder / ".synaptic"))
            return (await self.engine.replay(request)).stdout.decode()

        return self.loop.run_until_complete(work())


TestSessions = Sessions.TestCase
TestSessions.settings = settings(max_examples=EXAMPLES, stateful_step_count=20, deadline=None)
