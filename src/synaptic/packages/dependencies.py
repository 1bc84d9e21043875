"""Dependencies of a package: required programs, programs it can install, and other packages."""

import hashlib
import re
import shutil
import subprocess  # noqa: TID251 - packages is one of the rooms that start processes
from collections.abc import Iterable, Sequence

import msgspec
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from synaptic.model.refusal import Refusal
from synaptic.packages.contents import check_bundle
from synaptic.packages.lock import ExternalNeed, Lockfile, Requirements
from synaptic.packages.rows import Bundle, Dep
from synaptic.packages.source import PackageSource

MAX_DEPENDENCY_DEPTH = 10
MAX_NEEDED_PACKAGES = 100
"""Packages that one may bring with it, all together."""
VERSION_TIMEOUT = 10.0
INSTALL_TIMEOUT = 600.0
PROGRAM_NAME = re.compile(r"[\w.+-]+")
VERSION_NUMBER = re.compile(r"\d+(?:\.\d+)+|\d+")


class WantedPackage(msgspec.Struct, frozen=True, kw_only=True):
    """A package that somebody asks for: name, channel, version, agents."""

    name: str
    channel: str
    version: str | None = None
    agents: tuple[str, ...] = ("claude",)


def resolve_packages(source: PackageSource, wanted: WantedPackage, lock: Lockfile) -> tuple[Bundle, ...]:
    """Resolve a package and the packages it needs that are not installed, dependencies first. Cycles are cut."""
    found: dict[str, Bundle] = {}
    _collect_needed(source, wanted, lock, found, (wanted.name,))
    return tuple(found.values())


def fetch_bundle(source: PackageSource, wanted: WantedPackage) -> Bundle:
    """Fetch one package from its channel, in the variant for the user's agent, and check it."""
    name = _choose_variant(source, wanted)
    bundle = source.find_bundle(name, wanted.channel, wanted.version)
    if bundle is None:
        version = f" {wanted.version}" if wanted.version else ""
        raise Refusal(
            "not_found",
            f"there is no package {wanted.name}{version} on channel {wanted.channel}",
            where=source.url,
            hint=f"type: synaptic skill search {wanted.name}",
        )
    return check_bundle(bundle)


def _choose_variant(source: PackageSource, wanted: WantedPackage) -> str:
    variants = source.list_variants(wanted.name, wanted.channel)
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


def _collect_needed(
    source: PackageSource, wanted: WantedPackage, lock: Lockfile, found: dict[str, Bundle], path: tuple[str, ...]
) -> None:
    bundle = fetch_bundle(source, wanted)
    if len(path) >= MAX_DEPENDENCY_DEPTH:
        raise Refusal(
            "blocked", f"needs packages {MAX_DEPENDENCY_DEPTH} deep: {' > '.join(path)}", hint="tell its author"
        )
    if len(found) >= MAX_NEEDED_PACKAGES:
        raise Refusal("blocked", f"{path[0]} needs more than {MAX_NEEDED_PACKAGES} packages", hint="tell its author")
    for dep in bundle.deps:
        if dep.dep_type != "skill" or dep.dep_name in path or dep.dep_name in found:
            continue
        known = lock.get(dep.dep_name)
        if known is None:
            inner = msgspec.structs.replace(wanted, name=dep.dep_name, version=None)
            _collect_needed(source, inner, lock, found, (*path, dep.dep_name))
            _refuse_version(dep, found[dep.dep_name].package.version, bundle)
        else:
            _refuse_version(dep, known.version, bundle)
    found[wanted.name] = bundle


def _refuse_version(dep: Dep, version: str, bundle: Bundle) -> None:
    if not satisfies_spec(version, dep.dep_spec):
        needs = f"{bundle.package.name} needs {dep.dep_name} {dep.dep_spec}, and there is {version}"
        raise Refusal("blocked", needs, hint=f"type: synaptic upgrade {dep.dep_name}")


