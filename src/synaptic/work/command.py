"""One typed command per verb: the socket's methods are derived from them, the command line builds the same ones."""

import importlib
import os
import pkgutil
from collections.abc import Coroutine, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

import synaptic.work
from synaptic.hooks.project import find_root
from synaptic.model.authority import UNKNOWN_AUTHORITY, Authority
from synaptic.model.errors import LayerError, StoreError
from synaptic.model.home import Home
from synaptic.model.layers import Effort
from synaptic.store import efforts, layers
from synaptic.store.db import Store
from synaptic.store.efforts import START_HINT
from synaptic.store.layer_effects import replace_surrogates
from synaptic.store.layers import NO_AGENT_ID, EventOrigin
from synaptic.store.windows import WorkerIdentity

Result = TypeVar("Result")


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks, and where."""

    root: str = ""
    """The project's root; "" where there is none."""
    cwd: str = ""
    who: WorkerIdentity = WorkerIdentity()

    @property
    def place(self) -> EventOrigin:
        return EventOrigin(self.root or self.cwd, self.who.agent, self.who.host)


class CommandContext(msgspec.Struct, frozen=True):
    """What a command works on: the store, and who asks."""

    store: Store
    caller: Caller = Caller()
    authority: Authority = UNKNOWN_AUTHORITY
    """Who asks, for commands that need to know it."""

    @property
    def home(self) -> Home:
        return Home(self.store.path.parent)

    def require_durable_store(self) -> Store:
        """The store, if what is written there is still known tomorrow. Raises StoreError otherwise."""
        # In memory a command would report success and forget it: events may go on without a store, commands may not.
        if not self.store.durable:
            notices = "; ".join(self.store.notices) or "nothing can be written"
            raise StoreError(notices, where=str(self.store.path))
        return self.store

    def require_project(self) -> str:
        """The root of the caller's project. Raises LayerError where there is none."""
        if not self.caller.cwd.startswith("/"):
            raise LayerError("VALIDATION_ERROR", "`cwd` must be an absolute path")
        return check_project(self.caller.root, self.caller.cwd)

    def find_project(self) -> int:
        """The number of the caller's project; 0, which is nobody's, for one that the store does not know."""
        return layers.resolve_layers(self.store, EventOrigin(self.caller.root or self.caller.cwd)).project or 0

    def find_effort(self, number: int | None = None) -> Effort:
        """The effort of a number, else the one that the caller works on. Raises LayerError."""
        if number is not None:
            return efforts.require_effort(self.store, number)
        found = layers.resolve_layers(self.store, self.caller.place).effort
        if found is None:
            raise make_no_effort_error(self.caller.root or self.caller.cwd)
        return found


class Command(msgspec.Struct, Generic[Result], frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """One verb. Its fields are its arguments, `run` carries it out, `answer` is the result as JSON shows it."""

    method: ClassVar[str] = ""
    """Its name over the socket; a verb without one is for the command line only."""
    people_only: ClassVar[str] = ""
    """What an agent may not do with it, as the refusal says it."""
    needs_authority: ClassVar[bool] = False
    """Whether it must be known who asks: not to be an agent's is not enough for it."""
    may_block: ClassVar[bool] = False
    """Whether it may wait for another process: the daemon runs it beside its event loop."""
    other_names: ClassVar[Mapping[str, str]] = {}
    """Other names that an argument is known by, as the socket spells them, and the argument's own."""

    def run(self, context: CommandContext) -> Result | Coroutine[Any, Any, Result]:
        """Carry it out. Raises SynapticError, and has written nothing then."""
        raise TypeError(f"{type(self).__name__} says nothing about how it is carried out")

    def answer(self, result: Result) -> object:
        """The result as the socket answers it and `--json` shows it."""
        return result


class ProjectCommand(Command[Result], frozen=True, kw_only=True):
    """A command about the project around the folder that it is asked from."""

    cwd: str = ""
    """The folder; without it, `CWD` of the request's environment, or the folder that the command is typed in."""


class EffortCommand(ProjectCommand[Result], frozen=True, kw_only=True):
    """A command about one effort."""

    effort_id: int | None = None
    """Its number; without it, the one that the caller works on."""


class RootCommand(Command[Result], frozen=True, kw_only=True):
    """A command about a project that is named by its root."""

    root: str
    """The project's root, an absolute path."""

    def require_root(self, context: CommandContext) -> str:
        """The root, if a project can have it. Raises LayerError."""
        if self.root and not self.root.startswith("/"):
            raise LayerError("VALIDATION_ERROR", "`root` must be an absolute path", where=self.root)
        return check_project(os.path.normpath(self.root) if self.root else "", context.caller.cwd)


def read_command(kind: type[Command[Any]], given: Mapping[str, object]) -> Command[Any]:
    """A command from the arguments of a request, in camelCase or snake_case. Raises LayerError.

    An argument that nobody knows is an error: left out in silence, it would be lost with what it says.
    """
    known = {field.encode_name for field in msgspec.structs.fields(kind)}
    named: dict[str, object] = {}
    for key, value in given.items():
        camel = _to_camel_case(key)
        name = kind.other_names.get(camel, camel)
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            raise LayerError(
                "VALIDATION_ERROR", f"{kind.method}: there is no argument `{key}`", hint=f"its arguments are: {listed}"
            )
        if name in named:
            raise LayerError("VALIDATION_ERROR", f"{kind.method}: `{name}` is given twice, once as `{key}`")
        named[name] = value
    command: Command[Any] = msgspec.convert(named, kind)
    return command


def check_project(root: str, cwd: str) -> str:
    """The root of a project, if it is one. Raises LayerError for the home folder and for what no JSON can hold."""
    if not root or not find_root({}, {"HOME": str(Path.home())}, root):
        raise LayerError(
            "VALIDATION_ERROR", "the home folder is no project", where=root or cwd, hint="cd into a project"
        )
    if replace_surrogates(root) != root:
        raise LayerError(
            "VALIDATION_ERROR",
            "a project's path must be UTF-8",
            where=replace_surrogates(root),
            hint="rename the folder",
        )
    return root


def make_no_effort_error(where: str) -> LayerError:
    """The error of a command that needs an active effort where there is none."""
    return LayerError("NO_ACTIVE_EFFORT", "there is no active effort", where=where, hint=START_HINT)


def read_agent_name(environ: Mapping[str, str]) -> str:
    """The name that an environment gives its agent; "" for the name that means nobody."""
    name = environ.get("AGENT_ID", "")
    return "" if name == NO_AGENT_ID else name


def _to_camel_case(key: str) -> str:
    head, *rest = key.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest) if head else key


@cache
def find_commands() -> dict[str, type[Command[Any]]]:
    """Every command with a method, by its name. There is no list to add to: the package is walked."""
    found = {command.method: command for module in _iter_modules() for command in _iter_declared(module)}
    return dict(sorted(found.items()))


def _iter_modules() -> Iterator[str]:
    for info in pkgutil.iter_modules(synaptic.work.__path__, "synaptic.work."):
        yield info.name


def _iter_declared(name: str) -> Iterator[type[Command[Any]]]:
    module = importlib.import_module(name)
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Command) and value.__module__ == name and value.method:
            yield value
