"""What a package needs: programs that must be there, programs it may bring, and packages that come first."""

import hashlib
import re
import shutil
import subprocess  # noqa: TID251 - packages is one of the rooms that start processes
from collections.abc import Iterable, Sequence

import msgspec
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from synaptic.model.refusal import Refusal
from synaptic.packages.lock import External, Lock, Requirements
from synaptic.packages.materialise import checked
from synaptic.packages.rows import Bundle, Dep
from synaptic.packages.source import Source

DEPTH = 10
PATIENCE = 10.0
INSTALL_PATIENCE = 600.0
PROGRAM = re.compile(r"[\w.+-]+")
NUMBER = re.compile(r"\d+(?:\.\d+)+|\d+")


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A package that is asked for."""

    name: str
    channel: str
    version: str | None = None
    agents: tuple[str, ...] = ("claude",)


def resolve(source: Source, wanted: Wanted, lock: Lock) -> tuple[Bundle, ...]:
    """The package last, and before it every package it needs that is not installed yet. A cycle ends."""
    found: dict[str, Bundle] = {}
    _walk(source, wanted, lock, found, (wanted.name,))
    return tuple(found.values())


def fetch(source: Source, wanted: Wanted) -> Bundle:
    """One package as its channel has it, in the variant for the user's agent; checked."""
    name = _variant(source, wanted)
    bundle = source.bundle(name, wanted.channel, wanted.version)
    if bundle is None:
        version = f" {wanted.version}" if wanted.version else ""
        raise Refusal(
            "not_found",
            f"there is no package {wanted.name}{version} on channel {wanted.channel}",
            where=source.url,
            hint=f"type: synaptic search {wanted.name}",
        )
    return checked(bundle)


def _variant(source: Source, wanted: Wanted) -> str:
    variants = source.variants(wanted.name, wanted.channel)
    if not variants:
        return wanted.name
    for agent in wanted.agents:
        for variant in variants:
            if variant.agent_profile == agent:
                return variant.variant_package_id
    there = ", ".join(variant.agent_profile for variant in variants)
    raise Refusal(
        "blocked", f"{wanted.name} is not made for {', '.join(wanted.agents)}", hint=f"it is made for: {there}"
    )


def _walk(source: Source, wanted: Wanted, lock: Lock, found: dict[str, Bundle], path: tuple[str, ...]) -> None:
    bundle = fetch(source, wanted)
    if len(path) >= DEPTH:
        raise Refusal("blocked", f"needs packages {DEPTH} deep: {' > '.join(path)}", hint="tell its author")
    for dep in bundle.deps:
        if dep.dep_type != "skill" or dep.dep_name in path or dep.dep_name in found:
            continue
        known = lock.get(dep.dep_name)
        if known is None:
            inner = msgspec.structs.replace(wanted, name=dep.dep_name, version=None)
            _walk(source, inner, lock, found, (*path, dep.dep_name))
            _refuse_version(dep, found[dep.dep_name].package.version, bundle)
        else:
            _refuse_version(dep, known.version, bundle)
    found[wanted.name] = bundle


def _refuse_version(dep: Dep, version: str, bundle: Bundle) -> None:
    if not satisfies(version, dep.dep_spec):
        needs = f"{bundle.package.name} needs {dep.dep_name} {dep.dep_spec}, and there is {version}"
        raise Refusal("blocked", needs, hint=f"type: synaptic upgrade {dep.dep_name}")


def requirements(bundle: Bundle, lock: Lock) -> Requirements:
    """What is there and what is missing. Raises Refusal for a program that must be there and is not."""
    deps = bundle.deps
    installed = frozenset(lock.names())
    return Requirements(
        tools=tuple(_tool(dep) for dep in deps if dep.dep_type == "tool"),
        verified=True,
        agents=(bundle.package.agent_variant,),
        cli=tuple(_cli(dep) for dep in deps if dep.dep_type == "cli"),
        skills=tuple(
            External(
                name=dep.dep_name,
                spec=dep.dep_spec,
                provenance="preexisting" if dep.dep_name in installed else "installed",
            )
            for dep in deps
            if dep.dep_type == "skill"
        ),
    )


def missing(needs: Iterable[External]) -> tuple[External, ...]:
    """Programs that have to be installed by their declared command."""
    return tuple(one for one in needs if one.provenance == "installed" and one.command)


def run_commands(commands: Sequence[External]) -> None:
    """Install what was shown and agreed to; only ever at install and upgrade. The first that fails ends it."""
    for one in commands:
        try:
            done = subprocess.run(one.command, shell=True, capture_output=True, timeout=INSTALL_PATIENCE)
        except subprocess.TimeoutExpired:
            raise Refusal("blocked", f"`{one.command}` took too long", hint="install it by hand, then again") from None
        if done.returncode or shutil.which(one.name) is None:
            said = done.stderr.decode("utf-8", "replace").strip()[-300:]
            text = f"`{one.command}` did not install {one.name} (exit {done.returncode}) {said}".rstrip()
            raise Refusal("blocked", text, hint="install it by hand, then again")


def satisfies(version: str, spec: str) -> bool:
    """Whether a version meets a requirement such as `>= 3.11`; no requirement is met by anything."""
    if not spec.strip():
        return True
    try:
        return SpecifierSet(spec).contains(Version(version), prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return version == spec.strip().lstrip("=").strip()


def _tool(dep: Dep) -> External:
    found = found_version(dep)
    required = f"{dep.dep_name} {dep.dep_spec}".strip()
    if found is None:
        raise Refusal("blocked", f"required: {required}; found: none on PATH", hint=f"install {dep.dep_name}")
    if dep.dep_spec and not satisfies(found, dep.dep_spec):
        shown = found or "a version that it does not tell"
        raise Refusal("blocked", f"required: {required}; found: {shown}", hint=f"upgrade {dep.dep_name}")
    return External(name=dep.dep_name, spec=dep.dep_spec, provenance="preexisting")


def _cli(dep: Dep) -> External:
    if dep.cmd_sha256 and hashlib.sha256(dep.install_cmd.encode()).hexdigest() != dep.cmd_sha256:
        raise Refusal("validation_failed", f"the command that installs {dep.dep_name} does not match its hash")
    found = found_version(dep)
    if found is not None and (not dep.dep_spec or satisfies(found, dep.dep_spec)):
        return External(name=dep.dep_name, spec=dep.dep_spec, command=dep.install_cmd, provenance="preexisting")
    if not dep.install_cmd:
        raise Refusal("blocked", f"needs {dep.dep_name}, which is not on PATH", hint=f"install {dep.dep_name}")
    return External(name=dep.dep_name, spec=dep.dep_spec, command=dep.install_cmd, provenance="installed")


def found_version(dep: Dep) -> str | None:
    """The version a program tells; "" when it tells none or nobody wants to know, None when it is not there."""
    if not PROGRAM.fullmatch(dep.dep_name):
        raise Refusal("validation_failed", f"`{dep.dep_name[:80]}` is no name of a program")
    path = shutil.which(dep.dep_name)
    if path is None or not dep.dep_spec.strip():
        return path and ""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = NUMBER.search((done.stdout + done.stderr).decode("utf-8", "replace"))
    return found.group() if found else ""
