"""What comes down from the hub: it is asked and waits until there is something, which is handed to whoever takes it."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

import msgspec

from synaptic.files.bounded import read_content
from synaptic.files.replace import replace_own
from synaptic.hub.bundles.pull import find_version
from synaptic.hub.place import HubPlace
from synaptic.hub.shipping.link import HubLink, repeat_for_ever
from synaptic.hub.wire import HubNews
from synaptic.model.home import Home

log = logging.getLogger(__name__)

WAIT_SECONDS = 25.0
LEAST_SECONDS = 0.5
"""Between two questions, whatever the hub answers."""
IDLE_SECONDS = 15.0
"""After an answer that brought nothing new, though it came at once: the same bundle is offered again and again."""
WHOLE_SECONDS = 3600.0
"""After so long everything that still counts is asked for once more, from the first number on: a hub that was taken
over may have named a number that no later answer reaches."""
MOST_NUMBER = 1 << 53
SEEN_LIMIT = 4096

NewsHandler = Callable[[HubLink, HubNews], Awaitable[None]]
HANDLERS: list[NewsHandler] = []
"""Whoever takes in what comes: each gets all of it, in this order, and looks only at its own part; that one fails keeps
nothing from the others. Where one raises, all get the same answers again; so they must bear to see one twice. Where
there are none, nobody asks the hub."""


class SeenNews(msgspec.Struct, frozen=True):
    """Up to where answers were taken in, of which host at which hub."""

    number: int = 0
    hub: str = ""


async def run_news(link: HubLink) -> None:
    """Ask for as long as the process ships."""
    if not HANDLERS:
        return
    asker = NewsAsker(link)
    await repeat_for_ever(link, "asking the hub for news", asker.ask_once)


class NewsAsker:
    """Remembers what was seen."""

    def __init__(self, link: HubLink) -> None:
        self._link = link
        self._offered = 0
        self._whole_at = time.monotonic() + WHOLE_SECONDS

    async def ask_once(self) -> None:
        """One question, and its answer to everybody. Raises DestinationError, and whatever a handler does."""
        started, home = time.monotonic(), self._link.home
        is_whole = started >= self._whole_at
        seen = 0 if is_whole else read_seen(home, self._link.client.where)
        known = await asyncio.to_thread(find_version, home)
        news = await self._link.client.wait_for_news(seen, known, WAIT_SECONDS)
        fresh = tuple(one for one in news.answers if seen < one.number <= MOST_NUMBER)
        await self._hand_over(msgspec.structs.replace(news, answers=fresh))
        if fresh or is_whole:
            last = max((one.number for one in fresh), default=0)
            write_seen(home, SeenNews(last, self._link.client.where))
        if is_whole:
            self._whole_at = time.monotonic() + WHOLE_SECONDS
        is_new = bool(fresh) or news.bundle != self._offered
        self._offered = news.bundle
        is_quick = time.monotonic() - started < IDLE_SECONDS
        await asyncio.sleep(LEAST_SECONDS if is_new or not is_quick else IDLE_SECONDS)

    async def _hand_over(self, news: HubNews) -> None:
        """To all of them. Raises what the first of those raised that failed."""
        failed: Exception | None = None
        for handle in HANDLERS:
            try:
                await handle(self._link, news)
            except Exception as error:  # noqa: BLE001 - raised below, when the others have had theirs
                failed = failed or error
        if failed:
            raise failed


def read_seen(home: Home, hub: str) -> int:
    """The number of the last answer of this hub that was taken in."""
    content = read_content(str(HubPlace.of(home).seen), SEEN_LIMIT)
    try:
        seen = msgspec.json.decode(content if isinstance(content, bytes) else b"{}", type=SeenNews)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return 0
    return seen.number if seen.hub == hub and 0 <= seen.number <= MOST_NUMBER else 0


def write_seen(home: Home, seen: SeenNews) -> None:
    """Raises OSError: then the same answers come again."""
    replace_own(str(HubPlace.of(home).seen), msgspec.json.encode(seen), 0o600)
