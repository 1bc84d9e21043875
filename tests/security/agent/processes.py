"""Real processes for attempts: a person, an agent that calls the dispatcher as a hook, and what its tools start."""

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from tests.daemon.setting import Setting

ALONE = textwrap.dedent("""
    import json, os, subprocess, sys
    if os.fork():
        os._exit(0)
    os.setsid()
    given = json.load(sys.stdin)
    done = subprocess.run(given["argv"], input=given["stdin"].encode(), capture_output=True, cwd=given["cwd"],
                          env=given["env"])
    print(json.dumps([done.returncode, done.stdout.decode(), done.stderr.decode()]))
""")
"""Loses its parent before it starts anything: whoever runs these tests, in an agent or not, stands above nobody."""
AGENT = textwrap.dedent("""
    import json, os, sqlite3, subprocess, sys
    from concurrent.futures import ThreadPoolExecutor
    DISPATCH = os.environ["HOME"] + "/.synaptic/bin/dispatch"

    def run(argv, stdin=""):
        done = subprocess.run(argv, input=stdin, capture_output=True, text=True, errors="replace",
                              start_new_session=True)
        return [done.returncode, done.stdout, done.stderr]

    def hook(event, payload, how="exec"):
        words = [DISPATCH, event, "--entry=" + "0" * 32]
        if how != "exec":
            words = ["/bin/bash", "-lc" if how == "login shell" else "-c", " ".join(words)]
        return run(words, json.dumps(payload))

    def tool(command, shell="/bin/bash"):
        os.environ.update(MARKERS)
        return run([shell, "-c", command])

    def later(command):
        waiting.append(subprocess.Popen(["/bin/bash", "-c", command], start_new_session=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return [0, "", ""]

    def join():
        return [waiting.pop().wait(), "", ""]

    def look():
        way = sqlite3.connect("file:" + os.environ["HOME"] + "/.synaptic/synaptic.db?mode=ro", uri=True)
        (value,) = way.execute("SELECT value FROM state WHERE section = 'safemode'").fetchone()
        return [0, json.dumps(json.loads(value).get("active")), ""]

    def tools(commands):
        with ThreadPoolExecutor(3) as pool:
            results.extend(pool.map(tool, commands))

    MARKERS = {}
    waiting, results = [], []
    for step in json.load(sys.stdin):
        if step[0] == "mark":
            MARKERS = step[1]
        elif step[0] == "tools":
            tools(step[1])
        else:
            results.append({"hook": hook, "tool": tool, "later": later, "join": join, "look": look}[step[0]](*step[1:]))
    print(json.dumps(results))
""")
"""Starts hooks and tools as Claude Code does: each in a session of its own, a tool in a shell."""


class Done(msgspec.Struct, frozen=True):
    """How a process ended."""

    code: int
    out: str
    err: str


class Machine:
    """A user's machine: what a person types there, and what an agent starts there."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.env = {"HOME": str(setting.user), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    def run_alone(self, argv: Sequence[str], stdin: str = "", more: Mapping[str, str] = {}) -> Done:
        """A process of a person: nothing of an agent is above it or in its environment."""
        given = {
            "argv": list(argv),
            "stdin": stdin,
            "cwd": str(self.setting.project),
            "env": {**self.env, **more},
        }
        done = subprocess.run(
            [sys.executable, "-I", "-c", ALONE],
            input=json.dumps(given),
            capture_output=True,
            text=True,
            timeout=120,
            env=self.env,
        )
        assert done.stdout, done.stderr
        return Done(*json.loads(done.stdout))

    def type(self, *words: str) -> Done:
        """What a person types after `synaptic`."""
        return self.run_alone([sys.executable, "-m", "synaptic.cli.main", *words])

    def run_agent(self, *steps: Sequence[object], name: str = "agent") -> list[Done]:
        """An agent that does these steps; what each of them answered."""
        script = self.setting.user / f"{name}.py"
        script.write_text(AGENT)
        done = self.run_alone([sys.executable, str(script)], json.dumps(steps))
        assert done.code == 0, done.err
        return [Done(*one) for one in json.loads(done.out)]

    def start_session(self) -> Sequence[object]:
        """The hook call with which every session of an agent begins."""
        return ("hook", "SessionStart", self.setting.payload("SessionStart", source="startup"))

    def prompt(self, text: str) -> Sequence[object]:
        """The hook call of a prompt that the user has typed."""
        return ("hook", "UserPromptSubmit", self.setting.payload("UserPromptSubmit", prompt=text))

    def begin_tool(self) -> Sequence[object]:
        """The hook call before a tool runs; what the guard says of its words is not looked at here."""
        return ("hook", "PreToolUse", self.setting.payload(tool_input={"command": "true"}))

    def end_tool(self) -> Sequence[object]:
        """The hook call after it."""
        return ("hook", "PostToolUse", self.setting.payload("PostToolUse", tool_response={"stdout": ""}))

    def try_tool(self, command: str, **options: str) -> Done:
        """What an agent's shell tool does in a session that has begun, seen by the guard or not."""
        return self.run_agent(self.start_session(), ("tool", command, *options.values()))[-1]
