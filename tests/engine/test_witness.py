"""What was refused and has run all the same: told in the answer to that very event, by every agent's own payloads."""

import asyncio
import json
import sqlite3
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from synaptic.agents.shared import wired
from synaptic.agents.shared.discover import find_agent, load_agents
from synaptic.daemon.client import new_call_id
from synaptic.engine import witness
from synaptic.engine.commit import DecidedEvent
from synaptic.engine.senders import Senders
from synaptic.engine.walk import Engine, open_engine
from synaptic.model.call import Answer, HookProcess, Request
from synaptic.model.witness import Sign, Standing, WitnessedCall
from synaptic.pipeline.witness import judge_call, judge_kept
from synaptic.store import grants, refused
from tests.agents.readers import Heard, reader
from tests.daemon.setting import Setting
from tests.lib.grants import grant_for

AGENTS = Path(__file__).parents[1] / "agents"
REFUSED = "git push --force origin main"
REWRITTEN = "git push --force origin topic"
PLAIN = "ls -la"
CALLS = {
    "claude": ("PreToolUse", "PreToolUse.Bash", "PostToolUse", "PostToolUse.Bash"),
    "codex": ("PreToolUse", "PreToolUse.Bash", "PostToolUse", "PostToolUse.Bash"),
    "gemini": ("BeforeTool", "BeforeTool.run_shell_command", "AfterTool", "AfterTool.run_shell_command"),
    "copilot": ("preToolUse", "preToolUse.bash", "postToolUse", "postToolUse.bash"),
    "droid": ("PreToolUse", "PreToolUse.Execute", "PostToolUse", "PostToolUse.Execute"),
    "qwen": ("PreToolUse", "PreToolUse.run_shell_command", "PostToolUse", "PostToolUse.run_shell_command"),
    "opencode": ("tool.execute.before", "tool.execute.before.bash", "tool.execute.after", "tool.execute.after.bash"),
    "cline": ("PreToolUse", "tool_call.run_commands", "PostToolUse", "tool_result.run_commands"),
}


