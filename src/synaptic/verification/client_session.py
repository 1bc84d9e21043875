"""One session of a client with a throw-away user, from its settings to what the session has left behind."""

import shutil
import tempfile
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from synaptic.agents.shared.discover import find_agent
from synaptic.agents.shared.record import SetupChoices
from synaptic.daemon import lifecycle
from synaptic.model.errors import DaemonError
from synaptic.model.home import Home
from synaptic.setup.agent_versions import VERSION_TIMEOUT, find_version
from synaptic.setup.bootstrap import run_bootstrap
from synaptic.setup.options import SetupOptions
from synaptic.store.db import Store
from synaptic.store.journal import read_entries_after
from synaptic.verification.cases import CASES, HOOKS, VerifyCase
from synaptic.verification.client_process import (
    ClientEnd,
    ClientStart,
    end_processes_of,
    make_environment,
    refuse_network,
    run_client,
)
from synaptic.verification.dialects import text
from synaptic.verification.driver import Driver, Stage
from synaptic.verification.judgement import ClientSession, Evidence
from synaptic.verification.model_server import Model
from synaptic.verification.script import DONE, Turn

PROMPT = "do the thing"
STOP_SECONDS = 2.0
VERSION_SECONDS = 20.0
"""For a client that has just shown that it does not hang."""
MOST_ENTRIES = 1000


class ClientPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Which client is verified, and for how long it may take."""

    agent: str
    launch: tuple[str, ...]
    search_path: str
    patience: float
    variables: Mapping[str, str] = {}
    """What it finds in its environment beside what its driver says."""


class SessionFindings(msgspec.Struct, frozen=True):
    """What a session has left behind."""

    version: str
    """What the client says of itself; "" for nothing."""
    evidence: tuple[Evidence, ...]
    """One for each case, in their order."""
    session: ClientSession


def hold_session(plan: ClientPlan, driver: Driver, stop: threading.Event) -> SessionFindings:
    """Let a client make every call of the script. What cannot be set up raises; the client itself is evidence."""
    # Short: a socket's path has little room.
    folder = Path(tempfile.mkdtemp(prefix="syn-")).resolve()
    with closing(Model(driver.dialect)) as model:
        stage = _make_stage(folder, plan, model)
        home = Home(stage.home / ".synaptic")
        try:
            _set_up(stage, home, driver, plan)
            model.follow((*(_make_turn(stage, driver, case) for case in CASES), DONE))
            version, ended = _run(stage, driver, plan, stop)
            return SessionFindings(
                version, _collect_evidence(stage, home, model, ended), _describe_session(model, ended)
            )
        finally:
            _clear(home, stage.home, folder)


def _make_stage(folder: Path, plan: ClientPlan, model: Model) -> Stage:
    stage = Stage(
        home=folder / "home",
        project=folder / "project",
        temporary=folder / "tmp",
        launch=plan.launch,
        url=model.url,
        address=model.address,
    )
    for made in (stage.home, stage.project, stage.temporary):
        made.mkdir()
    return stage


def _set_up(stage: Stage, home: Home, driver: Driver, plan: ClientPlan) -> None:
    driver.prepare(stage)
    run_bootstrap(
        SetupOptions(
            home=home,
            user_home=stage.home,
            search_path=plan.search_path,
            has_profile=False,
            choices=SetupChoices(agents=(plan.agent,), trust=True),
        )
    )
    home.registry.parent.mkdir(parents=True, exist_ok=True)
    home.registry.write_bytes(HOOKS.read_bytes())


def _make_turn(stage: Stage, driver: Driver, case: VerifyCase) -> Turn:
    if case.tool == "write":
        return (driver.make_write_call(stage.project / case.file, "written\n"),)
    return (driver.make_shell_call(f"touch {case.file}"),)


def _run(stage: Stage, driver: Driver, plan: ClientPlan, stop: threading.Event) -> tuple[str, ClientEnd]:
    """The client's version, and how its session has ended; or how the command before it has failed."""
    usual = make_environment(stage.home, stage.temporary, plan.search_path)
    variables = {**usual, **refuse_network(stage.address), **driver.variables(stage), **plan.variables}
    login, command = driver.login_command(stage), driver.command(stage, PROMPT)
    ended = run_client(ClientStart(login or command, stage.project, variables), plan.patience, stop)
    if login and not ended.exit:
        ended = run_client(ClientStart(command, stage.project, variables), plan.patience, stop)
    if stop.is_set():
        return "", ended
    # Afterwards: some clients do a lot when they are started in a home for the first time.
    patience = VERSION_TIMEOUT if ended.was_ended else VERSION_SECONDS
    arguments = find_agent(plan.agent).version_arguments
    return find_version(plan.launch[-1], arguments, variables, patience), ended


def _collect_evidence(stage: Stage, home: Home, model: Model, ended: ClientEnd) -> tuple[Evidence, ...]:
    decisions = _read_decisions(home)
    heard = "\n".join(text({**request, "tools": ()}) for request in tuple(model.requests))
    # What only the user is told counts too, but for advice, which is meant for the model.
    said = f"{heard}\n{ended.output}"
    return tuple(
        Evidence(
            ran=_exists(stage.project / case.file),
            ran_instead=bool(case.instead) and _exists(stage.project / case.instead),
            told=bool(case.says) and case.says in (heard if case.wanted == "advise" else said),
            decision=decisions.get(case.file, ""),
        )
        for case in CASES
    )


def _describe_session(model: Model, ended: ClientEnd) -> ClientSession:
    trouble = f"it did not end within {ended.seconds:.0f} s and was ended" if ended.was_ended else ""
    lines = [line for line in ended.output.splitlines() if line.strip()]
    return ClientSession(turns=len(model.requests), trouble=trouble, last_words=lines[-1] if lines else "")


def _exists(path: Path) -> bool:
    try:
        return path.lstat() is not None
    except OSError:
        return False


def _read_decisions(home: Home) -> dict[str, str]:
    """What was decided about each call that asked."""
    if not home.database.exists():
        return {}
    with closing(Store.open(home)) as store:
        entries = [one for one in read_entries_after(store, 0, MOST_ENTRIES) if one.event == "PreToolUse"]
    return {
        case.file: "allow" if entry.decision.kind == "none" else str(entry.decision.kind)
        for case in CASES
        for entry in entries
        if case.file in (entry.payload or "")
    }


def _clear(home: Home, user_home: Path, folder: Path) -> None:
    """Nothing stays: neither what the client has left running, nor the daemon, nor a file."""
    with suppress(DaemonError):
        end_processes_of(user_home, lifecycle.read_status(home).pid)
        lifecycle.stop_daemon(home, grace=STOP_SECONDS)
    end_processes_of(user_home)
    shutil.rmtree(folder, ignore_errors=True)
