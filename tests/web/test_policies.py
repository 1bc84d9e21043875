"""Policies in a real browser: what they did, how they are set, and a switch that only a person can turn."""

import time

from playwright.async_api import Page, expect

from synaptic.store.db import Store
from synaptic.store.hook_counts import count_journal
from synaptic.store.pin import write_pin
from tests.daemon.setting import Setting
from tests.web.console import RealBrowser, WebConsole, record

RESET = {"tool_input": {"command": "git reset --hard"}}
PUSH = {"tool_input": {"command": "git push --force origin main"}}
RULE = """
[[rule]]
id = "npm.publish"
run = "npm publish"
then = "deny"
say = "Ask first: `npm publish` <b>cannot</b> be taken back."
"""


def fill(setting: Setting) -> None:
    setting.config(f'presets = ["essentials"]\n{RULE}')
    for number, call in enumerate((RESET, RESET, PUSH, {"tool_input": {"command": "npm publish"}})):
        record(setting, tool_use_id=f"p{number}", **call)
    store = Store.open(setting.home)
    count_journal(store)
    store.close()


def test_what_fired_is_told_and_leads_to_its_page(console: WebConsole, browser: RealBrowser, running: Setting) -> None:
    fill(running)

    async def scenario(page: Page) -> None:
        await page.goto(f"{console.address}/policies")
        row = page.locator("tr", has_text="git.reset-hard")
        await expect(row.locator("td").nth(2)).to_have_text("2")
        await expect(page.locator("tr", has_text="npm.publish")).to_contain_text("enforced")
        await page.keyboard.press("f")
        await expect(page.locator("tr", has_text="git.checkout")).to_have_count(0)
        await page.keyboard.press("j")
        await page.keyboard.press("Enter")
        await expect(page.locator("h1")).to_be_visible()
        await page.goto(f"{console.address}/policy/git.reset-hard")
        await expect(page.locator(".doc h2").first).to_have_text("What it does")
        await expect(page.locator(".rows .row")).to_have_count(2)
        await page.goto(f"{console.address}/policy/npm.publish")
        await expect(page.locator(".doc")).to_contain_text("<b>cannot</b>")
        await expect(page.locator(".modes button")).to_have_count(0)
        await page.goto(f"{console.address}/policy/self.daemon")
        await expect(page.locator(".modes")).to_contain_text("always enforced")
        await page.goto(f"{console.address}/policy/no.such")
        await expect(page.locator(".trouble")).to_contain_text("no such policy")

    browser.run(console, scenario)


def test_a_looser_mode_needs_the_pin_where_nobody_sees_who_asks(
    console: WebConsole, browser: RealBrowser, running: Setting
) -> None:
    fill(running)
    store = Store.open(running.home)
    write_pin(store, "4711", time.time())
    store.close()

    async def scenario(page: Page) -> None:
        await page.goto(f"{console.address}/policy/git.reset-hard")
        await page.keyboard.press("s")
        await expect(page.locator("#mode .trouble")).to_contain_text("PIN is needed")
        assert "shadow" not in running.home.config.read_text()
        await page.locator("input[name=pin]").fill("1")
        await page.keyboard.press("Enter")
        await expect(page.locator("#mode .trouble")).to_contain_text("not the PIN")
        await page.locator("input[name=pin]").fill("4711")
        await page.keyboard.press("Enter")
        await expect(page.locator("#mode .state")).to_have_text("shadow")
        assert 'mode = "shadow"' in running.home.config.read_text()
        await page.keyboard.press("e")
        await expect(page.locator("#mode .state")).to_have_text("enforced")

    browser.run(console, scenario)
