"""Where a host keeps what belongs to a hub: under `~/.synaptic/hub`, readable by its user only."""

from pathlib import Path

import msgspec

from synaptic.model.home import Home


class HubPlace(msgspec.Struct, frozen=True):
    """The files, by name."""

    root: Path

    @classmethod
    def of(cls, home: Home) -> "HubPlace":
        return cls(home.hub)

    @property
    def membership(self) -> Path:
        """Which hub was joined, as which host, and what it may do here (`Membership`)."""
        return self.root / "joined.json"

    @property
    def host_key(self) -> Path:
        """The host's own secret key: it signs every request."""
        return self.root / "host.key"

    @property
    def person_key(self) -> Path:
        """A person's secret key: it signs answers to questions of other machines."""
        return self.root / "person.key"

    @property
    def person_public(self) -> Path:
        """The public part of it, with the person's name: what goes into a bundle."""
        return self.root / "person.pub"

    @property
    def known_hosts(self) -> Path:
        """Keys of hosts whose questions this person has answered or seen."""
        return self.root / "known-hosts.json"

    @property
    def answers(self) -> Path:
        """Which answers from the hub were taken in, and which were refused and why."""
        return self.root / "answers.json"

    @property
    def access(self) -> Path:
        """The hub and the token with which this person reads there."""
        return self.root / "access.json"

    @property
    def lock(self) -> Path:
        """Held by the one process that ships."""
        return self.root / "shipper.lock"

    @property
    def log(self) -> Path:
        return self.root / "shipper.log"

    @property
    def cursors(self) -> Path:
        """A copy of how far each destination is, for a database that is lost with its cursors."""
        return self.root / "cursors.json"

    @property
    def seen(self) -> Path:
        """The number of the last answer that was taken in."""
        return self.root / "seen.json"

    @property
    def state(self) -> Path:
        """What the shipper last said of each destination, for `synaptic ship`, `status` and `doctor`."""
        return self.root / "state.json"


class Membership(msgspec.Struct, frozen=True, kw_only=True):
    """What was settled when a host joined."""

    url: str
    host: str
    """The host's name at the hub; its key is what shows that it is it."""
    hub: str = ""
    organisation_key: str = ""
    """Public key that bundles are signed with; empty: no bundle of this hub is believed."""
    is_managed: bool = False
    """Whether locked keys of the bundle count against the user's own settings."""
    certificate: str = ""
    """File with the certificates to believe, where the hub has one of its own."""
    joined_at: float = 0.0
