"""What `synaptic doctor` looks at without asking the daemon or a package: installation, database, project, hooks."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec

import synaptic
from synaptic.agents.shared.discover import CLAUDE_NAME, find_agent, load_agents
from synaptic.hooks.catalog import HookCatalog
from synaptic.hooks.faults import find_faults, find_switched_off
from synaptic.hooks.trust import HookTrust, get_run_file
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.model.hook import Hook
from synaptic.model.presets import DEFAULT_PRESETS
from synaptic.policies.base import load_policies
from synaptic.setup import agent_health, dispatcher
from synaptic.setup.agents import find_agent_here
from synaptic.setup.bootstrap import UNKNOWN_TOKEN, choose_settings_file, make_plan, recall_choices
from synaptic.setup.env import locate_env
from synaptic.setup.installed import find_changes, is_editable
from synaptic.setup.options import SetupOptions
from synaptic.setup.refusals import find_missing_refusals
from synaptic.setup.settings import read_token
from synaptic.setup.verify import has_claude, verify_setup
from synaptic.store.damage import list_damaged
from synaptic.store.db import Store
from synaptic.store.integrity import Soundness, examine_database
from synaptic.store.losses import Loss, list_losses

STALE_OUTPUT = 3600.0
EXAMINE_SECONDS = 1.0
"""Seconds after which a background hook's output should have been collected."""

FindingState = Literal["ok", "warn", "fail"]
StoreOpener = Callable[[Home], Store]
"""How a check opens the database: whoever only looks on writes nothing."""


class DoctorFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    check: str
    state: FindingState
    seen: str
    fix: str = ""
    """What to type."""
    repair: str = ""
    """What `--fix` does about it."""


def check_dispatcher(home: Home) -> Iterator[DoctorFinding]:
    """Whether the dispatcher is of this version, and the fast one. A missing one is for `check_installation`."""
    kind = dispatcher.find_dispatcher_kind(home)
    if kind is None:
        return
    engine = dispatcher.read_engine(home)
    if engine.version != synaptic.__version__:
        seen = f"was installed by version {engine.version or 'unknown'}, this is {synaptic.__version__}"
        fix = "synaptic bootstrap"
        yield DoctorFinding(check="dispatcher", state="fail", seen=seen, fix=fix, repair="bootstrap")
    elif kind == "python":
        fix = "install a C compiler, then synaptic-hooks again"
        yield DoctorFinding(check="dispatcher", state="warn", seen="the Python client, which is slower", fix=fix)
    else:
        yield DoctorFinding(check="dispatcher", state="ok", seen=f"native, version {engine.version}: {home.dispatch}")


def check_engine_files(home: Home) -> Iterator[DoctorFinding]:
    """Whether the engine's own files are as they were installed. Without a dispatcher nothing was written down."""
    if dispatcher.find_dispatcher_kind(home) is None:
        return
    if not home.engine_files.is_file() or not home.start.is_file():
        seen = f"nobody wrote down how they were installed: {home.engine_files}"
        yield DoctorFinding(check="engine", state="fail", seen=seen, fix="synaptic up", repair="bootstrap")
    elif changes := find_changes(home):
        # In a checkout files are meant to change; anywhere else, nobody should have touched them.
        state: FindingState = "warn" if is_editable() else "fail"
        yield DoctorFinding(check="engine", state=state, seen=changes, fix="synaptic up", repair="bootstrap")
    else:
        yield DoctorFinding(check="engine", state="ok", seen="its files are as they were installed")


def check_refusals(home: Home) -> Iterator[DoctorFinding]:
    """Whether what is said without an engine is as it was installed."""
    if home.engine.exists() and (missing := find_missing_refusals(home)):
        more = f" and {len(missing) - 1} more" if missing[1:] else ""
        seen = f"what is said without an engine is not as it was installed: {missing[0]}{more}"
        yield DoctorFinding(check="refusals", state="fail", seen=seen, fix="synaptic bootstrap", repair="bootstrap")


