"""How bundles are shown: what is in one, and what is in force here."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from synaptic.cli import screen
from synaptic.hooks.bundle import Bundle
from synaptic.hooks.bundle_seal import find_bundle, read_trouble
from synaptic.model.home import Home

LINE = "%Y-%m-%d %H:%M"


def say_done(as_json: bool, told: str, **fields: object) -> None:
    if as_json:
        screen.print_json({"ok": True, **fields})
    else:
        screen.say(told)


def to_json(value: object) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(value)
    return found


def describe_checked(checked: Any) -> dict[str, Any]:
    """A bundle that is whole, as JSON."""
    return {**_describe_bundle(checked.bundle), "rules": len(checked.rules), "notes": checked.notes}


def list_checked(checked: Any) -> Iterator[str]:
    """The same for people."""
    bundle: Bundle = checked.bundle
    settings = ", ".join(bundle.settings.values) or "none"
    yield f"{bundle.label}: settings: {settings}; rules: {len(checked.rules)}; people: {len(bundle.people)}"
    yield f"locked: {', '.join(sorted(bundle.locked)) or 'nothing'}"


def describe_standing(home: Home) -> dict[str, Any]:
    """What is in force here."""
    found = find_bundle(home)
    bundle, kept, trouble = found.parse(), found.kept, read_trouble(home)
    return {
        "bundle": _describe_bundle(bundle) if bundle and kept else None,
        "managed": found.is_managed,
        "origin": kept.origin if kept else "",
        "key": kept.key if kept else "",
        "digest": kept.digest if kept else "",
        "accepted_at": kept.accepted_at if kept else 0.0,
        "problems": [*found.problems, *(bundle.problems if bundle else ())],
        "trouble": to_json(trouble) if trouble else None,
    }


def list_standing(found: dict[str, Any]) -> Iterator[str]:
    """The same for people."""
    if bundle := found["bundle"]:
        when = datetime.fromtimestamp(found["accepted_at"]).astimezone().strftime(LINE)
        yield f"{bundle['name']} {bundle['version']} is in force since {when}"
        yield f"from: {found['origin'] or 'unknown'}"
        yield f"signed by: {found['key']}"
        locks = ", ".join(bundle["locked"]) or "nothing"
        counts = "" if found["managed"] or not bundle["locked"] else " (not here: this machine is not managed)"
        yield f"locked: {locks}{counts}"
        yield f"people who may answer: {', '.join(bundle['people']) or 'nobody'}"
    else:
        yield "no bundle is in force here (synaptic join URL, or synaptic bundle follow URL --key RW...)"
    for problem in found["problems"]:
        yield f"problem: {problem}"
    if trouble := found["trouble"]:
        when = datetime.fromtimestamp(trouble["at"]).astimezone().strftime(LINE)
        yield f"refused {when}: {trouble['why']}"


def _describe_bundle(bundle: Bundle) -> dict[str, Any]:
    return {
        "name": bundle.name,
        "version": bundle.version,
        "minimum": bundle.minimum,
        "locked": sorted(bundle.locked),
        "people": sorted(bundle.people),
    }
