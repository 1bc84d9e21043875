"""Commands from the signatures of functions: the part of Typer's vocabulary that our verbs speak, built on click.

Typer itself needs about four times as long to start as click does, longer than any verb takes to do its work.
"""

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

import click
from click import Context, confirm, prompt, style
from click.exceptions import Abort, BadParameter, ClickException, Exit
from click.shell_completion import CompletionItem

from synaptic.cli.help_pages import HelpedArgument, HelpedCommand, HelpedGroup

__all__ = ["Abort", "BadParameter", "ClickException", "Context", "Exit", "confirm", "prompt", "style"]

Function = TypeVar("Function", bound=Callable[..., Any])
Completion = Callable[[str], list[Any]]
UNSHOWN_DEFAULTS: tuple[object, ...] = (None, "", False, (), [])


class Declared(NamedTuple):
    """What a verb says about one parameter, beside its type and its default."""

    is_option: bool
    param_decls: tuple[str, ...]
    settings: Mapping[str, Any]


def Option(*param_decls: str, **settings: Any) -> Any:
    """An option: its spellings, `help`, `metavar`, `min`, `max`, `autocompletion`, `callback`, `is_eager`."""
    return Declared(True, param_decls, settings)


def Argument(**settings: Any) -> Any:
    """A positional argument: `help`, `metavar`, `min`, `max`, `autocompletion`."""
    return Declared(False, (), settings)


class Typer:
    """An app: functions that are registered as commands, and one that runs before them."""

    def __init__(self, cls: type[HelpedGroup] = HelpedGroup, **settings: Any) -> None:
        self.group = cls
        self.settings = settings
        self.commands: list[tuple[str | None, Callable[..., Any], dict[str, Any]]] = []
        self.before: tuple[Callable[..., Any], dict[str, Any]] | None = None

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Function], Function]:
        """Register a function as a command, under its own name unless another is given."""

        def register(function: Function) -> Function:
            self.commands.append((name, function, settings))
            return function

        return register

    def callback(self, **settings: Any) -> Callable[[Function], Function]:
        """Register the function that gets the options before a command; with it, the app is always a group."""

        def register(function: Function) -> Function:
            self.before = (function, settings)
            return function

        return register

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        return get_command(self)(*arguments, **settings)


def get_command(app: Typer) -> click.Command:
    """The click command of an app: the one that it has, or a group."""
    if app.before is None and len(app.commands) == 1 and app.group is HelpedGroup:
        return _build_command(*app.commands[0], **app.settings)
    function, more = app.before or (None, {})
    settings: dict[str, Any] = {**app.settings, **more}
    if function is not None:
        settings |= {"callback": _fit_call(function), "params": _list_parameters(function)}
        settings["help"] = settings.get("help") or inspect.getdoc(function)
    group = app.group(name=None, **settings)
    for one in app.commands:
        group.add_command(_build_command(*one))
    return group


def _build_command(name: str | None, function: Callable[..., Any], given: dict[str, Any], **app: Any) -> click.Command:
    settings = {"epilog": app.get("epilog"), "help": app.get("help") or inspect.getdoc(function), **given}
    return HelpedCommand(
        name=name or function.__name__.replace("_", "-"),
        callback=_fit_call(function),
        params=_list_parameters(function),
        **settings,
    )


def _fit_call(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as click calls it: repeated values as lists, the context where a parameter asks for it."""
    parameters = inspect.signature(function).parameters
    contexts = [name for name, one in parameters.items() if one.annotation is Context]

    def call(**given: Any) -> Any:
        for name, value in given.items():
            if isinstance(value, tuple):
                given[name] = list(value) if value or parameters[name].default is not None else None
        return function(**given, **{name: click.get_current_context() for name in contexts})

    return call


def _list_parameters(function: Callable[..., Any]) -> list[click.Parameter]:
    found = inspect.signature(function).parameters.values()
    return [_build_parameter(one) for one in found if one.annotation is not Context]


def _build_parameter(one: inspect.Parameter) -> click.Parameter:
    kind, declared = one.annotation.__origin__, one.annotation.__metadata__[-1]
    is_required = one.default is inspect.Parameter.empty
    kind, is_list = _read_kind(kind)
    settings = dict(declared.settings)
    bounds = {name: settings.pop(name) for name in ("min", "max") if name in settings}
    if complete := settings.pop("autocompletion", None):
        settings["shell_complete"] = _fit_completion(complete)
    settings |= {"type": _choose_type(kind, bounds), "required": is_required}
    if not is_required and not (is_list and one.default is None):
        settings["default"] = one.default
    if not declared.is_option:
        return HelpedArgument([one.name], nargs=-1 if is_list else 1, **settings)
    if kind in (int, float):
        settings.setdefault("metavar", "N")
    words = declared.param_decls or _spell_option(one.name, kind)
    settings["show_default"] = one.default not in UNSHOWN_DEFAULTS and not is_required
    if kind is bool and not settings.get("is_flag"):
        settings |= {"is_flag": True, "type": None}
    return click.Option([*words, one.name], multiple=is_list, **settings)


def _spell_option(name: str, kind: Any) -> tuple[str, ...]:
    word = name.replace("_", "-")
    return (f"--{word}/--no-{word}",) if kind is bool else (f"--{word}",)


def _read_kind(kind: Any) -> tuple[Any, bool]:
    """The type of one value, and whether there are many; that a value may be missing is in its default."""
    if get_origin(kind) in (Union, UnionType):
        kind = next(one for one in get_args(kind) if one is not NoneType)
    return (get_args(kind)[0], True) if get_origin(kind) is list else (kind, False)


def _choose_type(kind: Any, bounds: Mapping[str, Any]) -> Any:
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind is Path:
        return click.Path(path_type=Path)
    if bounds:
        return click.IntRange(**bounds) if kind is int else click.FloatRange(**bounds)
    return kind


def _make_item(one: CompletionItem | tuple[str, str]) -> CompletionItem:
    return one if isinstance(one, CompletionItem) else CompletionItem(one[0], help=one[1] or None)


def _fit_completion(complete: Completion) -> Callable[[Context, click.Parameter, str], list[CompletionItem]]:
    def offer(context: Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [_make_item(one) for one in complete(incomplete)]

    return offer
