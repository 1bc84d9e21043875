"""What `doctor` says about what leaves this machine: what is set and does not arrive, and what it keeps on the disk."""

import time
from collections.abc import Iterator

from synaptic.hub.shipping.plan import read_plan
from synaptic.hub.shipping.report import DestinationReport, make_report
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.setup.doctor import DoctorFinding
from synaptic.store.retention import SECONDS_PER_DAY

CHECK = "shipping"
LATE_SECONDS = 3600.0
"""A laptop that was closed is no trouble; one that is awake brings everything out in seconds."""


def check_shipping(home: Home) -> Iterator[DoctorFinding]:
    """Whether everything that is to leave does; nothing where nothing is to."""
    try:
        plan = read_plan(home)
        if plan.is_empty:
            return
        report = make_report(home)
    except SynapticError as error:
        yield DoctorFinding(check=CHECK, state="fail", seen=str(error), fix="synaptic ship")
        return
    for problem in report.problems:
        yield DoctorFinding(check=CHECK, state="warn", seen=problem, fix="synaptic config validate")
    if not report.is_running:
        seen = "nobody ships now: the daemon starts that"
        yield DoctorFinding(check=CHECK, state="warn", seen=seen, fix="synaptic daemon start")
    for one in report.destinations:
        yield _judge(one, plan.retention_days, waits=plan.ship.waits)


def _judge(one: DestinationReport, days: float, *, waits: bool) -> DoctorFinding:
    age = time.time() - one.oldest if one.waiting else 0.0
    if waits and age > days * SECONDS_PER_DAY:
        seen = (
            f"{one.name}: it lacks {one.waiting} events, and those older than {days:g} days stay in the journal for it"
        )
        return DoctorFinding(check=CHECK, state="warn", seen=seen, fix="synaptic ship, or synaptic prune --unshipped")
    if one.trouble or age > LATE_SECONDS:
        seen = f"{one.name}: {one.waiting} events wait" + (f": {one.trouble}" if one.trouble else "")
        return DoctorFinding(check=CHECK, state="warn", seen=seen, fix="synaptic ship")
    return DoctorFinding(check=CHECK, state="ok", seen=f"{one.name}: {one.shipped} events were shipped")
