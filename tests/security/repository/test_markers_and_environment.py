"""Markers that other users put above a project, and variables that a repository's settings give to hooks."""

import json
import os
from pathlib import Path

import msgspec
import pytest

from synaptic.engine.environment import InstalledEnvironment, find_user_home
from synaptic.hooks.catalog import HookCatalogs
from synaptic.hooks.project import find_root
from synaptic.model.environment import UNSAFE_NAMES, UNSAFE_PREFIXES
from synaptic.model.home import Home
from synaptic.runners.environment import is_safe_variable
from tests.daemon.setting import Setting
from tests.security.repository.hostile import Repository

STRANGER = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of another user")


@needs_root
@pytest.mark.parametrize("marker", [".synaptic", ".claude", ".git"])
@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_a_marker_of_another_user_above_does_not_count(tmp_path: Path, marker: str, kind: str):
    work = tmp_path / "shared" / "work"
    work.mkdir(parents=True)
    path = tmp_path / "shared" / marker
    {"folder": path.mkdir, "file": path.touch, "link": lambda: path.symlink_to("/tmp")}[kind]()
    os.chown(path, STRANGER, STRANGER, follow_symlinks=False)
    assert find_root({}, {"HOME": str(tmp_path)}, str(work)) == str(work)


@needs_root
def test_a_folder_of_another_user_marks_nothing_below(tmp_path: Path):
    work = tmp_path / "theirs" / "work"
    work.mkdir(parents=True)
    (tmp_path / "theirs" / ".synaptic").mkdir()
    os.chown(tmp_path / "theirs", STRANGER, STRANGER)
    assert find_root({}, {"HOME": str(tmp_path)}, str(work)) == str(work)


@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_a_folder_that_everybody_can_write_to_marks_nothing_below(tmp_path: Path, mode: int):
    work = tmp_path / "open" / "work"
    work.mkdir(parents=True)
    (tmp_path / "open" / ".git").mkdir()
    (tmp_path / "open").chmod(mode)
    assert find_root({}, {"HOME": str(tmp_path)}, str(work)) == str(work)


def test_markers_of_the_user_still_count(tmp_path: Path):
    work = tmp_path / "own" / "work"
    work.mkdir(parents=True)
    (tmp_path / "own" / ".git").mkdir()
    assert find_root({}, {"HOME": str(tmp_path)}, str(work)) == str(tmp_path / "own")


@needs_root
def test_declarations_of_another_user_in_a_shared_folder_do_not_count(repository: Repository):
    repository.declare(command="false", on_error="deny")
    os.chown(repository.path / ".synaptic", STRANGER, STRANGER)
    catalog = HookCatalogs(repository.setting.home).get(repository.root)
    assert not [hook for hook in catalog.hooks if hook.scope == "project"]
    assert "belongs to another user" in " ".join(catalog.problems)


def declare_own(repository: Repository, command: str) -> None:
    """A hook of the user's own, which nobody has to trust."""
    entry = {"event": "PreToolUse", "matcher": "Bash", "blocking": True, "id": "own", "command": command}
    file = repository.setting.home.registry
    file.parent.mkdir(exist_ok=True)
    file.write_text("[[hook]]\n" + "\n".join(f"{key} = {json.dumps(value)}" for key, value in entry.items()) + "\n")


@pytest.mark.parametrize(
    "name",
    ["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "PYTHONPATH", "PYTHONSTARTUP",
     "PYTHONHOME", "BASH_ENV", "ENV", "NODE_OPTIONS", "NODE_PATH", "GIT_DIR", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF",
     "GIT_CONFIG_COUNT", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "PERL5LIB", "PERL5OPT", "RUBYOPT", "SHELLOPTS", "PS4",
     "PAGER", "EDITOR", "IFS", "JAVA_TOOL_OPTIONS", "npm_config_script_shell", "SYNAPTIC_HOME", "MAKEFLAGS",
     "LESSOPEN", "BASH_FUNC_jq%%"],
)  # fmt: skip
def test_a_variable_that_changes_programs_does_not_reach_the_users_hooks(repository: Repository, name: str):
    declare_own(repository, f"tr '\\0' '\\n' < /proc/self/environ > '{repository.ran}'")
    repository.happens(env={name: "/evil/EVIL"})
    seen = repository.ran.read_text()
    assert "HOOK_EVENT=PreToolUse" in seen
    assert "EVIL" not in seen


@pytest.mark.parametrize("script", ["#!/bin/sh\n", "#!/bin/bash\n"])
def test_startup_files_of_a_repository_do_not_run(repository: Repository, script: str):
    evil = repository.write("evil.sh", repository.note("EVIL"))
    declare_own(repository, str(repository.write("../own.sh", f"{script}{repository.note('good')}")))
    repository.happens(env={"BASH_ENV": str(evil), "ENV": str(evil), "SHELLOPTS": "xtrace", "PS4": f"$(sh {evil})"})
    assert repository.notes == ["good"]


