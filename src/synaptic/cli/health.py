"""What `doctor` examines and repairs: the checks of setup/doctor.py, and those that need the daemon or packages."""

from collections.abc import Iterator

import synaptic
from synaptic.cli import daemon
from synaptic.cli.bootstrap import installation
from synaptic.cli.place import Here
from synaptic.cli.registered import catalog_of, trust_now
from synaptic.cli.sites import all_sites, opened_source
from synaptic.daemon import lifecycle
from synaptic.daemon.client import responds
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home
from synaptic.model.refusal import Refusal
from synaptic.packages.install import apply
from synaptic.packages.restore import broken, follow, moved_from, prepare_locked
from synaptic.packages.site import Site
from synaptic.packages.verify_install import verify_site
from synaptic.setup import bootstrap, doctor
from synaptic.setup.doctor import Finding, State
from synaptic.setup.env import write_env


def examine(place: Here) -> Iterator[Finding]:
    """Run every check, in the order in which an event passes what they check."""
    home, options, catalog = place.home, installation(place), catalog_of(place)
    yield from doctor.check_dispatcher(home)
    yield from doctor.check_installation(options)
    yield from doctor.check_agents(options)
    yield from _check_daemon(home)
    yield from doctor.check_database(home)
    yield from doctor.check_spool(home)
    yield from doctor.check_project(place.project)
    yield from _check_packages(place)
    yield from doctor.check_guard(catalog)
    yield from doctor.check_declarations(home, place.root, catalog)
    with trust_now(home, catalog) as trust:
        # Last: a fault before it explains why no hook runs at all.
        yield from (doctor.check_hook(hook, trust, catalog) for hook in catalog.hooks)


def repair(place: Here, findings: list[Finding]) -> list[str]:
    """What was done. Only things of our own are touched: nobody is trusted, no script but a package's is changed."""
    needed = {finding.repair for finding in findings if finding.state != "ok" and finding.repair}
    done: list[str] = []
    if "bootstrap" in needed:
        done += (f"{change.what} ({change.path})" for change in bootstrap.bootstrap(installation(place)).done)
    if "env" in needed and place.project is not None:
        done.append(f"project variables ({write_env(place.project)})")
    if "packages" in needed:
        done += (line for site in all_sites(place) for line in _restore_packages(place, site))
    if "socket" in needed:
        place.home.socket.chmod(0o600)
        done.append(f"permissions ({place.home.socket})")
    if "daemon" in needed:  # last: it starts with what was repaired before
        done.append(f"daemon {_ensure_daemon(place.home)}")
    return done


def _check_daemon(home: Home) -> Iterator[Finding]:
    now = lifecycle.status(home)
    if now.state != "running":
        seen = f"{now.state}; the next event starts it"
        yield Finding(check="daemon", state="warn", seen=seen, fix="synaptic daemon start", repair="daemon")
        return
    who = f"process {now.pid}, version {now.version}"
    fix = "synaptic daemon restart"
    if now.version != synaptic.__version__:
        seen = f"{who}, but this is {synaptic.__version__}"
        yield Finding(check="daemon", state="fail", seen=seen, fix=fix, repair="daemon")
    elif not responds(home):
        seen = f"{who} does not answer; read {home.log}"
        yield Finding(check="daemon", state="fail", seen=seen, fix=fix, repair="daemon")
    else:
        yield Finding(check="daemon", state="ok", seen=who)
        yield from _check_socket(home)


def _check_socket(home: Home) -> Iterator[Finding]:
    try:
        mode = home.socket.stat().st_mode & 0o777
    except FileNotFoundError:
        return  # it stopped this very moment
    if mode & 0o077:
        seen = f"{home.socket} can be used by others (mode {mode:o})"
        yield Finding(check="socket", state="fail", seen=seen, fix=f"chmod 600 {home.socket}", repair="socket")
    else:
        yield Finding(check="socket", state="ok", seen=f"only for this user: {home.socket}")


def _check_packages(place: Here) -> Iterator[Finding]:
    for site in all_sites(place):
        try:
            found = [one for one in verify_site(site) if one.kind not in ("ok", "extra")]
        except Refusal as refusal:
            yield Finding(check="packages", state="fail", seen=str(refusal), fix=refusal.hint)
            continue
        for one in found:
            # Hooks of a project that only lies elsewhere now are repaired; others need the user's agreement.
            unagreed = one.kind == "not_agreed" and moved_from(place.home, site) is None
            fix, repaired_by = ("synaptic install", "") if unagreed else ("synaptic doctor --fix", "packages")
            state: State = "fail" if one.failed else "warn"
            seen = f"{one.kind} {one.path} {one.message}".strip()
            yield Finding(check=f"package {one.package}", state=state, seen=seen, fix=fix, repair=repaired_by)


def _restore_packages(place: Here, site: Site) -> Iterator[str]:
    """Files as they were installed, paths as the project lies now; a place that cannot be restored says why."""
    try:
        if old := moved_from(place.home, site):
            follow(place.home, site, old)
            yield f"paths of packages ({site.registry}, moved from {old.root})"
        if records := broken(site):
            with opened_source("", place) as source:
                apply(place.home, prepare_locked(source, site, records))
            yield from (f"package {record.package} {record.version} ({site.base})" for record in records)
    except SynapticError as error:
        yield f"nothing of the packages in {site.base}: {error}"


def _ensure_daemon(home: Home) -> str:
    try:
        return daemon.ensure(home)
    except SynapticError as error:
        return f"could not be started: {error}"
