"""How a walk begins: the bytes of a request become a call of a known project, with the catalog of its hooks."""

import time

import msgspec

from synaptic.agents.base import Adapter
from synaptic.agents.shared.discover import OWN_NAME, find_adapter
from synaptic.engine.decode_call import decode_call
from synaptic.engine.environment import InstalledEnvironment
from synaptic.engine.held import PATIENCE_SHARE
from synaptic.engine.outside import OutsidePolicies
from synaptic.engine.recollection import make_trust
from synaptic.engine.reports import disown_call
from synaptic.facts.gather import EngineMeans
from synaptic.hooks.catalog import HookCatalog, HookCatalogs
from synaptic.hooks.sources import TOO_SLOW_TEXT
from synaptic.model.call import Call, Request
from synaptic.model.errors import PayloadError
from synaptic.model.event import ABILITY_EVENTS, PreToolUse
from synaptic.model.home import Home

OWN_EVENTS = frozenset(kind.__name__ for kind in ABILITY_EVENTS)
"""Events that no coding agent sends: whoever names one speaks our own dialect."""


class OpenedCall(msgspec.Struct, frozen=True):
    """A call, the adapter of its agent, and the hooks of its project."""

    wire: Adapter
    call: Call
    catalog: HookCatalog

    @property
    def timeout(self) -> float:
        """How many seconds the agent waits for the answer."""
        return self.wire.get_capability(self.call.event.hook_event_name).timeout

    @property
    def patience(self) -> float:
        """How many of them the judgement may take."""
        return self.timeout * PATIENCE_SHARE

    @property
    def is_journaled(self) -> bool:
        return self.catalog.config.journal != "off"


class CallOpener:
    """Opens the calls of one home."""

    def __init__(self, home: Home, means: EngineMeans, catalogs: HookCatalogs) -> None:
        self._store = means.store
        self._catalogs = catalogs
        self._outside = OutsidePolicies(home, means.runners.policies)
        self._installed = InstalledEnvironment(home)

    async def open(self, request: Request) -> OpenedCall:
        """Decode a request and open the catalog of the folder that it is about. Raises PayloadError."""
        wire = find_adapter(OWN_NAME if request.event in OWN_EVENTS else request.agent)
        call = decode_call(wire, request)
        _require_act(call)
        env = self._installed.add_home(call.env)
        catalog = await self.join_outside(await self._catalogs.open_for_call(call, env))
        env["PATH"] = self._installed.choose_path(env.get("PATH", ""), catalog.root)
        if request.stranger:
            call = disown_call(call, request.stranger)
        if catalog.is_cut or catalog.doubt:
            told = (*((TOO_SLOW_TEXT,) if catalog.is_cut else ()), *((catalog.doubt,) if catalog.doubt else ()))
            call = msgspec.structs.replace(call, warnings=(*call.warnings, *told))
        call = msgspec.structs.replace(call, root=catalog.root, at=time.time(), env=env)
        return OpenedCall(wire, call, catalog)

    async def join_outside(self, catalog: HookCatalog) -> HookCatalog:
        """A catalog with the policies that its files from outside hold, as far as they may run."""
        if not catalog.policy_sources:  # most users have none
            return catalog
        return await self._outside.join(catalog, make_trust(catalog, self._store))


def _require_act(call: Call) -> None:
    """A tool call that does not say which tool has not been judged by anybody. Raises PayloadError.

    An input that is no object is told and judged in whatever form it is: it stops no tool by itself.
    """
    event = call.event
    if isinstance(event, PreToolUse) and not event.tool_name:
        raise PayloadError("the payload names no tool", where=f"{call.agent} {event.hook_event_name}")
