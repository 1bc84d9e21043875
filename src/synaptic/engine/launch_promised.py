"""Launching the hooks that nobody waits for, where the process that had promised them did not live to launch them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from synaptic.agents.shared.recognise import correct_sender
from synaptic.engine.opening import OpenedCall
from synaptic.engine.promised_runs import UNWRITTEN_SECONDS, decode_request
from synaptic.engine.runtime import EventRuntime
from synaptic.engine.side_effects import LeftToDo, SideEffects
from synaptic.facts.gather import EngineMeans
from synaptic.model.call import Request
from synaptic.runners.base import Invocation
from synaptic.runners.run_folder import PromisedRun
from synaptic.store import journal

log = logging.getLogger(__name__)


class PromisedHooks:
    """The hooks that written calls have promised."""

    def __init__(
        self, means: EngineMeans, effects: SideEffects, open_call: Callable[[Request], Awaitable[OpenedCall]]
    ) -> None:
        self._means = means
        self._effects = effects
        self._open_call = open_call

    async def launch_of_call(self, request: Request) -> None:
        """Launch the hooks of a decided call that its process did not live to launch; those that run are left alone."""
        entry = journal.find_entry(self._means.store, request.id)
        steps = entry.decision.trace if entry else ()
        started = {step.hook for step in steps if step.phase == "started" and not step.fault}
        if entry is None or not started:
            return
        opened = await self._open_call(correct_sender(request))
        call, catalog = opened.call, opened.catalog
        runtime = EventRuntime(catalog, self._means, opened.patience)
        final = call if entry.decision.input is None else call.with_input(entry.decision.input)
        for hook in catalog.hooks:
            if hook.id in started:
                runtime.start(Invocation(hook, final, runtime.variables, hook.timeout))
        self._effects.begin(LeftToDo(call, runs=tuple(runtime.prepared)))

    async def launch_left(self) -> None:
        """Launch the hooks of written calls whose processes were all killed before. Raises what keeps one from it."""
        failures: list[Exception] = []
        for run in await asyncio.to_thread(self._means.runners.list_promised):
            try:
                await self._launch_left(run)
            except Exception as error:  # noqa: BLE001 - the next one is launched all the same
                failures.append(error)
        if failures:
            raise failures[0]

    async def _launch_left(self, run: PromisedRun) -> None:
        request = next(filter(None, map(decode_request, run.requests)), None)
        if request and journal.find_entry(self._means.store, request.id):
            await self.launch_of_call(request)
        elif run.age < UNWRITTEN_SECONDS:
            return  # its sender is about to ask somebody else
        if self._means.runners.drop_promised(run.id):
            log.info("a promised hook was not launched: its call is not in the journal, or it is not declared any more")
