"""The timeline in a real browser."""

import asyncio

from playwright.async_api import Page, expect

from tests.daemon.setting import Setting
from tests.web.console import RealBrowser, WebConsole, record

DENIED = {"tool_input": {"command": "git reset --hard"}}


def send(setting: Setting, number: int, **fields: object) -> None:
    record(setting, tool_use_id=f"t{number}", **fields)


def test_an_event_appears_by_itself(console: WebConsole, browser: RealBrowser, setting: Setting) -> None:
    setting.config('presets = ["essentials"]\n')

    async def scenario(page: Page) -> None:
        await page.goto(f"{console.address}/timeline")
        await expect(page.locator("#live")).to_have_text("live")
        await asyncio.to_thread(send, setting, 1, **DENIED)
        await expect(page.locator("#rows .row").first).to_contain_text("deny by git.reset-hard")
        assert await page.locator("#rows .row").count() == 1

    browser.run(console, scenario)


def test_rows_that_come_while_somebody_reads_wait(console: WebConsole, browser: RealBrowser, setting: Setting) -> None:
    for number in range(3):
        send(setting, number)

    async def scenario(page: Page) -> None:
        await page.goto(f"{console.address}/timeline?quiet=1")
        await expect(page.locator("#live")).to_have_text("live")
        await page.keyboard.press("j")
        chosen = await page.locator(".chosen").get_attribute("id")
        before = await page.locator(".chosen").bounding_box()
        await asyncio.to_thread(send, setting, 9)
        await expect(page.locator("#fresh")).to_have_text("1 new")
        assert await page.locator(".chosen").get_attribute("id") == chosen
        assert await page.locator(".chosen").bounding_box() == before
        await page.keyboard.press("n")
        await expect(page.locator("#rows .row")).to_have_count(5)

    browser.run(console, scenario)


def test_pages_that_nobody_sees_keep_no_connection(console: WebConsole, browser: RealBrowser, setting: Setting) -> None:
    """A browser has six of them to an address: the seventh page would wait for good."""

    async def scenario(page: Page) -> None:
        hidden = []
        for _ in range(8):
            one = await page.context.new_page()
            await one.add_init_script("Object.defineProperty(document, 'hidden', { get: () => window.away ?? true });")
            await one.goto(f"{console.address}/timeline?quiet=1", timeout=10_000)
            hidden.append(one)
        await page.goto(f"{console.address}/timeline?quiet=1", timeout=10_000)
        await expect(page.locator("#live")).to_have_attribute("data-state", "on")
        await asyncio.to_thread(record, setting, tool_use_id="late")
        await expect(page.locator("#e2")).to_be_visible()
        late, wake = hidden[0], "window.away = {}; document.dispatchEvent(new Event('visibilitychange'))"
        assert await late.locator("#e2").count() == 0
        await late.evaluate(wake.format("false"))
        await expect(late.locator("#e2")).to_be_visible()
        await late.evaluate(wake.format("true"))
        await late.wait_for_timeout(3500)
        await asyncio.to_thread(record, setting, tool_use_id="later")
        await expect(page.locator("#e3")).to_be_visible()
        assert await late.locator("#e3").count() == 0
        await late.evaluate(wake.format("false"))
        await expect(late.locator("#e3")).to_be_visible()
        assert await late.locator(".row").count() == 3

    browser.run(console, scenario)
