import os
from pathlib import Path

import msgspec
import pytest

from synaptic.files.bounded import UnreadableFile
from synaptic.hooks import traced_files
from synaptic.hooks import trust as module
from synaptic.hooks.trust import HookTrust, hash_hook
from synaptic.model.hook import Builtin, Command, Hook, HttpEndpoint, PythonFunction
from synaptic.policies.audit.tool_use import ToolUse
from tests.hooks.projects import Project, entry


def hook(handler: object, **changes: object) -> Hook:
    return Hook(**{"id": "h", "events": ("PreToolUse",), "handler": handler, "scope": "project", **changes})


@pytest.fixture
def script(project: Project) -> Hook:
    return hook(Command(argv=(str(project.script("a.sh")),)))


def trusting(project: Project, *hooks: Hook) -> HookTrust:
    accepted = frozenset(hash_hook(item, project.root) for item in hooks)
    return HookTrust(project.root, lambda root: accepted if root == project.root else frozenset())


def test_a_hook_of_a_repository_does_not_run_before_it_is_trusted(project: Project, script: Hook):
    refusal = trusting(project).explain_refusal(script)
    assert refusal is not None
    assert f"type `synaptic trust` in {project.root}" in refusal
    assert trusting(project, script).explain_refusal(script) is None


def test_a_changed_script_is_untrusted_again(project: Project, script: Hook):
    trust = trusting(project, script)
    project.script("a.sh", "#!/bin/sh\necho changed\n")
    assert trust.explain_refusal(script) is not None
    project.script("a.sh")
    assert trust.explain_refusal(script) is None


def test_changes_of_the_same_size_within_a_clock_tick_are_seen(project: Project, script: Hook):
    seen = set()
    for number in range(100, 300):
        project.script("a.sh", f"#!/bin/sh\necho {number}\n")
        seen.add(hash_hook(script, project.root))
    assert len(seen) == 200


def test_when_a_hook_runs_is_the_users_to_edit(project: Project):
    """S0-061, S0-062: priority, matcher and event are no part of the digest."""
    project.script("a.sh")
    digests = set()
    for keys in ({"priority": 5}, {"priority": 90}, {"matcher": "Edit"}, {"blocking": True}, {"timeout": 3}):
        project.registry(entry(f"{project.root}/a.sh", **keys))
        (brought,) = (hook for hook in project.catalog().hooks if hook.scope == "project")
        digests.add(hash_hook(brought, project.root))
    assert len(digests) == 1


def test_every_file_of_the_project_that_a_command_names_counts(project: Project):
    project.write("hooks/lint.py", "print(1)")
    command = hook(Command(shell="cd . && python3 'hooks/lint.py' --fast", cwd=project.root))
    trust = trusting(project, command)
    assert trust.explain_refusal(command) is None
    project.write("hooks/lint.py", "print(2)")
    assert trust.explain_refusal(command) is not None


def test_a_command_may_name_a_folder_and_no_file_may_take_its_place(project: Project):
    (project.path / "src").mkdir()
    command = hook(Command(shell="./lint src/", cwd=project.root))
    trust = trusting(project, command)
    assert trust.explain_refusal(command) is None
    (project.path / "src").rmdir()
    project.write("src", "exit 0")
    assert trust.explain_refusal(command) is not None


def test_a_file_that_appears_later_does_not_slip_in(project: Project):
    command = hook(Command(argv=("python3", "hooks/late.py"), cwd=project.root))
    trust = trusting(project, command)
    project.write("hooks/late.py", "print(1)")
    assert trust.explain_refusal(command) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Command(shell="echo a"), Command(shell="echo b")),
        (Command(argv=("/x", "a b")), Command(argv=("/x", "a", "b"))),
        (HttpEndpoint("http://127.0.0.1:1/"), HttpEndpoint("http://127.0.0.1:2/")),
        (HttpEndpoint("http://127.0.0.1:1/"), HttpEndpoint("http://127.0.0.1:1/", {"a": "b"})),
        (PythonFunction("/x.py", "a"), PythonFunction("/x.py", "b")),
    ],
)
def test_what_runs_is_told_apart(project: Project, one: object, other: object):
    assert hash_hook(hook(one), project.root) != hash_hook(hook(other), project.root)


def test_a_python_file_counts_by_its_content(project: Project):
    function = hook(PythonFunction(str(project.write("g.py", "def f(e): ...")), "f"))
    trust = trusting(project, function)
    project.write("g.py", "def f(e): 1")
    assert trust.explain_refusal(function) is not None


def test_a_project_that_moved_keeps_its_digests(tmp_path: Path):
    digests = set()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        project = Project(tmp_path / name)
        digests.add(hash_hook(hook(Command(argv=(str(project.script("a.sh")),))), project.root))
    assert len(digests) == 1


def test_the_users_own_hooks_and_our_policies_need_no_trust(project: Project, script: Hook):
    nobody = trusting(project)
    assert nobody.explain_refusal(hook(script.handler, scope="user")) is None
    assert nobody.explain_refusal(hook(Builtin(ToolUse()))) is None


def test_trust_in_everything_is_the_users_choice(project: Project, script: Hook):
    assert HookTrust(project.root, lambda _: frozenset(), everything=True).explain_refusal(script) is None


def test_trust_of_one_project_is_none_of_another(project: Project, script: Hook):
    accepted = hash_hook(script, project.root)
    trust = HookTrust("/elsewhere", lambda root: frozenset({accepted}) if root == project.root else frozenset())
    assert trust.explain_refusal(script) is not None


