"""Screens, for the eyes."""

import os
import asyncio
from pathlib import Path
import pytest
from playwright.async_api import Page, expect
from tests.daemon.setting import Setting
from tests.web.console import *
from tests.web.story import *

OUT = Path("/tmp/ksession-shots")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", [DESK, PHONE])
def test_shots(browser: RealBrowser, setting: Setting, dark, size):
    OUT.mkdir(exist_ok=True)
    os.environ["HOME"] = str(setting.user)
    transcript = setting.user / ".claude/projects/p" / f"{SESSION}.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text("")
    play_story(setting, SESSION, 12)
    import time, json
    from datetime import datetime, UTC

    store = Store.open(setting.home)
    rows = store.read(lambda c: c.execute("select at from events order by id").fetchall())
    store.write(
        lambda c: (
            c.execute("update witness_sessions set transcript=? where name=?", (str(transcript), SESSION)).rowcount
        )
    )
    store.close()
    with transcript.open("w") as f:
        for i, (at,) in enumerate(rows[::3]):
            f.write(
                json.dumps(
                    {
                        "type": "assistant",
                        "timestamp": datetime.fromtimestamp(at, UTC).isoformat(),
                        "message": {
                            "model": "claude-sonnet-4-5",
                            "usage": {
                                "input_tokens": 10,
                                "cache_read_input_tokens": 20000 + i * 3500,
                                "output_tokens": 400,
                            },
                        },
                    }
                )
                + "\n"
            )
    write_long_session(setting, "long-1", 3000)
    play_story(setting, "another-1", 1)
    console = WebConsole(setting)
    name = f"{'dark' if dark else 'light'}-{size[0]}"

    async def scenario(page: Page) -> None:
        await page.goto(f"{console.address}/sessions")
        await page.screenshot(path=OUT / f"sessions-{name}.png")
        await page.goto(f"{console.address}/session/{SESSION}")
        await page.wait_for_selector("[data-ready]")
        await page.screenshot(path=OUT / f"session-{name}.png", full_page=size == PHONE)
        await page.keyboard.press("Home")
        await page.keyboard.press("Shift+ArrowRight")
        await page.keyboard.press("ArrowRight")
        await expect(page.locator("#moment")).to_contain_text("rewritten")
        await page.wait_for_timeout(300)
        await page.screenshot(path=OUT / f"session-rewrite-{name}.png", full_page=size == PHONE)
        await page.keyboard.press("e")
        await page.wait_for_url("**/event/**")
        await page.keyboard.press("o")
        await expect(page.locator("#otherwise .verdict")).to_be_visible()
        await page.screenshot(path=OUT / f"event-{name}.png", full_page=True)
        await page.goto(f"{console.address}/session/long-1?at=1500")
        await page.wait_for_selector("[data-ready]")
        await page.wait_for_timeout(300)
        await page.screenshot(path=OUT / f"long-{name}.png", full_page=size == PHONE)

    browser.run(console, scenario, size, dark)
    console.stop()
