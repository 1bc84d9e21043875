"""The client in true node, against a true daemon and without one; the guide's program through the true compiler."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from synaptic.agents.opencode import CLIENT_FILE, CLIENT_IMPORT, PLUGIN_FILE
from tests.agents.typescript.tools import require_compiler
from tests.daemon.setting import BLOCK, Setting, without_handle
from tests.docs.test_guide import DOCS, blocks

NODE = shutil.which("node") or ""
pytestmark = pytest.mark.skipif(not NODE and os.environ.get("SYNAPTIC_TEST_ALL") != "1", reason="no node")
(PROGRAM,) = blocks(DOCS / "guide" / "sdk.md", "ts")
WRONG = 'await new Engine({ dispatch: "/d" }).ask("PreToolUse", { tool_name: 1 })'
NODES_TYPES = """
declare module "node:os" { export function homedir(): string }
declare const process: { cwd(): string }
"""
"""What the program uses of node: the types of node are a package of others."""
ASK = """
import { Engine } from "./client.mjs"
const [dispatch, closed] = process.argv.slice(2)
const engine = new Engine({ dispatch, closed: closed === "closed" })
const context = { session_id: "s", timestamp: "t", cwd: process.cwd() }
const call = { ...context, tool_name: "Bash", tool_input: { command: "ls -la" }, tool_use_id: "t1" }
const said = []
for (const event of ["PreToolUse", "PostToolUse"]) said.push(await engine.ask(event, call))
console.log(JSON.stringify(said))
"""


def place(folder: Path, **files: str) -> Path:
    """A program beside the client and its types."""
    folder.mkdir()
    for file in CLIENT_FILE.parent.iterdir():
        shutil.copy(file, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def run_node(setting: Setting, file: Path, *words: str) -> str:
    env = {"HOME": str(setting.user), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [NODE, str(file), *words], cwd=setting.project, env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def ask(setting: Setting, dispatch: object = "", closed: str = "") -> list[dict]:
    folder = place(setting.user / "node", ask_mjs=ASK)
    return json.loads(run_node(setting, folder / "ask.mjs", str(dispatch or setting.home.dispatch), closed))


def test_the_daemon_says_no_and_the_journal_has_both_events(running: Setting) -> None:
    running.register("guard", BLOCK)
    before, after = ask(running)
    assert without_handle(before["deny"]) == "Banned command pattern detected." and "deny" not in after
    assert [entry.event for entry in running.entries()[::-1]] == ["PreToolUse", "PostToolUse"]


def test_without_a_daemon_the_dispatcher_says_the_same(setting: Setting) -> None:
    setting.without_daemon()
    setting.register("guard", BLOCK)
    before, after = ask(setting)
    assert without_handle(before["deny"]) == "Banned command pattern detected." and "deny" not in after


def test_where_nobody_answers_it_is_said_or_refused(setting: Setting) -> None:
    gone = setting.user / "gone" / "bin" / "dispatch"
    before, _ = ask(setting, gone)
    assert "deny" not in before and "NOT checked" in before["log"]
    shutil.rmtree(setting.user / "node")
    before, after = ask(setting, gone, "closed")
    assert "could not be checked" in before["deny"] and "could not be checked" in after["deny"]


def test_a_dispatcher_that_says_nothing_is_no_allow_before_a_tool(setting: Setting) -> None:
    script = setting.user / "dispatch"
    script.write_text("#!/bin/sh\ncat > /dev/null\nkill -9 $$\n")
    script.chmod(0o755)
    before, after = ask(setting, script)
    assert "could not be checked" in before["deny"] and "deny" not in after


def compile_program(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    rules = ("--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", "--strict")
    files = [str(file) for file in folder.glob("*.ts")]
    command = [NODE, str(require_compiler()), *rules, *words, *files]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def test_the_guides_program_has_the_right_types_and_runs(running: Setting) -> None:
    subprocess.run(["git", "init", "-q"], cwd=running.project, check=True)
    folder = place(running.user / "program", program_ts=PROGRAM, node_d_ts=NODES_TYPES)
    done = compile_program(folder, "--noEmit")
    assert done.returncode == 0, done.stdout
    assert compile_program(folder).returncode == 0
    assert run_node(running, folder / "program.js").startswith("refused: ")


def test_a_field_of_a_wrong_type_is_found(tmp_path: Path) -> None:
    folder = place(tmp_path / "program", program_ts=f'import {{ Engine }} from "./client.mjs"\n{WRONG}\n')
    done = compile_program(folder, "--noEmit")
    assert done.returncode and "Type 'number' is not assignable to type 'string'" in done.stdout


def test_the_plugin_is_made_with_the_client() -> None:
    assert CLIENT_IMPORT in PLUGIN_FILE.read_text()
    assert "export class Engine {" in CLIENT_FILE.read_text()
