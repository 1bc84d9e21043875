"""What `doctor` says about this home, at most a minute old. The checks open the database only to read it."""

import os
import time
from collections.abc import Iterator
from threading import Lock

import msgspec

from synaptic.daemon.checks import check_daemon
from synaptic.hooks.rules.compile import is_rule
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.policies.base import load_policies
from synaptic.setup import doctor
from synaptic.setup.doctor import DoctorFinding
from synaptic.setup.exceptions import check_exceptions
from synaptic.setup.options import read_setup_options
from synaptic.setup.witnessed import check_witness
from synaptic.store.losses import KEY_NAME
from synaptic.store.reader import JournalReader
from synaptic.web.catalogs import ConsoleCatalogs

KEPT_SECONDS = 60.0
ORDER = {"fail": 0, "warn": 1, "ok": 2}


class Checkup(msgspec.Struct, frozen=True):
    """All findings, the worst first, and when they were made."""

    at: float
    findings: tuple[DoctorFinding, ...]
    quiet: int
    """Policies that are on and run; they have no line."""

    def count(self, state: str) -> int:
        """How many are in a state."""
        return sum(one.state == state for one in self.findings)


class KeptCheckup:
    """The last check-up: whoever asks while one is made waits for it instead of making another."""

    def __init__(self, home: Home, catalogs: ConsoleCatalogs) -> None:
        self._home, self._catalogs = home, catalogs
        self._lock = Lock()
        self._kept: Checkup | None = None

    def peek(self) -> Checkup | None:
        """The last one, if it still counts; nobody waits for it."""
        kept = self._kept
        return kept if kept and 0 <= time.time() - kept.at < KEPT_SECONDS else None

    def get(self) -> Checkup:
        """One that counts."""
        with self._lock:
            if self.peek() is None:
                self._kept = examine_home(self._home, self._catalogs)
            assert self._kept is not None
            return self._kept


def examine_home(home: Home, catalogs: ConsoleCatalogs) -> Checkup:
    """Run every check that needs neither a project nor a registry of packages."""
    found = tuple(_collect(home, catalogs))
    policies = frozenset(f"hook {name}" for name in load_policies())
    told = [one for one in found if one.state != "ok" or one.check not in policies]
    told.sort(key=lambda one: ORDER[one.state])
    return Checkup(time.time(), tuple(told), len(found) - len(told))


def _collect(home: Home, catalogs: ConsoleCatalogs) -> Iterator[DoctorFinding]:
    for check in (_check_setup, _check_memory, _check_hooks):
        try:
            yield from check(home, catalogs)
        except (SynapticError, OSError) as error:  # one that cannot look hides no other
            yield DoctorFinding(check="check-up", state="fail", seen=str(error), fix="synaptic doctor")


def _check_setup(home: Home, catalogs: ConsoleCatalogs) -> Iterator[DoctorFinding]:
    options = read_setup_options(os.environ, home)
    yield from doctor.check_dispatcher(home)
    yield from doctor.check_engine_files(home)
    yield from doctor.check_installation(options)
    yield from doctor.check_agents(options)
    yield from doctor.check_refusals(home)
    yield from check_daemon(home)


def _check_memory(home: Home, catalogs: ConsoleCatalogs) -> Iterator[DoctorFinding]:
    catalog = catalogs.get()
    yield from doctor.check_database(home, JournalReader.open)
    yield from doctor.check_spool(home)
    if home.database.with_name(KEY_NAME).exists():  # where there is none, looking signatures up would make one
        yield from check_exceptions(home, catalog, JournalReader.open)
    yield from check_witness(home, JournalReader.open)


def _check_hooks(home: Home, catalogs: ConsoleCatalogs) -> Iterator[DoctorFinding]:
    catalog = catalogs.get()
    yield from doctor.check_guard(catalog)
    yield from doctor.check_modes(catalog)
    yield from doctor.check_declarations(home, "", catalog)
    trust = catalogs.read_trust(catalog)
    yield from (doctor.check_hook(hook, trust, catalog) for hook in catalog.hooks if not is_rule(hook))