def check_installation(options: SetupOptions) -> Iterator[DoctorFinding]:
    """Whether Claude Code's entries, our files and PATH are as `bootstrap` left them."""
    problems = verify_setup(options)
    for problem in problems:
        off_path = problem.what.endswith("PATH")
        yield DoctorFinding(
            check="PATH" if off_path else "installation",
            state="warn" if off_path else "fail",
            seen=f"{problem.where}: {problem.what}",
            fix=problem.fix,
            repair="bootstrap",
        )
    if has_claude(options) and all(problem.what.endswith("PATH") for problem in problems):
        yield DoctorFinding(
            check="installation",
            state="ok",
            seen=f"one entry per event: {choose_settings_file(recall_choices(options))}",
        )


def check_agents(options: SetupOptions) -> Iterator[DoctorFinding]:
    """Every other agent that is told about the dispatcher, and those that read Claude Code's entries too."""
    options = recall_choices(options)
    told = options.choices.agents if options.choices else ()
    plan = make_plan(options, read_token(options.home) or UNKNOWN_TOKEN)
    for agent in (name for name in told if name != CLAUDE_NAME):
        for remark in agent_health.examine_agent(options, find_agent(agent), plan):
            repair = "bootstrap" if remark.ours else ""
            yield DoctorFinding(
                check=f"agent {agent}", state=remark.state, seen=remark.seen, fix=remark.fix, repair=repair
            )
    others = (agent for agent in load_agents() if agent.reads_claude_settings and agent.name != CLAUDE_NAME)
    readers = [agent.title for agent in others if find_agent_here(options, agent)]
    if readers and CLAUDE_NAME in told:
        names = " and ".join(readers)
        seen = f"{names} may run Claude Code's entries too: answered in their own dialect, and once if told themselves"
        yield DoctorFinding(check="read twice", state="ok", seen=seen)


def check_database(home: Home, open_store: StoreOpener = Store.open) -> Iterator[DoctorFinding]:
    """Whether the database can be used, and whether damaged ones were moved aside."""
    if not home.database.exists():
        yield DoctorFinding(check="database", state="ok", seen="none yet; the first event makes it")
        return
    try:
        opened = open_store(home)
    except StoreError as error:
        # Calls are judged without it, and nothing of them is kept.
        seen = f"{error.where}: {error.message}; until then events are in memory only"
        yield DoctorFinding(check="database", state="fail", seen=seen, fix=error.hint)
        return
    with closing(opened) as store:
        for notice in store.notices:
            state: FindingState = "warn" if store.durable else "fail"
            yield DoctorFinding(check="database", state=state, seen=notice, fix="look at the disk and its permissions")
        if store.durable:
            yield _examine_database(home)
            yield from map(_describe_loss, store.read(list_losses))
    for file in list_damaged(home.database):
        fix = f"rm {file}*   (or keep it: nothing reads it)"
        yield DoctorFinding(check="database", state="warn", seen=f"a damaged one was moved aside: {file}", fix=fix)


def _examine_database(home: Home) -> DoctorFinding:
    """One second is enough for most journals; the daemon examines all of it whenever something is odd."""
    if examine_database(str(home.database), EXAMINE_SECONDS) is Soundness.DAMAGED:
        fix = "synaptic daemon restart   (it keeps what is sound and sets the file aside)"
        return DoctorFinding(check="database", state="fail", seen=f"{home.database}: is damaged", fix=fix)
    return DoctorFinding(check="database", state="ok", seen=str(home.database))


def _describe_loss(loss: Loss) -> DoctorFinding:
    when = datetime.fromtimestamp(loss.at).strftime("%Y-%m-%d %H:%M")
    return DoctorFinding(check="database", state="warn", seen=f"{when}: {loss.what}")


def check_spool(home: Home) -> Iterator[DoctorFinding]:
    """Whether the output of background hooks is collected."""
    stale = (
        [entry for entry in home.spool.iterdir() if _measure_age(entry) > STALE_OUTPUT] if home.spool.is_dir() else []
    )
    if stale:
        seen = f"{len(stale)} outputs of background hooks wait for longer than an hour: {home.spool}"
        yield DoctorFinding(check="spool", state="warn", seen=seen, fix="synaptic daemon restart", repair="daemon")


