"""What `doctor` looks at: installation, daemon, database, configuration, and each hook."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

import synaptic
from synaptic.agents.shared.discover import CLAUDE, all_agents, find_agent
from synaptic.cli.bootstrap import installation
from synaptic.cli.declared import switched_off
from synaptic.cli.hook import faults_of
from synaptic.cli.place import Here, opened
from synaptic.cli.registered import catalog_of, trust_now
from synaptic.cli.sites import all_sites
from synaptic.daemon import lifecycle
from synaptic.daemon.client import responds
from synaptic.hooks.catalog import Catalog
from synaptic.hooks.trust import Trust
from synaptic.model.hook import Hook
from synaptic.model.refusal import Refusal
from synaptic.packages.restore import moved_from
from synaptic.packages.verify_install import verify_site
from synaptic.setup import agent_health, dispatcher
from synaptic.setup.agents import find_here
from synaptic.setup.bootstrap import UNKNOWN_TOKEN, plan_of, remembered, target
from synaptic.setup.env import env_file
from synaptic.setup.settings import read_token
from synaptic.setup.verify import has_claude, verify

STALE = 3600.0
"""Seconds after which a background hook's output should have been collected."""

State = Literal["ok", "warn", "fail"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    check: str
    state: State
    seen: str
    fix: str = ""
    """What to type."""
    repair: str = ""
    """What `--fix` does about it."""


def examine(place: Here) -> list[Finding]:
    """Everything, in the order in which an event meets it."""
    catalog = catalog_of(place)
    installed = (_dispatcher(place), _installation(place), _agents(place))
    first = (*installed, _daemon(place), _store(place), _spool(place), _env(place))
    parts = (*first, _packages(place), _guard(catalog))
    return [finding for part in (*parts, _declarations(place, catalog), _hooks(place, catalog)) for finding in part]


def _guard(catalog: Catalog) -> Iterator[Finding]:
    """A list of presets replaces the default one, and the guard goes with it."""
    presets = catalog.config.presets
    if not {"essentials", "strict"} & set(presets):
        seen = f"the guard is off: presets = {list(presets)}"
        yield Finding(check="guard", state="warn", seen=seen, fix="synaptic policy enable @essentials")


def _dispatcher(place: Here) -> Iterator[Finding]:
    kind = dispatcher.kind(place.home)
    if kind is None:
        return  # the installation's own check says so
    engine = dispatcher.read_engine(place.home)
    if engine.version != synaptic.__version__:
        seen = f"was installed by version {engine.version or 'unknown'}, this is {synaptic.__version__}"
        fix = "synaptic bootstrap"
        yield Finding(check="dispatcher", state="fail", seen=seen, fix=fix, repair="bootstrap")
    elif kind == "python":
        fix = "install a C compiler, then synaptic-hooks again"
        yield Finding(check="dispatcher", state="warn", seen="the Python client, which is slower", fix=fix)
    else:
        yield Finding(check="dispatcher", state="ok", seen=f"native, version {engine.version}: {place.home.dispatch}")


def _installation(place: Here) -> Iterator[Finding]:
    options = installation(place)
    problems = verify(options)
    for problem in problems:
        off_path = problem.what.endswith("PATH")
        yield Finding(
            check="PATH" if off_path else "installation",
            state="warn" if off_path else "fail",
            seen=f"{problem.where}: {problem.what}",
            fix=problem.fix,
            repair="bootstrap",
        )
    if has_claude(options) and all(problem.what.endswith("PATH") for problem in problems):
        yield Finding(check="installation", state="ok", seen=f"one entry per event: {target(remembered(options))}")


def _agents(place: Here) -> Iterator[Finding]:
    """Every other agent that is told about the dispatcher, and those that read Claude Code's entries too."""
    options = remembered(installation(place))
    told = options.choices.agents if options.choices else ()
    plan = plan_of(options, read_token(place.home) or UNKNOWN_TOKEN)
    for agent in (name for name in told if name != CLAUDE):
        for remark in agent_health.examine(options, find_agent(agent), plan):
            repair = "bootstrap" if remark.ours else ""
            yield Finding(check=f"agent {agent}", state=remark.state, seen=remark.seen, fix=remark.fix, repair=repair)
    others = (agent for agent in all_agents() if agent.reads_claude_settings and agent.name != CLAUDE)
    readers = [agent.title for agent in others if find_here(options, agent)]
    if readers and CLAUDE in told:
        names = " and ".join(readers)
        seen = f"{names} may run Claude Code's entries too: answered in their own dialect, and once if told themselves"
        yield Finding(check="read twice", state="ok", seen=seen)


def _daemon(place: Here) -> Iterator[Finding]:
    now = lifecycle.status(place.home)
    if now.state != "running":
        seen = f"{now.state}; the next event starts it"
        yield Finding(check="daemon", state="warn", seen=seen, fix="synaptic daemon start", repair="daemon")
        return
    who = f"process {now.pid}, version {now.version}"
    fix = "synaptic daemon restart"
    if now.version != synaptic.__version__:
        seen = f"{who}, but this is {synaptic.__version__}"
        yield Finding(check="daemon", state="fail", seen=seen, fix=fix, repair="daemon")
    elif not responds(place.home):
        seen = f"{who} does not answer; read {place.home.log}"
        yield Finding(check="daemon", state="fail", seen=seen, fix=fix, repair="daemon")
    else:
        yield Finding(check="daemon", state="ok", seen=who)
        yield from _socket(place)


def _socket(place: Here) -> Iterator[Finding]:
    try:
        mode = place.home.socket.stat().st_mode & 0o777
    except FileNotFoundError:
        return  # it stopped this very moment
    if mode & 0o077:
        seen = f"{place.home.socket} can be used by others (mode {mode:o})"
        fix = f"chmod 600 {place.home.socket}"
        yield Finding(check="socket", state="fail", seen=seen, fix=fix, repair="socket")
    else:
        yield Finding(check="socket", state="ok", seen=f"only for this user: {place.home.socket}")


def _store(place: Here) -> Iterator[Finding]:
    home = place.home
    if not home.database.exists():
        yield Finding(check="database", state="ok", seen="none yet; the first event makes it")
        return
    with opened(home) as store:
        for notice in store.notices:
            state: State = "warn" if store.durable else "fail"
            yield Finding(check="database", state=state, seen=notice, fix="look at the disk and its permissions")
        if store.durable:
            yield Finding(check="database", state="ok", seen=str(home.database))
    for damaged in sorted(home.root.glob(f"{home.database.name}.damaged-*[0-9A-Z]")):
        fix = f"rm {damaged}*   (or keep it: nothing reads it)"
        yield Finding(check="database", state="warn", seen=f"a damaged one was moved aside: {damaged}", fix=fix)


def _spool(place: Here) -> Iterator[Finding]:
    if not place.home.spool.is_dir():
        return
    stale = [entry for entry in place.home.spool.iterdir() if _age(entry) > STALE]
    if stale:
        seen = f"{len(stale)} outputs of background hooks wait for longer than an hour: {place.home.spool}"
        yield Finding(check="spool", state="warn", seen=seen, fix="synaptic daemon restart", repair="daemon")


def _age(path: Path) -> float:
    """Seconds since it was written; none for something that the daemon has just collected."""
    try:
        return time.time() - path.lstat().st_mtime
    except FileNotFoundError:
        return 0.0


def _env(place: Here) -> Iterator[Finding]:
    if place.project is None:
        return
    path = env_file(place.project)
    if path.is_file():
        yield Finding(check="project variables", state="ok", seen=str(path))
    else:
        seen = f"{path} is missing"
        yield Finding(check="project variables", state="warn", seen=seen, fix="synaptic up", repair="env")


def _packages(place: Here) -> Iterator[Finding]:
    for site in all_sites(place):
        try:
            found = [one for one in verify_site(site) if one.kind not in ("ok", "extra")]
        except Refusal as refusal:
            yield Finding(check="packages", state="fail", seen=str(refusal), fix=refusal.hint)
            continue
        for one in found:
            moved = one.kind == "not_agreed" and moved_from(place.home, site) is None
            fix, repair = ("synaptic install", "") if moved else ("synaptic doctor --fix", "packages")
            state: State = "fail" if one.failed else "warn"
            seen = f"{one.kind} {one.path} {one.message}".strip()
            yield Finding(check=f"package {one.package}", state=state, seen=seen, fix=fix, repair=repair)


def _declarations(place: Here, catalog: Catalog) -> Iterator[Finding]:
    for problem in catalog.problems:
        is_env = "env.toml" in problem
        fix = "synaptic up" if is_env else "correct the file; `synaptic hook validate` and `config validate` look again"
        yield Finding(
            check="declaration", state="fail", seen=problem, fix=fix, repair="env" if is_env else ""
        )  # fmt: skip
    for name, why in switched_off(place, catalog):
        yield Finding(check=f"hook {name}", state="warn", seen=why, fix="switch it on there if it should run")
    if not catalog.problems:
        yield Finding(
            check="declaration", state="ok", seen=f"{len(catalog.hooks)} hooks from {len(catalog.sources)} files"
        )


def _hooks(place: Here, catalog: Catalog) -> Iterator[Finding]:
    with trust_now(place.home, catalog) as trust:
        yield from (_hook(hook, trust, catalog) for hook in catalog.hooks)


def _hook(hook: Hook, trust: Trust, catalog: Catalog) -> Finding:
    check = f"hook {hook.id}"
    if changed := catalog.tampered(hook):
        return Finding(check=check, state="fail", seen=changed, fix="synaptic doctor --fix", repair="packages")
    faults = list(faults_of(hook))
    if faults:
        return Finding(check=check, state="fail", seen="; ".join(faults), fix=f"see {hook.source}")
    if refusal := trust.refusal(hook):
        return Finding(check=check, state="fail", seen=refusal, fix="synaptic trust")
    return Finding(check=check, state="ok", seen=f"runs on {', '.join(hook.events)} ({hook.source})")
