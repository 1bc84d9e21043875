"""The first page in a real browser: lanes as they change, refusals answered in place."""

import time

from playwright.async_api import Page, expect

from synaptic.store import pin, refused
from synaptic.store.db import Store
from tests.daemon.setting import Setting
from tests.web.console import RealBrowser, WebConsole, record

RESET = {"tool_input": {"command": "git reset --hard"}}
PIN = "2468ab"


def arrange(setting: Setting, *, has_pin: bool = True) -> None:
    setting.config('presets = ["essentials"]\n')
    if has_pin:
        store = Store.open(setting.home)
        pin.write_pin(store, PIN, time.time())
        store.close()


def refuse(setting: Setting, number: int = 1, command: str = "git reset --hard", **more: object) -> None:
    record(setting, tool_use_id=f"t{number}", tool_input={"command": command}, **more)


def find_answers(setting: Setting) -> list[str]:
    store = Store.open(setting.home)
    try:
        return [one.answer for one in refused.list_refused(store)]
    finally:
        store.close()


async def open_now(page: Page) -> None:
    await expect(page.locator("h1")).to_have_text("Now")
    await expect(page.locator("#live")).to_have_text("live")


def test_a_refusal_is_answered_by_keys_with_the_pin(
    console: WebConsole, browser: RealBrowser, running: Setting
) -> None:
    arrange(running)
    refuse(running)

    async def scenario(page: Page) -> None:
        await open_now(page)
        row = page.locator(".refusal")
        await expect(row).to_contain_text("git reset --hard")
        await page.keyboard.press("a")
        assert await row.locator("[name=pin]").count() == 0, "no row was chosen"
        while not await row.evaluate("one => one.classList.contains('chosen')"):
            await page.keyboard.press("j")
        await page.keyboard.press("a")
        await expect(row.locator("[name=pin]")).to_be_focused()
        await page.keyboard.type("1357")
        await page.keyboard.press("Enter")
        await expect(row.locator(".outcome.deny")).to_contain_text("this is not the PIN")
        await expect(row.locator("[name=pin]")).to_be_focused()
        await page.keyboard.type(PIN)
        await page.keyboard.press("Enter")
        await expect(row.locator(".outcome.good")).to_contain_text("allowed once")
        await page.wait_for_timeout(1500)
        await expect(row.locator(".outcome.good")).to_contain_text("allowed once")

    browser.run(console, scenario)
    assert find_answers(running) == ["allowed"]
