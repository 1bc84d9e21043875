"""What `doctor` says about verifications: of which clients there is none, and which count no more."""

from collections.abc import Iterator
from contextlib import closing

from synaptic.agents.shared.discover import find_agent
from synaptic.agents.shared.wired import list_wired_agents
from synaptic.model.errors import StoreError
from synaptic.model.home import Home
from synaptic.setup.agent_versions import find_version
from synaptic.setup.agents import find_agent_here
from synaptic.setup.doctor import DoctorFinding, FindingState
from synaptic.setup.options import SetupOptions
from synaptic.setup.verified import (
    Verification,
    describe_stale,
    describe_verification,
    has_changed,
    load_verifications,
)
from synaptic.store.db import Store
from synaptic.verification.driver import list_driven_agents
from synaptic.verification.reported import find_reported_version

CHECK = "verification"


def check_verifications(options: SetupOptions) -> Iterator[DoctorFinding]:
    """For every agent that is told about the dispatcher, and can be verified: whether it was, as it is now."""
    known = load_verifications(options.home)
    wired = sorted(list_wired_agents(options.home) & set(list_driven_agents()))
    for name in wired:
        if name in known:
            yield _examine(options, known[name])
    if never := [find_agent(name).title for name in wired if name not in known]:
        fix = "synaptic agents verify"
        yield DoctorFinding(check=CHECK, state="ok", seen=f"never verified: {', '.join(never)}", fix=fix)


def _examine(options: SetupOptions, known: Verification) -> DoctorFinding:
    title, fix = find_agent(known.agent).title, f"synaptic agents verify {known.agent}"
    if changed := _find_change(options, known):
        return DoctorFinding(check=CHECK, state="warn", seen=f"{title}: {changed}", fix=fix)
    state: FindingState = "ok" if known.is_good else "fail" if known.standing == "NOT guarded" else "warn"
    seen = f"{title}: {describe_verification(known)}"
    return DoctorFinding(check=CHECK, state=state, seen=seen, fix="" if known.is_good else fix)


def _find_change(options: SetupOptions, known: Verification) -> str:
    """Why a verification counts no more; "" when it does. Events first: they tell which client is really used."""
    reported = _read_reported(options.home, known)
    if reported and known.version and reported != known.version:
        return describe_stale(known, reported)
    agent = find_agent(known.agent)
    program = find_agent_here(options, agent).program
    if not program or (program == known.program and not has_changed(known)):
        return ""
    # Another file may still be the same version, installed again.
    version = find_version(program, agent.version_arguments)
    return "" if version and version == known.version else describe_stale(known, version)


def _read_reported(home: Home, known: Verification) -> str:
    if not home.database.exists():
        return ""
    try:
        with closing(Store.open(home)) as store:
            return find_reported_version(store, known.agent, known.at)
    except StoreError:  # the database has a finding of its own
        return ""
