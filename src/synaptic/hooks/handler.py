"""Build the handler of a YAML hook; its paths must stay inside the repository."""

import os
from pathlib import Path
from typing import Any

import msgspec

from synaptic.hooks.config import Config, configured
from synaptic.hooks.declaration import Place, checked_url, printable, split_function
from synaptic.hooks.nearest import hint
from synaptic.hooks.shape import shaped, strangers
from synaptic.model.errors import DeclarationError
from synaptic.model.hook import Builtin, Command, Handler, HttpEndpoint, PythonFunction
from synaptic.policies.base import policies
from synaptic.shell.read.reader import read_words


class Described(msgspec.Struct, frozen=True, kw_only=True):
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


NEEDED = {"script": "command", "builtin": "policy", "http": "url", "python": "function"}


def described(table: dict[str, Any], place: Place, config: Config, events: tuple[str, ...]) -> Handler:
    """Build the handler that a YAML hook describes."""
    where = f"{place.file}: handler"
    # Refused, not ignored as elsewhere: half a handler would run something else than its author meant.
    if unknown := strangers(table, Described):
        raise DeclarationError(
            f"unknown key `{unknown[0]}`", where=where, hint=hint(unknown[0], Described.__struct_fields__)
        )
    said = shaped(table, Described, where)
    if said.kind not in NEEDED:
        raise DeclarationError(f"unknown kind `{said.kind}`", where=where, hint=hint(said.kind, NEEDED))
    if not getattr(said, NEEDED[said.kind]):
        raise DeclarationError(f"kind {said.kind} needs `{NEEDED[said.kind]}`", where=where)
    if said.kind == "builtin":
        return _builtin(_allowed(said.policy, place, where), where, config, events)
    if said.kind == "http":
        return HttpEndpoint(checked_url(said.url, where), said.headers)
    if said.kind == "python":
        file, function = split_function(said.function, where, "function")
        return PythonFunction(inside(file, place, where), function)
    return Command(argv=_argv(said.command, place, where), cwd=place.root)


def _allowed(name: str, place: Place, where: str) -> str:
    """Refuse a project that switches on a policy which runs the project's programs: only the user can."""
    policy = policies().get(name)
    if place.scope == "project" and policy is not None and policy.runs:
        raise DeclarationError(
            f"policy `{name}` runs programs of the project, so a project cannot switch it on",
            where=where,
            hint=f"type `synaptic policy enable {name}` if you want it",
        )
    return name


def _builtin(name: str, where: str, config: Config, events: tuple[str, ...]) -> Builtin:
    policy = policies().get(name)
    if policy is None:
        raise DeclarationError(f"unknown policy `{name}`", where=where, hint=hint(name, policies()))
    heard = {event.__name__ for event in policy.events}
    if strange := [event for event in events if event not in heard]:
        raise DeclarationError(
            f"policy `{name}` does not listen to {strange[0]}",
            where=where,
            hint=f"it listens to {', '.join(sorted(heard))}",
        )
    return Builtin(configured(policy, config))


def _argv(command: str | tuple[str, ...], place: Place, where: str) -> tuple[str, ...]:
    """Split a command; a first word with a slash is a file of the repository, one without a program on PATH."""
    words = read_words(printable(command, where, "command")) if isinstance(command, str) else command
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
            inside(word, place, where)
    return (inside(first, place, where) if "/" in first else first, *rest)


def inside(path: str, place: Place, where: str) -> str:
    """Resolve an absolute path inside the root, checked before and after following links."""
    root = place.root.rstrip("/")
    full = os.path.normpath(Path(root, path))
    if not _under(full, root) or not _under(os.path.realpath(full), os.path.realpath(root)):
        raise DeclarationError(f"`{path}` leads out of {root}", where=where, hint="keep the file in the repository")
    return full


def _under(path: str, root: str) -> bool:
    return path == root or path.startswith(f"{root}/")