def _measure_age(path: Path) -> float:
    """Seconds since it was written; none for something that the daemon has just collected."""
    try:
        return time.time() - path.lstat().st_mtime
    except FileNotFoundError:
        return 0.0


def check_project(project: Path | None) -> Iterator[DoctorFinding]:
    """Whether a project has its variables; a bare folder needs none."""
    if project is None:
        return
    path = locate_env(project)
    if path.is_file():
        yield DoctorFinding(check="project variables", state="ok", seen=str(path))
    else:
        seen = f"{path} is missing"
        yield DoctorFinding(check="project variables", state="warn", seen=seen, fix="synaptic up", repair="env")


def check_guard(catalog: HookCatalog) -> Iterator[DoctorFinding]:
    """Whether the guard is on: a list of presets replaces the default one, and the guard goes with it."""
    presets = catalog.config.presets
    if not {"essentials", "strict"} & set(presets):
        seen = f"the guard is off: presets = {list(presets)}"
        yield DoctorFinding(check="guard", state="warn", seen=seen, fix="synaptic policy enable @essentials")


def check_modes(catalog: HookCatalog) -> Iterator[DoctorFinding]:
    """Which policies decide nothing here. A part of the guard among them is worth a second look."""
    advising = [hook.id for hook in catalog.hooks if hook.mode == "advise"]
    watched = [hook.id for hook in catalog.watched]
    if not advising and not watched:
        return
    told = (f"{what}: {', '.join(names)}" for what, names in (("advise", advising), ("shadow", watched)) if names)
    seen = f"not enforced here, {'; '.join(told)}"
    guards = [name for name in (*advising, *watched) if _is_essential(name)]
    if guards:
        yield DoctorFinding(check="modes", state="warn", seen=seen, fix=f"synaptic policy enforce {guards[0]}")
    else:
        yield DoctorFinding(check="modes", state="ok", seen=seen)


def _is_essential(name: str) -> bool:
    policy = load_policies().get(name)
    return policy is not None and policy.preset in DEFAULT_PRESETS


def check_declarations(home: Home, root: str, catalog: HookCatalog) -> Iterator[DoctorFinding]:
    """Whether every declaration was understood, and which are switched off."""
    problems = (*catalog.problems, *catalog.check_rules())
    for problem in problems:
        is_env = "env.toml" in problem
        fix = "synaptic up" if is_env else "correct the file; `synaptic hook validate` and `config validate` look again"
        repair = "env" if is_env else ""
        yield DoctorFinding(check="declaration", state="fail", seen=problem, fix=fix, repair=repair)
    for note in catalog.notes:
        yield DoctorFinding(check="declaration", state="warn", seen=note)
    for name, why in find_switched_off(home, root, catalog):
        yield DoctorFinding(check=f"hook {name}", state="warn", seen=why, fix="switch it on there if it should run")
    if not problems:
        if catalog.rules:
            yield DoctorFinding(
                check="rules", state="ok", seen=f"{len(catalog.rules)} hold here, as their examples say"
            )
        seen = f"{len(catalog.hooks)} hooks from {len(catalog.sources)} files"
        yield DoctorFinding(check="declaration", state="ok", seen=seen)


def check_hook(hook: Hook, trust: HookTrust, catalog: HookCatalog) -> DoctorFinding:
    """Whether one hook would run: as it was installed, able to start, and trusted."""
    check = f"hook {hook.id}"
    if changed := catalog.find_tampering(hook):
        return DoctorFinding(check=check, state="fail", seen=changed, fix="synaptic doctor --fix", repair="packages")
    standing = trust.examine(hook)
    refusals = [standing.refusal] if standing.refusal and not standing.fails else []
    if faults := list(find_faults(hook)):
        return DoctorFinding(check=check, state="fail", seen="; ".join([*faults, *refusals]), fix=f"see {hook.source}")
    if standing.refusal:
        fix = f"correct {get_run_file(hook.handler)}" if standing.fails else "synaptic trust"
        return DoctorFinding(check=check, state="fail", seen=standing.refusal, fix=fix)
    return DoctorFinding(check=check, state="ok", seen=f"runs on {', '.join(hook.events)} ({hook.source})")
