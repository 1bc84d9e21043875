"""Background hooks of calls whose process and sender were both killed."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from synaptic.engine.promised_runs import decode_request, encode_request
from synaptic.engine.walk import Engine
from synaptic.model.call import Request
from tests.daemon.setting import Setting
from tests.runners.making import eventually

KILLED_ENGINE = """
import asyncio, os, sys
from pathlib import Path
from synaptic.engine.promised_runs import decode_request
from synaptic.engine.walk import open_engine
from synaptic.model.home import Home
from synaptic.runners.execute import HookRunners
from synaptic.store import journal

def kill(*given, **named):
    os.kill(os.getpid(), 9)

if sys.argv[2] == "after":
    HookRunners.launch = kill
else:
    journal.claim_records = kill

async def answer():
    await open_engine(Home(Path(sys.argv[1]))).answer(decode_request(sys.stdin.buffer.read()))

asyncio.run(answer())
"""


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    made = Setting(tmp_path)
    made.register("later", blocking=False)
    return made


def kill_engine(setting: Setting, request: Request, when: str) -> None:
    """A process that is killed on one side of the moment in which a call is written; its sender is gone as well."""
    command = [sys.executable, "-c", KILLED_ENGINE, str(setting.home.root), when]
    done = subprocess.run(
        command, input=encode_request(request), capture_output=True, env=dict(request.env), timeout=60
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


def grow_old(setting: Setting) -> None:
    for entry in setting.home.spool.iterdir():
        os.utime(entry, (time.time() - 60,) * 2)


def look(setting: Setting) -> None:
    """The look of the next daemon, with all that a minute later is left of the dead one."""

    async def launch(engine: Engine) -> None:
        await engine.launch_left()
        await engine.launch_left()

    asyncio.run(setting._with_engine(launch))


def list_spooled(setting: Setting) -> list[Path]:
    return list(setting.home.spool.iterdir())


def test_a_hook_that_a_killed_process_has_promised_is_launched_by_the_next_one_once(setting: Setting) -> None:
    """Law: what is in the journal as started is started, also where nobody is left to repeat the call."""
    request = setting.request()
    kill_engine(setting, request, "after")
    assert setting.order == [] and len(setting.entries()) == 1
    grow_old(setting)
    look(setting)
    assert eventually(lambda: setting.order == ["later"])
    look(setting)
    asyncio.run(setting._with_engine(lambda engine: engine.replay(request)))
    asyncio.run(setting._with_engine(lambda engine: engine.collect()))
    look(setting)
    assert setting.order == ["later"]


def test_it_gets_what_the_call_has_said_and_nothing_of_it_stays(setting: Setting) -> None:
    setting.script("later", f"cat > {setting.project}/said; printf '%s' \"$SAID\" > {setting.project}/variable")
    request = setting.request(tool_input={"command": "ls unusual"})
    kill_engine(setting, Request(**{**{name: getattr(request, name) for name in request.__struct_fields__},
                                    "env": {**request.env, "SAID": "so"}}), "after")  # fmt: skip
    grow_old(setting)
    look(setting)
    assert eventually(lambda: (setting.project / "variable").exists())
    assert "ls unusual" in (setting.project / "said").read_text()
    assert eventually(lambda: (setting.project / "variable").read_text() == "so")
    assert list(setting.home.spool.rglob("promise.*")) == []


def test_a_call_that_was_not_written_has_promised_nothing(setting: Setting) -> None:
    kill_engine(setting, setting.request(), "before")
    assert setting.entries() == () and len(list_spooled(setting)) == 1
    look(setting)
    assert len(list_spooled(setting)) == 1, "its sender may still ask another process"
    grow_old(setting)
    look(setting)
    assert list_spooled(setting) == [] and setting.order == []


def test_a_promise_is_left_to_its_own_process_for_a_moment(setting: Setting) -> None:
    kill_engine(setting, setting.request(), "after")
    for entry in list_spooled(setting):
        os.utime(entry)
    look(setting)
    assert setting.order == []


def test_a_hook_that_is_not_declared_any_more_is_given_up(setting: Setting) -> None:
    kill_engine(setting, setting.request(), "after")
    (setting.hooks / "registry.toml").write_text("")
    grow_old(setting)
    look(setting)
    assert list_spooled(setting) == [] and setting.order == []


def test_a_call_that_another_process_has_decided_first_leaves_no_promise(setting: Setting) -> None:
    request = setting.request()
    setting.answer(request)
    assert eventually(lambda: setting.order == ["later"])
    asyncio.run(setting._with_engine(lambda engine: engine.collect()))
    for entry in setting.home.spool.with_name("spool-done").iterdir():
        entry.rmdir()  # a process that went on after the machine has slept

    asyncio.run(setting._with_engine(lambda engine: engine.walk(request)))
    assert list_spooled(setting) == []
    look(setting)
    assert setting.order == ["later"]


def test_rubbish_in_the_place_of_a_promise_keeps_nothing_from_being_launched(setting: Setting) -> None:
    kill_engine(setting, setting.request(), "after")
    for name, content in (("0", b"rubbish"), ("1", encode_request(setting.raw("PreToolUse", b"{")))):
        (setting.home.spool / name).mkdir()
        (setting.home.spool / name / "promise.x").write_bytes(content)
    (setting.home.spool / "2" / "promise.folder").mkdir(parents=True)
    grow_old(setting)
    look(setting)
    assert eventually(lambda: setting.order == ["later"])


def test_the_daemon_launches_what_was_promised(setting: Setting) -> None:
    kill_engine(setting, setting.request(), "after")
    setting.install()
    setting.start()
    try:
        assert eventually(lambda: setting.order == ["later"])
        assert eventually(lambda: not list_spooled(setting))
    finally:
        setting.close()


def test_a_request_is_kept_with_bytes_that_are_no_text() -> None:
    odd = os.fsdecode(b"a\xff")
    request = Request(
        agent=odd, event="E", stdin=b"\xff{", id="1", env={"V": odd, "E": ""}, stranger="why", cwd="/" + odd
    )
    assert decode_request(encode_request(request)) == request
    assert decode_request(encode_request(request)[:-1]) is None
    assert decode_request(b"") is None
