import os
from tests.web.console import *
from tests.web.fleet_scene import *
from synaptic.store.refused import list_refused
import pytest


@pytest.mark.parametrize(
    "size,dark,name",
    [
        ((1280, 800), False, "desk-light"),
        ((390, 800), True, "phone-dark"),
        ((1280, 800), True, "desk-dark"),
        ((390, 800), False, "phone-light"),
    ],
)
def test_shots(console, browser, setting, size, dark, name):
    setting.config('presets = ["essentials"]\n')
    play_day(setting)
    store = Store.open(setting.home)
    hold_call(store, next(c.code for c in list_refused(store) if "push" in c.subject.shown))
    store.close()

    async def scenario(page):
        await page.wait_for_timeout(1500)
        await page.screenshot(path=f"/tmp/now-shots/now-{name}.png", full_page=True)
        for _ in range(8):
            await page.keyboard.press("j")
            if await page.locator(".refusal.chosen").count():
                break
        await page.keyboard.press("Enter")
        await page.keyboard.press("A")
        await page.wait_for_timeout(2500)
        await page.screenshot(path=f"/tmp/now-shots/act-{name}.png", full_page=True)
        await page.goto(f"{console.address}/fleet")
        await page.screenshot(path=f"/tmp/now-shots/fleet-{name}.png", full_page=True)
        await page.goto(f"{console.address}/inbox")
        await page.screenshot(path=f"/tmp/now-shots/inbox-{name}.png", full_page=True)

    browser.run(console, scenario, size=size, dark=dark)
