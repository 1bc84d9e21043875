"""What earlier events have left in the store, for the amendments of a decision; where it cannot be read, nothing."""

from collections.abc import Iterable, Mapping

from synaptic.engine.reports import is_result_of
from synaptic.hooks import knowledge
from synaptic.hooks.catalog import HookCatalog
from synaptic.hooks.trust import HookTrust
from synaptic.model.call import Call
from synaptic.model.errors import StoreError
from synaptic.model.sane import ENFORCEMENT
from synaptic.model.state import State
from synaptic.pipeline.amend import REFUSALS_SECTION
from synaptic.policies.routing.sections import ROUTING
from synaptic.store import changed_files, deliveries, losses, refusals, state, stops
from synaptic.store import trust as trusted
from synaptic.store.changed_files import SessionHistory
from synaptic.store.db import Store
from synaptic.store.record import Delivery

EXAMPLE_SECONDS = 0.2
"""For the examples of rules at a session's start; those that are left are tried at the next one, or by `doctor`."""


class StoreRecollection:
    """The memory of one home, seen from one project."""

    def __init__(self, store: Store, catalog: HookCatalog) -> None:
        self._store = store
        self._catalog = catalog
        self.stop_cap = catalog.config.stop_cap

    def read_refusals(self, call: Call) -> Mapping[str, object]:
        return self._read_section(call, REFUSALS_SECTION).read_section(REFUSALS_SECTION)

    def has_run(self, call: Call, number: str, since: float) -> bool:
        event = call.event
        try:
            found = refusals.read_results_of(self._store, event.session_id, event.subject, number)
        except StoreError:
            return False
        return any(entry.at >= since and is_result_of(entry, number) for entry in found)

    def read_audit(self, call: Call) -> State | None:
        if not self._catalog.keeps_audit:
            return None
        try:
            return state.read_state(self._store, state.SectionOwner(call.root), (ENFORCEMENT,))
        except StoreError:
            return State()

    def read_told_hints(self, call: Call) -> tuple[object, ...]:
        return self._read_section(call, ROUTING).read_items(ROUTING, "told")

    def find_documents(self, call: Call, intent: dict[str, object]) -> Iterable[dict[str, object]]:
        found = knowledge.find_documents(call.root, intent)
        return knowledge.documents_to_items(found, str(intent.get("stage") or ""))

    def take_notices(self) -> Iterable[str]:
        told, self._store.notices[:] = list(self._store.notices), []
        told += [loss for loss in self._take_losses() if loss not in told]
        trust = make_trust(self._catalog, self._store)
        refused = [trust.explain_refusal(hook) for hook in self._catalog.hooks]
        # Looking agreements up may find some that do not count.
        told += self._store.notices
        self._store.notices.clear()
        shown = self._catalog.check_rules(EXAMPLE_SECONDS)
        return [*told, *self._catalog.problems, *shown, *(refusal for refusal in refused if refusal)]

    def _take_losses(self) -> tuple[str, ...]:
        """What the database has lost and nobody was told, perhaps because the process that saw it has ended."""
        try:
            return self._store.write(losses.take_untold) if self._store.read(losses.has_untold) else ()
        except StoreError:
            return ()

    def count_stop_blocks(self, call: Call) -> int:
        try:
            return stops.count_stop_blocks(self._store, call.event.session_id, call.event.agent_id)
        except StoreError:  # where nobody can count, the agent's own word is enough
            return self.stop_cap if getattr(call.event, "stop_hook_active", False) else 0

    def find_deliveries(self, call: Call) -> tuple[Delivery, ...]:
        try:
            return deliveries.find_pending(self._store, call.event.session_id, call.event.agent_id, call.id)
        except StoreError:
            return ()

    def recall_session(self, call: Call) -> SessionHistory:
        """What the session has done up to now."""
        if not call.event.session_id:
            return SessionHistory()  # whose calls those without a session are is not known
        try:
            return changed_files.read_history(self._store, call.event.session_id)
        except StoreError:
            return SessionHistory()

    def _read_section(self, call: Call, name: str) -> State:
        try:
            return state.read_state(self._store, state.SectionOwner(call.root, call.event.session_id), (name,))
        except StoreError:
            return State()


def make_trust(catalog: HookCatalog, store: Store) -> HookTrust:
    """Make the check of which hooks may run in a project."""

    def accepted(root: str) -> frozenset[str]:
        try:
            return trusted.read_trusted_digests(store, root)
        except (StoreError, UnicodeEncodeError):
            return frozenset()  # what cannot be looked up is not trusted

    return HookTrust(catalog.root, accepted, catalog.config.trust == "all", catalog.site_pins)