def put_command(value: Any, old: str, new: str) -> Any:
    """A recorded payload with another command, wherever it stands."""
    if isinstance(value, dict):
        return {key: put_command(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [put_command(item, old, new) for item in value]
    return new if value == old else value


class Client:
    """One session of an agent, by its recorded payloads."""

    def __init__(self, setting: Setting, agent: str) -> None:
        self.setting, self.agent = setting, agent
        self.before, asked, self.after, told = CALLS[agent]
        self.asked, self.told = (json.loads((AGENTS / agent / f"{name}.json").read_bytes()) for name in (asked, told))
        # Both of one session and one call, as they are in the true client.
        for key in ("session_id", "sessionId", "taskId", "tool_use_id", "tool_call_id"):
            if key in self.asked:
                self.told[key] = self.asked[key]
        self.command = "cat a.txt; echo err >&2" if agent == "claude" else self._find_command(asked)

    def _find_command(self, name: str) -> str:
        text = (AGENTS / self.agent / f"{name}.json").read_text()
        return next(line for line in ("echo hello > a.txt; cat a.txt", "echo orig > orig.txt") if line in text)

    def asks(self, command: str, **more: object) -> Answer:
        return self._send(self.before, put_command({**self.asked, **more}, self.command, command))

    def tells(self, command: str, **more: object) -> Answer:
        return self._send(self.after, put_command({**self.told, **more}, self.command, command))

    def request(self, event: str, payload: object) -> Request:
        env = {"HOME": str(self.setting.user), "PATH": "/usr/bin:/bin"}
        return Request(self.agent, event, json.dumps(payload).encode(), new_call_id(), env=env)

    def _send(self, event: str, payload: object) -> Answer:
        return self.setting.answer(self.request(event, payload))

    def rows(self) -> list[Sign]:
        with closing(sqlite3.connect(self.setting.home.database)) as database:
            return [Sign(flags) for (flags,) in database.execute("SELECT flags FROM witness")]

    def standings(self) -> list[Standing]:
        return sorted(map(judge_call, self.rows()))


@pytest.fixture(params=list(CALLS))
def client(setting: Setting, request: pytest.FixtureRequest) -> Client:
    return Client(setting, request.param)


@pytest.fixture
def claude(setting: Setting) -> Client:
    return Client(setting, "claude")


def test_every_agent_says_what_proves_that_a_call_has_run():
    for agent in load_agents():
        assert agent.trail.proves_run <= {"PostToolUse", "PostToolUseFailure"}
        assert agent.trail.after_refusal not in agent.trail.proves_run


def test_what_was_refused_and_ran_is_told_in_that_answer(client: Client):
    """To the model by every agent; to the person by the agent's own channel, or where it has none on stderr."""
    client.asks(REFUSED)
    answer = client.tells(REFUSED)
    heard = hear_claude(answer) if client.agent == "claude" else reader(client.agent)(client.after, answer)
    assert heard is not None
    assert "has run it all the same" in heard.context
    assert find_agent(client.agent).title in heard.context
    assert "git.force-push" in heard.context
    person = heard.user or answer.stderr.decode()
    assert f"`{REFUSED}` was refused" in person
    assert client.standings() == [Standing.DISOBEYED]


def hear_claude(answer: Answer) -> Heard:
    body = json.loads(answer.stdout)
    return Heard(context=body["hookSpecificOutput"]["additionalContext"], user=body["systemMessage"])


def test_it_is_told_once(client: Client):
    client.asks(REFUSED)
    client.tells(REFUSED)
    again = client.tells(REFUSED)
    assert b"refused" not in again.stdout + again.stderr


def test_a_refusal_that_is_obeyed_is_never_told(client: Client):
    client.asks(REFUSED)
    client.asks(PLAIN, **other_number(client))
    answer = client.tells(PLAIN, **other_number(client))
    assert b"refused" not in answer.stdout + answer.stderr
    assert client.standings() == [Standing.OBEYED, Standing.OBEYED]


def other_number(client: Client) -> dict[str, object]:
    """What makes the recorded call another one, where the agent numbers its calls."""
    if client.agent == "opencode":
        return {"input": {**client.told["input"], "callID": "call_other"}}
    if client.agent == "cline":
        return {}
    return {"tool_use_id": "call_other"} if "tool_use_id" in client.asked else {}


def test_the_same_number_let_through_later_is_obeyed(claude: Client):
    """A person may allow a refused call, and the agent asks again."""
    claude.asks(REFUSED)
    claude.asks(PLAIN)
    assert claude.tells(PLAIN).stdout == b""
    assert Standing.DISOBEYED not in claude.standings()


def test_one_number_for_all_calls_of_a_turn_is_no_disobedience(claude: Client):
    """Some models repeat it; the input tells which of them ran."""
    for command in (PLAIN, REFUSED, "pwd"):
        claude.asks(command)
    for command in (PLAIN, "pwd"):
        assert claude.tells(command).stdout == b""
    assert b"all the same" in claude.tells(REFUSED).stdout


def test_a_rewrite_that_is_ignored_is_told(claude: Client):
    assert b"--force-with-lease" in claude.asks(REWRITTEN).stdout
    answer = claude.tells(REWRITTEN)
    assert b"has run it as it was" in answer.stdout
    assert Standing.REWRITE_IGNORED in claude.standings()


def test_a_rewrite_that_is_followed_is_obeyed(client: Client):
    said = client.asks(REWRITTEN).stdout
    ran = REWRITTEN if client.agent == "qwen" else "git push --force-with-lease origin topic"
    if client.agent == "qwen":
        return  # it refuses instead
    assert b"--force-with-lease" in said
    answer = client.tells(ran)
    assert b"all the same" not in answer.stdout + answer.stderr
    assert b"as it was" not in answer.stdout + answer.stderr
    assert set(client.standings()) == {Standing.OBEYED}


def test_a_question_that_a_person_answered_at_the_agents_prompt_is_obeyed(claude: Client):
    asked = claude.asks("terraform destroy -auto-approve")
    assert b'"ask"' in asked.stdout
    assert claude.tells("terraform destroy -auto-approve").stdout == b""
    assert claude.standings() == [Standing.OBEYED]


def test_a_result_without_a_question_is_not_observable(client: Client):
    """The question may have been lost: the client's patience, a dispatcher that was killed, a daemon without a disk."""
    answer = client.tells(PLAIN)
    assert b"without asking" not in answer.stdout + answer.stderr
    assert client.standings() == [Standing.NOT_OBSERVABLE]


def test_a_refusal_in_another_session_is_nobodys(claude: Client):
    """A fork has the numbers of the session that it began as."""
    claude.asks(REFUSED)
    assert claude.tells(REFUSED, session_id="a-fork").stdout == b""


def test_a_call_without_a_session_is_not_witnessed(claude: Client):
    claude.asks(REFUSED, session_id="")
    assert claude.tells(REFUSED, session_id="").stdout == b""
    assert claude.rows() == []


def test_a_journal_that_is_off_keeps_nothing_and_raises_nothing(claude: Client):
    claude.setting.config('journal = "off"\n')
    claude.asks(REFUSED)
    assert claude.tells(REFUSED).stdout == b""
    assert claude.rows() == []


def test_a_journal_of_structure_is_enough(claude: Client):
    claude.setting.config('journal = "structure"\n')
    claude.asks(REFUSED)
    assert b"all the same" in claude.tells(REFUSED).stdout
    with closing(sqlite3.connect(claude.setting.home.database)) as database:
        assert b"push" not in repr(database.execute("SELECT * FROM witness").fetchall()).encode()


def test_a_result_that_a_tool_has_forged_is_not_believed(claude: Client, monkeypatch: pytest.MonkeyPatch):
    """A process that began during another call tells that a refused one ran: nothing is told."""
    claude.asks(REFUSED)
    payload = put_command(claude.told, claude.command, REFUSED)
    sent = msgspec.structs.replace(claude.request("PostToolUse", payload), sent=HookProcess((7, "1"), 0.0, 1.0))
    monkeypatch.setattr(Senders, "is_during_tool", lambda self, sent: True)
    assert claude.setting.answer(sent).stdout == b""
    assert claude.standings() == [Standing.NOT_OBSERVABLE], "the true one looks the same while another call is open"
    monkeypatch.undo()
    assert b"all the same" in claude.tells(REFUSED).stdout, "the true one is told afterwards"


def test_a_result_from_below_an_agent_is_not_believed(claude: Client):
    claude.asks(REFUSED)
    payload = put_command(claude.told, claude.command, REFUSED)
    stranger = msgspec.structs.replace(claude.request("PostToolUse", payload), stranger="a tool has sent it")
    assert b"all the same" not in claude.setting.answer(stranger).stdout
    assert claude.standings() == [Standing.OBEYED]


def test_a_decision_after_the_agents_patience_is_not_disobeyed():
    call = WitnessedCall(number="t", said=b"$x", signs=Sign.REFUSED | Sign.NUMBERED)
    late = witness.mark_late(call, 601_000_000, 600.0)
    assert late is not None
    assert judge_call(late.signs | Sign.RAN) is Standing.NOT_OBSERVABLE
    assert witness.mark_late(call, 599_000_000, 600.0) is call


def test_without_the_entry_that_asks_a_call_is_unasked(claude: Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(witness, "lacks_own_entry", lambda *given: True)
    for number in range(3):
        answer = claude.tells(PLAIN, tool_use_id=f"toolu_{number}")
        assert b"without asking" in answer.stdout
    assert claude.standings() == [Standing.UNASKED] * 3


def test_a_home_that_bootstrap_has_not_wired_lacks_nothing(setting: Setting):
    env = {"HOME": str(setting.user)}
    assert not wired.lacks_own_entry(setting.home, "claude", env, "PreToolUse")


def test_a_trouble_of_the_store_tells_nothing(claude: Client, monkeypatch: pytest.MonkeyPatch):
    claude.asks(REFUSED)

    def fail(*given: object) -> None:
        raise OSError("disk I/O error")

    monkeypatch.setattr(witness.witness, "find_call", fail)
    assert claude.tells(REFUSED).stdout == b""


def test_a_rehearsal_is_no_result(claude: Client):
    payload = put_command(claude.told, claude.command, REFUSED)
    claude.asks(REFUSED)
    claude.setting.rehearse(claude.request("PostToolUse", payload))
    assert claude.standings() == [Standing.OBEYED]


def in_one_engine(client: Client, story: Callable[[Engine], Awaitable[None]]) -> None:
    async def tell() -> None:
        engine = open_engine(client.setting.home)
        try:
            await story(engine)
        finally:
            await engine.close()

    asyncio.run(tell())


def test_what_a_person_said_no_to_while_it_waited_is_refused(claude: Client):
    """The call was a question when it came, and a refusal when it was answered."""
    claude.setting.config("[ask]\nwait = 500\n")
    command = "terraform destroy -auto-approve"
    asked, told = (
        claude.request(event, put_command(given, claude.command, command))
        for event, given in (("PreToolUse", claude.asked), ("PostToolUse", claude.told))
    )
    asked = msgspec.structs.replace(asked, env={**asked.env, "CLAUDE_CODE_SESSION_ATTENDED": "0"})

    async def story(engine: Engine) -> None:
        waiting = asyncio.create_task(engine.answer(asked))
        async with asyncio.timeout(20):
            while not len(engine.held):
                await asyncio.sleep(0.01)
        marks = [call.mark for call in refused.list_refused(engine.store)]
        refused.answer_refused(engine.store, marks, "upheld", time.time())
        assert b"said no" in (await waiting).stdout
        assert b"all the same" in (await engine.answer(told)).stdout

    in_one_engine(claude, story)


def test_what_lost_its_exception_before_it_was_written_is_refused(claude: Client, monkeypatch: pytest.MonkeyPatch):
    """Somebody else was faster: the call is decided anew, without the exception."""
    claude.asks(REFUSED)

    async def story(engine: Engine) -> None:
        acts = [act for call in refused.list_refused(engine.store) for act in call.subject.acts]
        grants.add_grants(engine.store, [grant_for(act) for act in acts])
        write = engine.commit.write

        async def revoke_and_write(request: Request, event: DecidedEvent, *rest: Any) -> DecidedEvent:
            ids = [known.grant.id for known in grants.list_grants(engine.store)]
            grants.revoke_grants(engine.store, ids, time.time())
            return await write(request, event, *rest)

        monkeypatch.setattr(engine.commit, "write", revoke_and_write)
        payload = put_command(claude.asked, claude.command, REFUSED)
        assert b'"deny"' in (await engine.answer(claude.request("PreToolUse", payload))).stdout
        payload = put_command(claude.told, claude.command, REFUSED)
        assert b"all the same" in (await engine.answer(claude.request("PostToolUse", payload))).stdout

    in_one_engine(claude, story)


def test_a_question_from_below_an_agent_lets_nothing_through(claude: Client):
    claude.asks(REFUSED)
    asked = claude.request("PreToolUse", put_command(claude.asked, claude.command, REFUSED))
    told = claude.request("PostToolUse", put_command(claude.told, claude.command, REFUSED))
    claude.setting.config("presets = []\n")

    async def story(engine: Engine) -> None:
        let = await engine.answer(msgspec.structs.replace(asked, stranger="a tool has sent it"))
        assert b"deny" not in let.stdout
        assert b"all the same" in (await engine.answer(told)).stdout

    in_one_engine(claude, story)


def test_a_flood_of_other_inputs_under_one_number_hides_nothing(claude: Client):
    commands = [f"{REFUSED} && ls {number}" for number in range(8)]

    async def story(engine: Engine) -> None:
        for number in range(200):
            await engine.answer(claude.request("PreToolUse", put_command(claude.asked, claude.command, f"ls {number}")))
        for command in commands:
            await engine.answer(claude.request("PreToolUse", put_command(claude.asked, claude.command, command)))
            told = claude.request("PostToolUse", put_command(claude.told, claude.command, command))
            assert b"all the same" in (await engine.answer(told)).stdout

    in_one_engine(claude, story)


def test_what_was_told_stays_told_when_the_same_call_is_let_through_later(client: Client):
    client.asks(REFUSED)
    client.tells(REFUSED)
    client.setting.config("presets = []\n")
    client.asks(REFUSED)
    client.tells(REFUSED)
    assert client.standings() == [Standing.DISOBEYED]
    with closing(sqlite3.connect(client.setting.home.database)) as database:
        assert database.execute("SELECT asked, ran FROM witness").fetchall() == [(1, 2)], "the events of the alarm"


def test_a_refusal_after_a_run_that_nobody_was_asked_about_is_no_disobedience(client: Client):
    """Its first question was lost; the second was refused, and obeyed."""
    client.tells(REFUSED)
    client.asks(REFUSED)
    assert [judge_kept(signs) for signs in client.rows()] == [Standing.NOT_OBSERVABLE]
    told = client.tells(REFUSED)
    assert b"all the same" in told.stdout + told.stderr
    assert client.standings() == [Standing.DISOBEYED]


def test_an_input_that_ran_under_another_calls_number_may_be_refused_later(claude: Client):
    claude.asks(PLAIN)
    claude.tells(REFUSED)
    claude.asks(REFUSED)
    assert b"all the same" in claude.tells(REFUSED).stdout


def test_a_call_drives_no_terminal_and_turns_no_letters_around(client: Client):
    command = f"{REFUSED} # \x1b[2K\x1b[1A\x07\x9b2J\u202e"
    for answer in (client.asks(command), client.tells(command)):
        shown = answer.stdout.decode() + answer.stderr.decode()
        assert not [letter for letter in ("\x1b", "\\u001b", "\x9b", "\u202e", "\\u202e") if letter in shown.lower()]


def test_half_a_secret_is_nowhere_kept(client: Client):
    """A message shows the beginning of a call; a secret that is cut has no shape by which it could be redacted."""
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7H8"
    for length in range(110, 165, 9):
        command = f"{REFUSED} # ".ljust(length, "x") + f" {token}"
        client.asks(command)
        client.tells(command)
    with closing(sqlite3.connect(client.setting.home.database)) as database:
        assert token[:8] not in "\n".join(database.iterdump())


def test_where_a_plugin_asks_as_well_no_entry_is_missing(claude: Client, monkeypatch: pytest.MonkeyPatch):
    settings = claude.setting.user / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text("{}")
    monkeypatch.setattr(wired, "_read_marked", lambda home: {str(settings): "claude"})
    env = {"HOME": str(claude.setting.user)}
    assert wired.lacks_own_entry(claude.setting.home, "claude", env, "PreToolUse")
    with_plugin = {**env, "CLAUDE_PLUGIN_ROOT": "/plugins/synaptic"}
    assert not wired.lacks_own_entry(claude.setting.home, "claude", with_plugin, "PreToolUse")


def test_of_an_agent_that_tells_no_results_nobody_knows_whether_it_obeys(setting: Setting):
    """Here an orchestrator's own, in our dialect; Amp is another one."""
    payload = setting.payload(tool_input={"command": REFUSED}, event_type="PreToolUse")
    answer = setting.answer(setting.raw("PreToolUse", json.dumps(payload).encode(), "synaptic"))
    assert b"git push origin HEAD" in answer.stdout + answer.stderr, "it was refused"
    with closing(sqlite3.connect(setting.home.database)) as database:
        ((flags,),) = database.execute("SELECT flags FROM witness").fetchall()
    assert judge_kept(Sign(flags)) is Standing.NOT_OBSERVABLE
