"""What earlier events have left in the store, for the amendments of a decision; where it cannot be read, nothing."""

from collections.abc import Iterable, Mapping

from synaptic.hooks import knowledge
from synaptic.hooks.catalog import Catalog
from synaptic.hooks.trust import Trust
from synaptic.model.call import Call
from synaptic.model.errors import StoreError
from synaptic.model.state import State
from synaptic.pipeline.amend import REFUSALS
from synaptic.policies.routing.sections import ROUTING
from synaptic.store import deliveries, state, stops
from synaptic.store import trust as trusted
from synaptic.store.db import Store
from synaptic.store.record import Delivery


class StoreRecollection:
    """The memory of one home, seen from one project."""

    def __init__(self, store: Store, catalog: Catalog) -> None:
        self._store = store
        self._catalog = catalog
        self.stop_cap = catalog.config.stop_cap

    def refusals(self, call: Call) -> Mapping[str, object]:
        return self._section(call, REFUSALS).section(REFUSALS)

    def hints_told(self, call: Call) -> tuple[object, ...]:
        return self._section(call, ROUTING).items(ROUTING, "told")

    def documents(self, call: Call, intent: dict[str, object]) -> Iterable[dict[str, object]]:
        found = knowledge.documents_for(call.root, intent)
        return knowledge.as_items(found, str(intent.get("stage") or ""))

    def notices(self) -> Iterable[str]:
        told, self._store.notices[:] = list(self._store.notices), []
        trust = trust_of(self._catalog, self._store)
        refused = (self._catalog.tampered(hook) or trust.refusal(hook) for hook in self._catalog.hooks)
        return [*told, *self._catalog.problems, *(refusal for refusal in refused if refusal)]

    def stop_blocks(self, call: Call) -> int:
        try:
            return stops.consecutive(self._store, call.event.session_id, call.event.agent_id)
        except StoreError:  # where nobody can count, the agent's own word is enough
            return self.stop_cap if getattr(call.event, "stop_hook_active", False) else 0

    def deliveries(self, call: Call) -> tuple[Delivery, ...]:
        try:
            return deliveries.pending(self._store, call.event.session_id, call.event.agent_id, call.id)
        except StoreError:
            return ()

    def _section(self, call: Call, name: str) -> State:
        try:
            return state.read(self._store, state.Owner(call.root, call.event.session_id), (name,))
        except StoreError:
            return State()


def trust_of(catalog: Catalog, store: Store) -> Trust:
    """Make the check of which hooks may run in a project."""

    def accepted(root: str) -> frozenset[str]:
        try:
            return trusted.trusted(store, root)
        except (StoreError, UnicodeEncodeError):
            return frozenset()  # what cannot be looked up is not trusted

    return Trust(catalog.root, accepted, catalog.config.trust == "all", catalog.pins)
