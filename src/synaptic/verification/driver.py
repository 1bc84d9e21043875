"""How a client is set up and called without a terminal: the contract of a driver, one file for each agent."""

import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

import msgspec

from synaptic.verification import drivers
from synaptic.verification.model_server import Dialect
from synaptic.verification.script import Use


class Stage(msgspec.Struct, frozen=True):
    """A throw-away user of one client: every file that the client needs is in this home."""

    home: Path
    project: Path
    temporary: Path
    launch: tuple[str, ...]
    """What starts the client: its program, or an interpreter and its script."""
    url: str
    """Where the scripted model is, as the client's settings have it."""
    address: str
    """The same without a path: what else a client asks there does not exist."""

    def put(self, name: str, content: str) -> Path:
        """Write a file of the home."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path


class Driver(ABC):
    """One client. It is told to ask nobody itself, so that whatever is refused was refused by a hook."""

    name: str
    dialect: Dialect
    """The API that its model speaks."""

    @abstractmethod
    def make_shell_call(self, command: str) -> Use:
        """The model's call of the client's own shell tool."""

    @abstractmethod
    def make_write_call(self, path: Path, content: str) -> Use:
        """The model's call of the client's own tool that makes a file."""

    def prepare(self, stage: Stage) -> None:  # noqa: B027  a client may need none
        """Write the client's settings, as a user of this model would have them."""

    def login_command(self, stage: Stage) -> list[str]:
        """What has to be run once before the first session; empty where files are enough."""
        return []

    @abstractmethod
    def command(self, stage: Stage, prompt: str) -> list[str]:
        """One whole session, from the prompt to the model's last word."""

    def variables(self, stage: Stage) -> Mapping[str, str]:
        """What the client finds in its environment beside the usual."""
        return {}


@cache
def list_driven_agents() -> tuple[str, ...]:
    """Every agent that can be driven offline; a new file in `drivers` is one more."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(drivers.__path__)))


def find_driver(agent: str) -> Driver:
    """The driver of an agent that has one."""
    found: Driver = import_module(f"{drivers.__name__}.{agent}").DRIVER
    return found
