"""The three roles that the hub acts as in its database, by the prefix of their names."""

import re

import msgspec

from synaptic.model.errors import SynapticError

USUAL = "synaptic"
NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


class HubRoles(msgspec.Struct, frozen=True):
    """Roles belong to a whole cluster: several hubs in one may want roles of their own."""

    prefix: str = USUAL

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.prefix):
            raise SynapticError(f"`{self.prefix[:60]}` is no prefix of roles", hint="small letters, digits and _")

    @property
    def host(self) -> str:
        return f"{self.prefix}_host"

    @property
    def reader(self) -> str:
        return f"{self.prefix}_reader"

    @property
    def admin(self) -> str:
        return f"{self.prefix}_admin"

    @property
    def all(self) -> tuple[str, str, str]:
        return self.host, self.reader, self.admin

    def rename(self, text: str) -> str:
        """The text of a schema file, in which the roles have their usual names."""
        return re.sub(rf"\b{USUAL}_(host|reader|admin)\b", rf"{self.prefix}_\1", text)
