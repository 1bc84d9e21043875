"""Options of an installation, and the report of what was changed."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from synaptic.agents.base import UserEnvironment
from synaptic.agents.claude.entries import locate_managed_file, locate_managed_folder, locate_settings
from synaptic.agents.shared.guarded import list_moving_variables
from synaptic.agents.shared.record import SetupChoices
from synaptic.model.errors import SettingsError
from synaptic.model.home import Home
from synaptic.setup.profile import LoginShell


class SetupOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of one installation: whose, where, and how."""

    home: Home
    user_home: Path
    claude_dir: Path | None = None
    shell: str = ""
    zdotdir: Path | None = None
    search_path: str = ""
    managed_root: Path = msgspec.field(default_factory=locate_managed_folder)
    project: Path | None = None
    has_profile: bool = True
    """Whether the shell of a user reads a profile that our folder is put into."""
    agent_env: Mapping[str, str] = {}
    """The variables that move files of agents."""
    choices: SetupChoices | None = None
    """None is: as last time."""

    @property
    def settings(self) -> Path:
        return locate_settings(self.user_home, self.claude_dir)

    @property
    def managed(self) -> Path:
        return locate_managed_file(self.managed_root)

    @property
    def environment(self) -> UserEnvironment:
        """Where agents look for their files."""
        claude = {"CLAUDE_CONFIG_DIR": str(self.claude_dir)} if self.claude_dir else {}
        return UserEnvironment(self.user_home, {**self.agent_env, **claude})

    @property
    def profile(self) -> LoginShell:
        return LoginShell(self.shell, self.user_home, self.zdotdir)


def read_setup_options(environ: Mapping[str, str], home: Home) -> SetupOptions:
    """Read the options from a user's environment variables."""
    return SetupOptions(
        home=home,
        user_home=_find_user_home(environ),
        claude_dir=_read_folder(environ, "CLAUDE_CONFIG_DIR"),
        shell=environ.get("SHELL", ""),
        zdotdir=_read_folder(environ, "ZDOTDIR"),
        search_path=environ.get("PATH", ""),
        agent_env={name: environ[name] for name in list_moving_variables() if environ.get(name)},
    )


def _find_user_home(environ: Mapping[str, str]) -> Path:
    try:
        return Path(environ.get("HOME") or Path.home()).absolute()
    except RuntimeError as error:
        raise SettingsError("this user has no home folder", hint="set HOME") from error


def _read_folder(environ: Mapping[str, str], name: str) -> Path | None:
    return Path(environ[name]).absolute() if environ.get(name) else None


class SetupChange(msgspec.Struct, frozen=True, kw_only=True):
    """One step's result: the file, whether it had to change, and how to undo that."""

    what: str
    path: str
    done: bool
    """False: it already was as it should be."""
    detail: str = ""
    undo: str = "synaptic down"


class SetupReport(msgspec.Struct, frozen=True):
    """All steps of a bootstrap or removal, in order."""

    changes: tuple[SetupChange, ...]
    notes: tuple[str, ...] = ()
    """What is left for a person to do or to know."""

    @property
    def done_changes(self) -> tuple[SetupChange, ...]:
        return tuple(change for change in self.changes if change.done)


class SetupProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Something that keeps hooks from running: what, where, what to type."""

    what: str
    where: str
    fix: str
