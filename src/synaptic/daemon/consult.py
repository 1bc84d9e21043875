"""What the hooks say about a call that nobody makes: from the daemon where one of this code runs, else from here."""

from typing import Any

import msgspec

from synaptic.daemon.ask import ask_daemon
from synaptic.model.home import Home


class CheckedCall(msgspec.Struct, frozen=True):
    """A question, the environment that hooks see, and whether the policies alone are asked."""

    question: dict[str, Any]
    env: dict[str, str]
    policies_only: bool = False


def ask_running(home: Home, call: CheckedCall) -> dict[str, Any] | None:
    """The daemon's word; None where there is none."""
    known = ask_daemon(home, "catalog.check", call)
    return known if isinstance(known, dict) else None


async def ask_here(home: Home, call: CheckedCall) -> dict[str, Any]:
    """The word of an engine in this process."""
    # The whole engine: most of a second, which a daemon makes unnecessary.
    from synaptic.engine.check import Checker  # noqa: PLC0415

    checker = Checker(home, everything=not call.policies_only, env=call.env)
    try:
        return await checker.answer(call.question)
    finally:
        await checker.close()
