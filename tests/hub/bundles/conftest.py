"""An organisation with a key, and a home that has pinned it."""

import os
from pathlib import Path

import msgspec
import pytest

from synaptic.hub.bundles.install import BundleResult, install_bundle
from synaptic.hub.keys import SecretKey
from synaptic.hub.place import HubPlace, Membership
from synaptic.hub.wire import SignedBundle
from synaptic.model.home import Home

RULE = """
[[rule]]
id = "acme.publish"
then = "deny"
run = "npm publish"
say = "The pipeline publishes."
stops = ["npm publish"]
passes = ["npm test"]
"""


class Organisation:
    """Whoever signs."""

    def __init__(self) -> None:
        self.key = SecretKey.make()

    @property
    def public(self) -> str:
        return self.key.public.text

    def write(self, version: int = 1, body: str = RULE) -> str:
        return f'name = "acme"\nversion = {version}\n{body}'.rstrip() + "\n"

    def sign(self, text: str) -> SignedBundle:
        return SignedBundle(text, self.key.sign(text.encode(), "acme"))

    def make(self, version: int = 1, body: str = RULE) -> SignedBundle:
        return self.sign(self.write(version, body))


class Host:
    """A home that has joined."""

    def __init__(self, folder: Path, key: str) -> None:
        self.folder = folder
        self.home = Home(folder / ".synaptic")
        self.home.root.mkdir(parents=True)
        self.key = key
        self.joins()

    def joins(self, url: str = "https://hub.example", *, is_managed: bool = False) -> None:
        place = HubPlace.of(self.home)
        place.root.mkdir(exist_ok=True)
        joined = Membership(url=url, host="h1", organisation_key=self.key, is_managed=is_managed)
        place.membership.write_bytes(msgspec.json.encode(joined))

    def takes(self, signed: SignedBundle) -> BundleResult:
        return install_bundle(self.home, signed, "test")


@pytest.fixture
def organisation() -> Organisation:
    return Organisation()


@pytest.fixture
def host(tmp_path: Path, organisation: Organisation, monkeypatch: pytest.MonkeyPatch) -> Host:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in [name for name in os.environ if name.startswith(("GIT_", "SYNAPTIC_"))]:
        monkeypatch.delenv(name)
    return Host(folder, organisation.public)
