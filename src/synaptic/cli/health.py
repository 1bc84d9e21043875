"""What `doctor` examines and repairs: the checks of setup/doctor.py, and those that need the daemon or packages."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from synaptic.cli import daemon
from synaptic.cli.bootstrap import read_installation
from synaptic.cli.place import CommandPlace
from synaptic.cli.registered import load_hook_catalog, read_trust
from synaptic.cli.sites import list_all_sites, open_chosen_source
from synaptic.daemon.checks import check_daemon
from synaptic.files.bounded import read_start
from synaptic.hooks.rules.compile import is_rule
from synaptic.hub.shipping.health import check_shipping
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.packages.install import apply_install
from synaptic.packages.restore import find_broken, find_moved_pins, follow_move, prepare_restore, refuse_other_scripts
from synaptic.packages.site import Site
from synaptic.packages.verify_install import verify_site
from synaptic.setup import bootstrap, doctor
from synaptic.setup.bundle import check_bundle
from synaptic.setup.doctor import DoctorFinding, FindingState
from synaptic.setup.env import write_env
from synaptic.setup.exceptions import check_exceptions
from synaptic.setup.hook_times import check_hook_times
from synaptic.setup.witnessed import check_witness
from synaptic.verification.standing import check_verifications

OWN_MODULE = b"synaptic.cli.main"
"""In every script that starts this command line."""


def examine_setup(place: CommandPlace) -> Iterator[DoctorFinding]:
    """Run every check, in the order in which an event passes what they check."""
    home, options, catalog = place.home, read_installation(place), load_hook_catalog(place)
    yield from _check_name()
    yield from doctor.check_dispatcher(home)
    yield from doctor.check_engine_files(home)
    yield from doctor.check_installation(options)
    yield from doctor.check_agents(options)
    yield from doctor.check_refusals(home)
    yield from check_daemon(home)
    yield from doctor.check_database(home)
    yield from doctor.check_spool(home)
    yield from doctor.check_project(place.project)
    yield from _check_packages(place)
    yield from doctor.check_guard(catalog)
    yield from doctor.check_modes(catalog)
    yield from doctor.check_declarations(home, place.root, catalog)
    yield from check_bundle(home)
    yield from check_exceptions(home, catalog)
    yield from check_witness(home)
    yield from check_shipping(home)
    yield from check_verifications(options)
    yield from check_hook_times(home, place.root, catalog)
    with read_trust(home, catalog) as trust:
        # Last: a fault before it explains why no hook runs at all.
        yield from (doctor.check_hook(hook, trust, catalog) for hook in catalog.hooks if not is_rule(hook))


def _check_name() -> Iterator[DoctorFinding]:
    """Whether another program of our name comes first: Debian's front end for packages is called synaptic, too."""
    first = shutil.which("synaptic")
    if first is None or OWN_MODULE in read_start(os.path.realpath(first), 1 << 16):
        return
    own = next((path for name in ("syn", "synaptic") if (path := Path(sys.executable).with_name(name)).exists()), None)
    fix = "type `syn` instead" + (f", or put {own.parent} before it in PATH" if own else "")
    yield DoctorFinding(check="name", state="warn", seen=f"`synaptic` is another program here: {first}", fix=fix)


def repair_setup(place: CommandPlace, findings: list[DoctorFinding]) -> list[str]:
    """What was done. Only things of our own are touched: nobody is trusted, no script but a package's is changed."""
    needed = {finding.repair for finding in findings if finding.state != "ok" and finding.repair}
    done: list[str] = []
    if "bootstrap" in needed:
        done += (
            f"{change.what} ({change.path})"
            for change in bootstrap.run_bootstrap(read_installation(place)).done_changes
        )
    if "env" in needed and place.project is not None:
        done.append(f"project variables ({write_env(place.project)})")
    if "packages" in needed:
        done += (line for site in list_all_sites(place) for line in _restore_packages(place, site))
    if "socket" in needed:
        place.home.socket.chmod(0o600)
        done.append(f"permissions ({place.home.socket})")
    if "daemon" in needed:  # last: it starts with what was repaired before
        done.append(f"daemon {_ensure_daemon(place.home)}")
    return done


def _check_packages(place: CommandPlace) -> Iterator[DoctorFinding]:
    for site in list_all_sites(place):
        try:
            found = [one for one in verify_site(site) if one.kind not in ("ok", "extra")]
        except SynapticError as error:
            yield DoctorFinding(check="packages", state="fail", seen=str(error), fix=error.hint)
            continue
        for one in found:
            # Hooks of a project that only lies elsewhere now are repaired; others need the user's agreement.
            unagreed = one.kind == "not_agreed" and find_moved_pins(place.home, site) is None
            fix, repaired_by = ("synaptic install", "") if unagreed else ("synaptic doctor --fix", "packages")
            state: FindingState = "fail" if one.has_failed else "warn"
            seen = f"{one.kind} {one.path} {one.message}".strip()
            yield DoctorFinding(check=f"package {one.package}", state=state, seen=seen, fix=fix, repair=repaired_by)


def _restore_packages(place: CommandPlace, site: Site) -> Iterator[str]:
    """Files as they were installed, paths as the project lies now; a place that cannot be restored says why."""
    try:
        if old := find_moved_pins(place.home, site):
            follow_move(place.home, site, old)
            yield f"paths of packages ({site.registry}, moved from {old.root})"
        if records := find_broken(site):
            with open_chosen_source("", place) as source:
                prepared = prepare_restore(source, site, records)
                refuse_other_scripts(prepared)  # nobody is asked here
                apply_install(place.home, prepared)
            yield from (f"package {record.package} {record.version} ({site.base})" for record in records)
    except SynapticError as error:
        yield f"nothing of the packages in {site.base}: {error}"


def _ensure_daemon(home: Home) -> str:
    try:
        return daemon.ensure_daemon(home)
    except SynapticError as error:
        return f"could not be started: {error}"
