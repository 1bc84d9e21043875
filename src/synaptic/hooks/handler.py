"""Build the handler of a YAML hook; its paths must stay inside the repository."""

from typing import Any

import msgspec

from synaptic.hooks.config import Config, configure_policy
from synaptic.hooks.declaration import DeclarationFile, check_text, check_url, resolve_inside, split_function
from synaptic.hooks.nearest import make_hint
from synaptic.hooks.shape import convert_table, list_unknown_keys
from synaptic.model.errors import DeclarationError
from synaptic.model.hook import Builtin, Command, Handler, HttpEndpoint, PythonFunction
from synaptic.policies.base import load_policies
from synaptic.shell.read.reader import read_words


class HandlerTable(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of `handler`, for every kind."""

    kind: str
    """script, builtin, http or python."""
    command: str | tuple[str, ...] = ""
    """script: a path relative to the root of the repository, and its arguments."""
    policy: str = ""
    """builtin: the id of a policy."""
    url: str = ""
    """http: an address on this machine."""
    headers: dict[str, str] = {}
    """http: sent with each request."""
    function: str = ""
    """python: `path/file.py:function`."""


NEEDED_KEYS = {"script": "command", "builtin": "policy", "http": "url", "python": "function"}


def build_handler(table: dict[str, Any], place: DeclarationFile, config: Config, events: tuple[str, ...]) -> Handler:
    """Build the handler that a YAML hook describes."""
    where = f"{place.file}: handler"
    # Refused, not ignored as elsewhere: half a handler would run something else than its author meant.
    if unknown := list_unknown_keys(table, HandlerTable):
        raise DeclarationError(
            f"unknown key `{unknown[0]}`", where=where, hint=make_hint(unknown[0], HandlerTable.__struct_fields__)
        )
    said = convert_table(table, HandlerTable, where)
    if said.kind not in NEEDED_KEYS:
        raise DeclarationError(f"unknown kind `{said.kind}`", where=where, hint=make_hint(said.kind, NEEDED_KEYS))
    if not getattr(said, NEEDED_KEYS[said.kind]):
        raise DeclarationError(f"kind {said.kind} needs `{NEEDED_KEYS[said.kind]}`", where=where)
    if said.kind == "builtin":
        return _build_builtin(_check_allowed(said.policy, place, where), where, config, events)
    if said.kind == "http":
        return HttpEndpoint(check_url(said.url, where), said.headers)
    if said.kind == "python":
        file, function = split_function(said.function, where, "function")
        return PythonFunction(resolve_inside(file, place, where), function)
    return Command(argv=_build_argv(said.command, place, where), cwd=place.root)


def _check_allowed(name: str, place: DeclarationFile, where: str) -> str:
    """Refuse a project that switches on a policy which runs the project's programs: only the user can."""
    policy = load_policies().get(name)
    if place.scope == "project" and policy is not None and policy.runs:
        raise DeclarationError(
            f"policy `{name}` runs programs of the project, so a project cannot switch it on",
            where=where,
            hint=f"type `synaptic policy enable {name}` if you want it",
        )
    return name


def _build_builtin(name: str, where: str, config: Config, events: tuple[str, ...]) -> Builtin:
    policy = load_policies().get(name)
    if policy is None:
        raise DeclarationError(f"unknown policy `{name}`", where=where, hint=make_hint(name, load_policies()))
    heard = {event.__name__ for event in policy.events}
    if strange := [event for event in events if event not in heard]:
        raise DeclarationError(
            f"policy `{name}` does not listen to {strange[0]}",
            where=where,
            hint=f"it listens to {', '.join(sorted(heard))}",
        )
    return Builtin(configure_policy(policy, config))


def _build_argv(command: str | tuple[str, ...], place: DeclarationFile, where: str) -> tuple[str, ...]:
    """Split a command; a first word with a slash is a file of the repository, one without a program on PATH."""
    words = read_words(check_text(command, where, "command")) if isinstance(command, str) else command
    if not words or "\0" in "".join(words):
        raise DeclarationError(
            "`command` is not one program with its arguments",
            where=where,
            hint="are its quotes closed? No shell runs it: what needs one goes into a script",
        )
    first, *rest = words
    for word in rest:
        # Relative words may name files of the repository: `../../evil.sh` as an argument must not leave it either.
        if not word.startswith("/"):
            resolve_inside(word, place, where)
    return (resolve_inside(first, place, where) if "/" in first else first, *rest)
