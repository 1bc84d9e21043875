"""The packages of this repository: they publish without a finding, and their hooks do what they say."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from synaptic.model.environment import build_project_variables
from synaptic.packages.answers import get_default_answers
from synaptic.packages.author import import_package, promote_package
from synaptic.packages.folder import read_folder
from synaptic.packages.profile_repo import read_repo_profile
from synaptic.packages.template import TemplateValues, lint_templates, make_env_values, render_file

FOLDER = Path(__file__).parents[2] / "packages"
NAMES = ("audit-logger", "env-injector", "policy-guard", "preflight")


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "my project"
    root.mkdir()
    return root


def installed(name, project, **answers):
    """The package's folder as an install makes it."""
    bundle = read_folder(FOLDER / name).bundle
    variables = build_project_variables(str(project))
    repo = read_repo_profile(project)
    values = TemplateValues(
        repo, {**get_default_answers(bundle.questions, repo), **answers}, make_env_values(variables)
    )
    folder = project / ".synaptic" / "skills" / name
    for file in bundle.files:
        done = render_file(file, values)
        (folder / done.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / done.path).write_text(done.content)
        (folder / done.path).chmod(0o755)
    return folder, bundle


def run(name, project, event, env=None, **answers):
    """What the package's one hook prints about an event."""
    folder, bundle = installed(name, project, **answers)
    [hook] = bundle.hooks
    tool = {"HOOK_EVENT": hook.event, "HOOK_TOOL": event["tool_name"], "HOOK_INPUT": json.dumps(event["tool_input"])}
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": "/home/me",
        **build_project_variables(str(project)),
        **tool,
        **(env or {}),
    }
    command, text = [folder / hook.script_path], json.dumps(event)
    variables |= env or {}
    ran = subprocess.run(command, input=text, capture_output=True, text=True, check=True, env=variables)
    return json.loads(ran.stdout) if ran.stdout else None


def bash(command, project):
    return {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": str(project)}


def test_there_are_the_four_that_are_promised():
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_is_published_without_a_finding(desk, name):
    read = read_folder(FOLDER / name)
    assert (read.warnings, lint_templates(read.bundle)) == ((), ())
    import_package(desk.source, read, "develop")
    assert promote_package(desk.source, name, "develop", "main")


@pytest.mark.parametrize("name", NAMES)
def test_each_hook_is_executable_in_the_repository(name):
    for hook in read_folder(FOLDER / name).bundle.hooks:
        assert os.access(FOLDER / name / hook.script_path, os.X_OK)


def test_the_priorities_are_in_their_bands():
    hooks = {name: read_folder(FOLDER / name).bundle.hooks[0].priority for name in NAMES}
    assert hooks["env-injector"] < 20 <= hooks["policy-guard"] < 40 <= hooks["audit-logger"] < 60


def test_env_injector_gives_a_command_the_variables_once(project):
    answer = run("env-injector", project, bash('echo "$SYNAPTIC_PROJECT_ROOT"', project))
    command = answer["input"]["command"]
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True, env={})
    assert (answer["action"], ran.stdout) == ("modify", f"{project}\n")
    assert run("env-injector", project, bash(command, project)) is None


@pytest.mark.parametrize(
    "command",
    [
        "cat /etc/shadow",
        "cat ~/.ssh/id",
        "cat ../other/x",
        "cp a $HOME/b",
        "x=/srv/y; cat $x",
        "sh -c 'cat /etc/shadow'",
        'cat "/etc/shadow"',
        "cat <../../x",
        "echo a>/etc/x",
    ],
)
def test_policy_guard_blocks_what_leads_out(project, command):
    answer = run("policy-guard", project, bash(command, project), allowed=["/usr"])
    assert answer["action"] == "block"
    assert "outside the project" in answer["reason"]


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "cat src/a.py",
        "git log --oneline a..b",
        "ls > /dev/null",
        "/usr/bin/env true",
        "cat ./x/../y",
        "a 3/4",
    ],
)
def test_policy_guard_leaves_the_rest_alone(project, command):
    assert run("policy-guard", project, bash(command, project)) is None


def test_policy_guard_knows_its_own_project_even_with_a_blank_in_its_path(project):
    assert run("policy-guard", project, bash(f"cat '{project}/a'", project)) is None
    given = run("env-injector", project, bash("ls", project))["input"]["command"]
    assert run("policy-guard", project, bash(given, project)) is None


def test_policy_guard_allows_what_was_answered(project):
    event = bash("cat /srv/data/x", project)
    assert run("policy-guard", project, event)["action"] == "block"
    assert run("policy-guard", project, event, allowed=["/srv"]) is None


def test_audit_logger_writes_a_line_for_each_operation(project):
    event = {"tool_name": "mcp__filesystem__write_file", "tool_input": {"path": "a b"}}
    assert run("audit-logger", project, event) is None
    run("audit-logger", project, event)
    lines = (project / ".synaptic" / "logs" / "audit.log").read_text().splitlines()
    assert len(lines) == 2
    assert lines[0].endswith('[mcp__filesystem__write_file] {"path": "a b"}')


def test_preflight_names_every_variable_that_is_not_set(project):
    event = {"tool_name": "Task", "tool_input": {}}
    answer = run("preflight", project, event, {"THERE": "1", "EMPTY": ""}, variables=["THERE", "EMPTY", "GONE"])
    assert answer["reason"] == "preflight: the variable EMPTY is not set; the variable GONE is not set"


def test_preflight_says_nothing_when_all_is_there(project):
    assert run("preflight", project, {"tool_name": "Task", "tool_input": {}}) is None
    event = {"tool_name": "WebFetch", "tool_input": {"url": "http://x"}}
    assert run("preflight", project, event, network=False) is None