def check_requirements(bundle: Bundle, lock: Lockfile) -> Requirements:
    """Check a package's requirements. Raises Refusal for a required program that is missing."""
    deps = bundle.deps
    installed = frozenset(lock.list_names())
    return Requirements(
        tools=tuple(_check_tool(dep) for dep in deps if dep.dep_type == "tool"),
        verified=True,
        agents=(bundle.package.agent_variant,),
        cli=tuple(_check_cli(dep) for dep in deps if dep.dep_type == "cli"),
        skills=tuple(
            ExternalNeed(
                name=dep.dep_name,
                spec=dep.dep_spec,
                provenance="preexisting" if dep.dep_name in installed else "installed",
            )
            for dep in deps
            if dep.dep_type == "skill"
        ),
    )


def find_missing(needs: Iterable[ExternalNeed]) -> tuple[ExternalNeed, ...]:
    """Find the programs that have to be installed by their declared command."""
    return tuple(one for one in needs if one.provenance == "installed" and one.command)


def run_install_commands(commands: Sequence[ExternalNeed]) -> None:
    """Run the install commands that were shown and agreed to; the first failure stops with a Refusal."""
    for one in commands:
        try:
            done = subprocess.run(one.command, shell=True, capture_output=True, timeout=INSTALL_TIMEOUT)
        except subprocess.TimeoutExpired:
            raise Refusal("blocked", f"`{one.command}` took too long", hint="install it by hand, then again") from None
        # Exit 0 is not believed: installers often succeed without putting the program on PATH.
        if done.returncode or shutil.which(one.name) is None:
            said = done.stderr.decode("utf-8", "replace").strip()[-300:]
            text = f"`{one.command}` did not install {one.name} (exit {done.returncode}) {said}".rstrip()
            raise Refusal("blocked", text, hint="install it by hand, then again")


def satisfies_spec(version: str, spec: str) -> bool:
    """Whether a version meets a specifier such as `>= 3.11`; an empty one is met by any version."""
    if not spec.strip():
        return True
    try:
        # A prerelease that is installed is what the user has: refusing it would not make it a release.
        return SpecifierSet(spec).contains(Version(version), prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        # Versions that are no PEP 440 (git hashes, dates) can only be compared as texts.
        return version == spec.strip().lstrip("=").strip()


def _check_tool(dep: Dep) -> ExternalNeed:
    found = find_program_version(dep)
    required = f"{dep.dep_name} {dep.dep_spec}".strip()
    if found is None:
        raise Refusal("blocked", f"required: {required}; found: none on PATH", hint=f"install {dep.dep_name}")
    if dep.dep_spec and not satisfies_spec(found, dep.dep_spec):
        shown = found or "a version that it does not tell"
        raise Refusal("blocked", f"required: {required}; found: {shown}", hint=f"upgrade {dep.dep_name}")
    return ExternalNeed(name=dep.dep_name, spec=dep.dep_spec, provenance="preexisting")


def _check_cli(dep: Dep) -> ExternalNeed:
    # The package's own hash covers its files only; the command that a shell will run has its own.
    if dep.cmd_sha256 and hashlib.sha256(dep.install_cmd.encode()).hexdigest() != dep.cmd_sha256:
        raise Refusal("validation_failed", f"the command that installs {dep.dep_name} does not match its hash")
    found = find_program_version(dep)
    if found is not None and (not dep.dep_spec or satisfies_spec(found, dep.dep_spec)):
        return ExternalNeed(name=dep.dep_name, spec=dep.dep_spec, command=dep.install_cmd, provenance="preexisting")
    if not dep.install_cmd:
        raise Refusal("blocked", f"needs {dep.dep_name}, which is not on PATH", hint=f"install {dep.dep_name}")
    return ExternalNeed(name=dep.dep_name, spec=dep.dep_spec, command=dep.install_cmd, provenance="installed")


def find_program_version(dep: Dep) -> str | None:
    """Find a program's version; "" when it prints none or no specifier asks for it, None when it is not on PATH."""
    # A path such as `./evil` from a manifest would run a file of the current folder to ask its version.
    if not PROGRAM_NAME.fullmatch(dep.dep_name):
        raise Refusal("validation_failed", f"`{dep.dep_name[:80]}` is no name of a program")
    path = shutil.which(dep.dep_name)
    if path is None or not dep.dep_spec.strip():
        return path and ""
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, timeout=VERSION_TIMEOUT, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = VERSION_NUMBER.search((done.stdout + done.stderr).decode("utf-8", "replace"))
    return found.group() if found else ""