@pytest.mark.parametrize("where", ["bin", "node_modules/.bin", ".", "../elsewhere", "link"])
def test_programs_of_a_repository_are_not_found_through_path(repository: Repository, where: str):
    folder = repository.path / where
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("jq", "git", "cat", "date", "my-tool"):
        repository.write(f"{where}/{name}", repository.note_script("EVIL"))
    if where == "link":
        (repository.path.parent / "outside").symlink_to(folder)
        folder = repository.path.parent / "outside"
    declare_own(repository, "jq . </dev/null; git --version; date; my-tool; cat /dev/null; exit 0")
    repository.happens(env={"PATH": f"{folder}:{os.environ['PATH']}"})
    assert repository.notes == []


@pytest.mark.parametrize("path", ["", ".", ":", "bin:.", "relative/bin"])
def test_a_path_without_folders_of_the_system_is_no_way_in(repository: Repository, path: str):
    repository.write("sh", repository.note_script("EVIL"))
    repository.write("cat", repository.note_script("EVIL"))
    declare_own(repository, f"cat /dev/null && {repository.note('good')}")
    repository.happens(env={"PATH": path})
    assert repository.notes == ["good"]


@pytest.mark.parametrize("home", ["/tmp", "/nonexistent", "{root}", "/"])
def test_home_of_the_event_does_not_move_what_is_guarded(repository: Repository, home: str):
    command = f"rm -rf {repository.setting.user}/.synaptic"
    request = repository.setting.elsewhere(tool_input={"command": command})
    env = {**request.env, "HOME": home.format(root=repository.root)}
    answer = repository.setting.answer(type(request)(request.agent, request.event, request.stdin, request.id, env))
    assert b'"permissionDecision":"allow"' not in answer.stdout
    assert answer.stdout
    assert b"deny" in answer.stdout or b"ask" in answer.stdout


@pytest.mark.parametrize("home", ["/tmp", "{root}"])
def test_hooks_get_the_users_true_home(repository: Repository, home: str):
    declare_own(repository, f"echo $HOME > '{repository.ran}'")
    repository.happens(env={"HOME": home.format(root=repository.root)})
    assert repository.notes == [str(repository.setting.user)]


def test_the_environment_variable_switches_no_hook_of_the_user_off_or_on(repository: Repository):
    folder = repository.setting.home.root / "hooks"
    folder.mkdir(exist_ok=True)
    for name, where in (("dev", "[dev]"), ("prod", "[prod]")):
        text = (
            f"id: own-{name}\nevent_type: PreToolUse\nenvironments: {where}\n"
            "handler: {kind: script, command: 'true'}\n"
        )
        (folder / f"{name}.yaml").write_text(text)
    repository.setting.config('trust = "ask"\nenvironment = "prod"\n')
    for environment in ("", "dev", "prod"):
        catalog = HookCatalogs(repository.setting.home).get(repository.root, environment)
        assert [hook.id for hook in catalog.hooks if hook.scope == "user"] == ["own-prod"]
    repository.setting.config('trust = "ask"\n')
    for environment in ("dev", "prod"):
        catalog = HookCatalogs(repository.setting.home).get(repository.root, environment)
        assert not [hook.id for hook in catalog.hooks if hook.scope == "user"]


def test_home_is_the_folder_above_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", "/evil")
    assert find_user_home(Home(tmp_path / ".synaptic")) == str(tmp_path)


def test_folders_of_the_installation_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("synaptic.engine.environment.LOOK_SECONDS", -1.0)
    home = Home(tmp_path / ".synaptic")
    home.root.mkdir()
    home.engine.write_text("python=/x\npath=/usr/bin:/opt/tools\n")
    installed = InstalledEnvironment(home)
    assert installed.choose_path("/usr/local/bin:/usr/bin", "/p").split(":")[:2] == ["/usr/bin", "/opt/tools"]
    home.engine.write_text("python=/x\npath=/bin:/opt/other\n")
    assert installed.choose_path("", "/p") == "/bin:/opt/other"


def test_the_engine_process_itself_forgets_what_a_repository_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("LD_PRELOAD", "XDG_CONFIG_HOME", "PYTHONPATH"):
        monkeypatch.setenv(name, "/evil")
    monkeypatch.setenv("HOME", "/evil")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin")
    InstalledEnvironment(Home(tmp_path / ".synaptic")).settle_process()
    assert os.environ["HOME"] == str(tmp_path)
    assert str(tmp_path) not in os.environ["PATH"]
    assert not [name for name in os.environ if name in UNSAFE_NAMES or name.startswith(UNSAFE_PREFIXES)]


def test_ordinary_variables_still_reach_hooks():
    assert all(
        map(is_safe_variable, ("LANG", "TERM", "USER", "SSH_AUTH_SOCK", "VIRTUAL_ENV", "MY_TOKEN", "TMUX", "CI"))
    )


@pytest.mark.known_hole("a repository's settings may call a folder of yours `$TMPDIR`, and that is scratch by its name")
def test_a_home_that_is_called_tmpdir_is_no_scratch(setting: Setting):
    payload = setting.payload(tool_input={"command": 'rm -rf "$TMPDIR"/Documents'})
    request = setting.raw("PreToolUse", json.dumps(payload).encode())
    named = {**request.env, "TMPDIR": str(setting.user)}
    assert b"would delete" in setting.answer(msgspec.structs.replace(request, env=named)).stdout
