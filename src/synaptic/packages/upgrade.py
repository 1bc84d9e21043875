"""Upgrade packages from the channel they came from, keeping the user's answers and registry edits."""

from typing import Literal

import msgspec

from synaptic.model.environment import DEFAULT_CHANNEL
from synaptic.model.refusal import Refusal
from synaptic.packages import lock
from synaptic.packages.dependencies import WantedPackage
from synaptic.packages.install import InstallOrder, InstallPlan, prepare_install
from synaptic.packages.lock import InstallRecord
from synaptic.packages.rows import Package
from synaptic.packages.site import Site
from synaptic.packages.source import PackageSource
from synaptic.packages.versions import is_older

SKIPPED_CODES = ("not_found", "blocked")


class UpgradeOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """Outcome of the upgrade of one package."""

    package: str
    scope: str
    state: Literal["upgraded", "skipped", "current", "planned"]
    was: str = ""
    version: str = ""
    message: str = ""


class UpgradePlan(msgspec.Struct, frozen=True):
    """A plan for one package, or the reason why there is none."""

    outcome: UpgradeOutcome
    prepared: InstallPlan | None = None


class AvailableUpgrade(msgspec.Struct, frozen=True, kw_only=True):
    """An installed package and the version that its channel has now."""

    package: str
    scope: str
    channel: str
    installed: str
    available: str
    """"" when the channel has it no more."""
    outdated: bool


def choose_upgrade_channel(record: InstallRecord, explicit: str) -> str:
    """Choose the channel of an upgrade: the explicit one, else the one it came from, else the default."""
    return explicit or record.branch or DEFAULT_CHANNEL


def prepare_upgrade(source: PackageSource, order: InstallOrder, site: Site, batch: bool = False) -> UpgradePlan:
    """Prepare the upgrade of one installed package. In a batch, a blocked one is skipped with a warning."""
    name = order.wanted.name
    record = lock.load_lockfile(site).get(name)
    if record is None:
        raise Refusal("not_found", f"{name} is not installed", where=str(site), hint=f"synaptic install {name}")
    channel = choose_upgrade_channel(record, order.wanted.channel)
    said = UpgradeOutcome(package=name, scope=site.scope, state="skipped", was=record.version)
    there = source.find_package(name, channel, order.wanted.version)
    if there is None:
        what = f"version {order.wanted.version}" if order.wanted.version else "it"
        return UpgradePlan(msgspec.structs.replace(said, message=f"channel {channel} does not have {what}"))
    if _is_current(record, there):
        return UpgradePlan(
            msgspec.structs.replace(said, state="current", version=there.version, message="is the latest")
        )
    wanted = WantedPackage(name=name, channel=channel, version=order.wanted.version, agents=order.wanted.agents)
    try:
        prepared = prepare_install(source, msgspec.structs.replace(order, wanted=wanted, sites=(site,)))
    except Refusal as refusal:
        if refusal.code not in SKIPPED_CODES or not batch:
            raise
        return UpgradePlan(msgspec.structs.replace(said, version=there.version, message=str(refusal)))
    return UpgradePlan(
        msgspec.structs.replace(said, state="planned", version=there.version), _keep_tracking(prepared, record)
    )


def list_available(source: PackageSource, site: Site, explicit: str = "") -> tuple[AvailableUpgrade, ...]:
    """List every installed package with the version of its channel."""
    found = []
    for record in lock.load_lockfile(site).install:
        channel = choose_upgrade_channel(record, explicit)
        there = source.find_package(record.package, channel)
        found.append(
            AvailableUpgrade(
                package=record.package,
                scope=site.scope,
                channel=channel,
                installed=record.version,
                available=there.version if there else "",
                outdated=there is not None
                and not _is_current(record, there)
                and not is_older(there.version, record.version),
            )
        )
    return tuple(found)


def _is_current(record: InstallRecord, there: Package) -> bool:
    # The hash too: after a registry rollback the same version may have been published again.
    return record.version == there.version and record.sha256 == there.sha256


def _keep_tracking(prepared: InstallPlan, record: InstallRecord) -> InstallPlan:
    """Keep the tracking of an upgraded package: a dependency stays one, and is removed with what needs it."""
    items = tuple(
        msgspec.structs.replace(item, tracking=record.tracking) if item.name == record.package else item
        for item in prepared.items
    )
    return msgspec.structs.replace(prepared, items=items)