def test_a_file_that_cannot_be_checked_is_never_trusted(project: Project, monkeypatch: pytest.MonkeyPatch):
    large = hook(Command(argv=(str(project.script("large.sh")),)), id="large")
    pipe = hook(Command(argv=(str(project.script("pipe.sh")),)), id="pipe")
    trust = trusting(project, large, pipe)
    monkeypatch.setattr(module, "TRUST_LIMIT", 10)
    project.script("large.sh", "#!/bin/sh\n" * 9)
    (project.path / "pipe.sh").unlink()
    os.mkfifo(project.path / "pipe.sh")
    assert "too large to be checked" in (trust.explain_refusal(large) or "")
    assert "cannot be read" in (trust.explain_refusal(pipe) or "")
    assert trust.list_items([large, pipe]) == ()


def test_a_script_that_cannot_be_followed_for_a_moment_is_followed_again(
    project: Project, script: Hook, monkeypatch: pytest.MonkeyPatch
):
    """Nothing of the files has changed since: what was found without a descriptor must not be remembered."""
    trust = trusting(project, script)
    module._KNOWN_HOOKS.clear()
    with monkeypatch.context() as patched:
        unread = UnreadableFile("cannot be read", True, True)
        patched.setattr(traced_files, "read_content", lambda path, limit: unread)
        assert trust.explain_refusal(script) is not None
    assert trust.explain_refusal(script) is None


def test_items_are_what_there_is_to_look_at(project: Project, script: Hook):
    other = hook(Command(shell="true"), id="other")
    items = trusting(project, script).list_items([script, other, hook(Builtin(ToolUse()), id="policy")])
    assert [(item.hook.id, item.trusted) for item in items] == [("h", True), ("other", False)]


@pytest.mark.parametrize(
    "handler",
    [
        Command(shell="timeout 5 ./x.sh"),
        Command(shell="bash -c './x.sh --fast'"),
        Command(shell="bash -ec './x.sh'"),
        Command(shell="env A=1 nice -n 5 sh x.sh"),
        Command(shell="cd . && sh < x.sh"),
        Command(shell="cd hooks && ../x.sh"),
        Command(shell="cd hooks; python3 late.py"),
        Command(shell="BASH_ENV=./x.sh bash -c true"),
        Command(shell="X=./x.sh; $X"),
        Command(shell="python3 -m hooks.late"),
        Command(shell="find . -exec ./x.sh {} +"),
        Command(shell="git ls-files | xargs ./x.sh"),
        Command(shell='for f in hooks/*.py; do python3 "$f"; done'),
        Command(shell="source hooks/l*.py"),
        Command(argv=("timeout", "5", "./x.sh")),
        Command(argv=("bash", "-c", "./x.sh --fast")),
        Command(argv=("env", "A=1", "python3", "hooks/late.py")),
        Command(argv=("node", "--require=./x.sh", "main.js")),
    ],
)
def test_what_a_command_runs_through_others_counts(project: Project, handler: Command):
    (project.path / "hooks").mkdir()
    brought = hook(msgspec.structs.replace(handler, cwd=project.root))
    trust = trusting(project, brought)
    for name in ("x.sh", "hooks/late.py"):
        project.write(name, "echo 1")
    assert trust.explain_refusal(brought) is not None
    trust = trusting(project, brought)
    assert trust.explain_refusal(brought) is None
    for name in ("x.sh", "hooks/late.py"):
        project.write(name, "echo 2")
    assert trust.explain_refusal(brought) is not None


def test_files_that_a_pattern_names_as_data_are_no_part_of_a_hook(project: Project):
    project.write("src/a.py", "1")
    lint = hook(Command(shell="./lint src/*.py", cwd=project.root))
    trust = trusting(project, lint)
    project.write("src/a.py", "2")
    assert trust.explain_refusal(lint) is None


def test_a_name_beside_a_pattern_is_no_match_of_it(project: Project):
    project.write("hooks/a.sh", "echo 1")
    brought = hook(Command(shell="sh hooks/*.sh", cwd=project.root))
    trust = trusting(project, brought)
    project.write("hooks/README.md", "about them")
    assert trust.explain_refusal(brought) is None
    project.write("hooks/b.sh", "echo 2")
    assert trust.explain_refusal(brought) is not None


def test_a_hook_of_an_outer_folder_is_agreed_to_where_it_comes_from(project: Project):
    project.script("a.sh")
    project.registry(entry(f"{project.root}/a.sh"), entry("b.sh"))
    project.script("b.sh")
    package = project.path / "packages" / "api"
    (package / ".claude").mkdir(parents=True)
    found = project.catalogs.get(str(package), cwd=str(package))
    brought = [one for one in found.hooks if one.scope == "project"]
    assert [one.root for one in brought] == [project.root] * 2
    assert [one.handler.script for one in brought] == [f"{project.root}/a.sh", f"{project.root}/b.sh"]
    accepted = frozenset(hash_hook(one, project.root) for one in brought)
    outside = HookTrust(found.root, lambda root: accepted if root == project.root else frozenset())
    inside = HookTrust(found.root, lambda root: accepted if root == found.root else frozenset())
    assert [outside.explain_refusal(one) for one in brought] == [None, None]
    assert [item.trusted for item in outside.list_items(brought)] == [True, True]
    assert all(f"`synaptic trust` in {project.root}" in (inside.explain_refusal(one) or "") for one in brought)
