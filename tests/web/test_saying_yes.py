"""A call of the real Claude Code waits for a person, who answers it in the console with the keyboard alone."""

import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest
from playwright.async_api import Page, expect

from synaptic.store import grants, pin, refused
from synaptic.store.db import Store
from tests.clients.kit.driver import Run, User
from tests.clients.test_held import someone
from tests.web.console import RealBrowser, WebConsole
from tests.web.terminal import TypedConsole

pytestmark = pytest.mark.client
CLOCK_TICK = 0.03
HOLD_SECONDS = 120
PIN = "2468ab"


@contextmanager
def holding() -> Iterator[tuple[User, Store]]:
    """Somebody whose Claude Code has nobody at it: its questions wait for an answer from elsewhere."""
    with someone("claude", HOLD_SECONDS) as (user, store):
        user.patience = HOLD_SECONDS
        yield user, store


def begin_run(user: User, pool: ThreadPoolExecutor) -> Future[Run]:
    """The client, which asks for one thing that it is asked about."""
    return pool.submit(user.run, (user.driver.shell("touch asked"),))


async def choose_waiting(page: Page) -> None:
    """To the call that waits, by keys."""
    row = page.locator(".refusal.held")
    await expect(row).to_contain_text("touch asked", timeout=60_000)
    await expect(row).to_contain_text("waits now")
    while not await row.evaluate("one => one.classList.contains('chosen')"):
        await page.keyboard.press("j")


def play(
    browser: RealBrowser, console: WebConsole, scenario: Callable[[Page], Awaitable[None]], run: Future[Run]
) -> Run:
    """What somebody does on a page, and then what has become of the client's session."""
    try:
        browser.run(console, scenario)
        return run.result(HOLD_SECONDS)
    finally:
        console.stop()


def test_a_key_in_the_page_lets_the_call_run_that_waits(browser: RealBrowser) -> None:
    with holding() as (user, store), ThreadPoolExecutor(1) as pool:
        console = TypedConsole(user.home, user.project)
        time.sleep(CLOCK_TICK)  # the window was there before the agent
        run = begin_run(user, pool)

        async def scenario(page: Page) -> None:
            await choose_waiting(page)
            await page.keyboard.press("a")
            await expect(page.locator(".refusal .outcome.good")).to_contain_text("the call that waited goes on")

        done = play(browser, console, scenario, run)
        assert (user.project / "asked").exists(), done.output[-1000:]
        (known,) = grants.list_grants(store)
        assert known.uses == 1
        assert known.grant.granted_by.endswith("in xterm")


def test_where_nobody_can_tell_who_has_started_the_console_it_takes_the_pin(browser: RealBrowser) -> None:
    with holding() as (user, store), ThreadPoolExecutor(1) as pool:
        pin.write_pin(store, PIN, time.time())
        console = WebConsole(cast("Any", SimpleNamespace(user=user.home, project=user.project)))
        run = begin_run(user, pool)

        async def scenario(page: Page) -> None:
            await choose_waiting(page)
            await page.keyboard.press("a")
            await expect(page.locator("[name=pin]")).to_be_focused()
            assert not (user.project / "asked").exists()
            await page.keyboard.type(PIN)
            await page.keyboard.press("Enter")
            await expect(page.locator(".refusal .outcome.good")).to_contain_text("the call that waited goes on")

        done = play(browser, console, scenario, run)
        assert (user.project / "asked").exists(), done.output[-1000:]
        (known,) = grants.list_grants(store)
        assert known.grant.granted_by.startswith("the PIN")


def test_a_key_in_the_page_refuses_the_call_that_waits(browser: RealBrowser) -> None:
    with holding() as (user, store), ThreadPoolExecutor(1) as pool:
        console = TypedConsole(user.home, user.project)
        time.sleep(CLOCK_TICK)
        run = begin_run(user, pool)

        async def scenario(page: Page) -> None:
            await choose_waiting(page)
            await page.keyboard.press("u")
            await expect(page.locator(".refusal .outcome.good")).to_contain_text("the call that waited is refused")

        done = play(browser, console, scenario, run)
        assert not (user.project / "asked").exists()
        assert "has said no" in done.heard
        assert [one.answer for one in refused.list_refused(store)] == ["upheld"]
