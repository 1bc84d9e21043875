"""Fetch the bundle from where this home gets it, and take it in."""

from synaptic.hooks.bundle_seal import find_bundle
from synaptic.hub.bundles.from_dolt import fetch_from_dolt, is_dolt_url
from synaptic.hub.bundles.from_git import fetch_from_git, is_git_url
from synaptic.hub.bundles.from_hub import fetch_from_hub
from synaptic.hub.bundles.install import BundleResult, install_bundle, note_result, refuse_bundle
from synaptic.hub.bundles.pin import read_pin
from synaptic.hub.wire import SignedBundle
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home


def pull_bundle(home: Home) -> BundleResult:
    """What became of it. That it could not be fetched is a refusal as well: the last good one stays."""
    origin = ""
    try:
        pin = read_pin(home)
        if pin is None:
            raise SynapticError("no organisation's key is pinned here", hint="synaptic join, or synaptic bundle follow")
        origin = pin.url
        signed = fetch_from_hub(home) if pin.is_hub else fetch_bundle(home, pin.url)
    except (SynapticError, OSError) as error:
        result = refuse_bundle(str(error))
        note_result(home, result, origin)
        return result
    return install_bundle(home, signed, origin)


def find_version(home: Home) -> int:
    """The version that is in force; 0: none. A hub that offers another one has something new."""
    kept = find_bundle(home).kept
    return kept.version if kept and kept.text else 0


def fetch_bundle(home: Home, url: str) -> SignedBundle:
    """From a repository or a registry. Raises SynapticError."""
    if is_git_url(url):
        return fetch_from_git(home, url)
    if is_dolt_url(url):
        return fetch_from_dolt(home, url)
    hint = "git+https://host/repository.git@branch#folder, a folder as git+/path, or dolt+http://host/name"
    raise SynapticError(f"`{url[:200]}` is no source of bundles", hint=hint)
