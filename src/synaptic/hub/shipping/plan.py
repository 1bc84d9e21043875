"""What leaves this machine, and to whom: the user's own config and the hub that was joined, and nothing else.

No repository has a say: neither its config nor a variable of the environment is looked at.
"""

import msgspec

from synaptic.files.bounded import FileContent, UnreadableFile, read_content
from synaptic.files.replace import replace_own
from synaptic.files.snapshot import StatSignature, read_signature
from synaptic.hooks.bundle_seal import BundlePlace
from synaptic.hooks.config import CONFIG_LIMIT, HubConfig, ShipConfig, parse_config_text
from synaptic.hub.place import HubPlace, Membership
from synaptic.hub.shipping.destination import EXPORTS
from synaptic.model.errors import SynapticError
from synaptic.model.home import Home

MEMBERSHIP_LIMIT = 64 << 10
PlanSignature = tuple[StatSignature | None, ...]


class ShipPlan(msgspec.Struct, frozen=True):
    """One reading of both."""

    ship: ShipConfig = ShipConfig()
    hub: HubConfig = HubConfig()
    member: Membership | None = None
    retention_days: float = 30.0
    follows: bool = False
    """Whether bundles are looked for in a repository or a registry."""
    problems: tuple[str, ...] = ()

    @property
    def exports(self) -> tuple[tuple[str, str], ...]:
        """Kinds and addresses of the destinations beside the hub."""
        return tuple((kind, address) for kind in EXPORTS if (address := getattr(self.ship, kind)))

    @property
    def is_empty(self) -> bool:
        return self.member is None and not self.exports and not self.follows


def read_plan(home: Home) -> ShipPlan:
    """Read what is set. Raises SynapticError where that cannot be known: then nothing is changed about what is."""
    text = _require_known(read_content(str(home.config), CONFIG_LIMIT), str(home.config))
    file = parse_config_text(text or b"", str(home.config))
    ship, hub = file.values.get("ship", ShipConfig()), file.values.get("hub", HubConfig())
    days = file.values.get("retention_days", 30)
    problems = tuple(one for one in file.problems if _is_ours(one))
    return ShipPlan(ship, hub, read_membership(home), days, BundlePlace.of(home).source.exists(), problems)


def sign_plan(home: Home) -> PlanSignature:
    """What changes whenever one of the files does: three stats."""
    files = (home.config, home.joined, BundlePlace.of(home).source)
    return tuple(read_signature(str(file)) for file in files)


def read_membership(home: Home) -> Membership | None:
    """The hub that was joined; None where there is none. Raises SynapticError."""
    path = HubPlace.of(home).membership
    text = _require_known(read_content(str(path), MEMBERSHIP_LIMIT), str(path))
    if text is None:
        return None
    try:
        return msgspec.json.decode(text, type=Membership)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        hint = "type: synaptic leave, then synaptic join"
        raise SynapticError(f"says nothing about a hub: {error}", where=str(path), hint=hint) from error


def name_hub(member: Membership) -> str:
    """What the hub is called as a destination: another host of the same hub is another one."""
    return f"hub {member.url.rstrip('/')} {member.host}"


def write_membership(home: Home, member: Membership) -> None:
    """Keep it, for its user alone. Raises OSError."""
    path = HubPlace.of(home).membership
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_own(str(path), msgspec.json.format(msgspec.json.encode(member)), 0o600)


def _require_known(content: FileContent, where: str) -> bytes | None:
    if isinstance(content, UnreadableFile):
        raise SynapticError(content.why, where=where)
    return content


def _is_ours(problem: str) -> bool:
    return any(word in problem for word in (": ship", ": hub", "no valid TOML"))
