"""Health in a real browser: who is guarded, how long calls wait, and what `doctor` says; looking writes nothing."""

import asyncio
import time
from datetime import datetime

from playwright.async_api import Page, expect

from synaptic.model.home import Home
from synaptic.store.durations import name_class
from synaptic.store.growth import read_growth
from synaptic.store.latency import read_latency
from synaptic.store.reader import JournalReader
from synaptic.web.catalogs import ConsoleCatalogs
from synaptic.web.checkup import KeptCheckup, examine_home
from synaptic.web.health_look import look_at_daemon, plot_latency, read_memory
from tests.daemon.setting import Setting
from tests.web.console import PHONE, RealBrowser, WebConsole, record


def list_files(home: Home) -> dict[str, tuple[int, int]]:
    """Every file but those by which SQLite lets others read."""
    found = (path for path in home.root.rglob("*") if path.is_file() and not path.name.endswith("-shm"))
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in found}


def test_the_page_tells_what_runs_and_draws_in_both_colours(
    console: WebConsole, browser: RealBrowser, running: Setting
) -> None:
    for number in range(5):
        record(running, tool_use_id=f"h{number}")

    async def scenario(page: Page) -> None:
        await page.goto(f"{console.address}/health")
        await expect(page.locator("[aria-label=Daemon]")).to_contain_text("Daemon running")
        await expect(page.locator("[aria-label=Daemon]")).to_contain_text("MB")
        await expect(page.locator("[aria-label=Guard]")).to_contain_text("The guard is off")
        await expect(page.locator("[aria-label=Journal]")).to_contain_text("today")
        await expect(page.locator("[aria-label=Witness]")).to_contain_text("of 6 calls")
        await expect(page.locator("#checkup li.fail").first).to_be_visible()
        await expect(page.locator(".plot canvas")).to_be_visible()
        await page.keyboard.press("t")
        await expect(page.locator(".plot canvas")).to_be_visible()
        await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        for _ in range(50):
            box = await page.locator(".plot canvas").bounding_box()
            if box and 100 < box["width"] < PHONE[0]:
                break
            await page.wait_for_timeout(100)
        assert box and 100 < box["width"] < PHONE[0]
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await asyncio.to_thread(running.stop)
        await page.goto(f"{console.address}/health?doctor=1")
        await expect(page.locator("[aria-label=Daemon]")).to_contain_text("Daemon stopped")
        await expect(page.locator("#checkup li").first).to_be_visible()

    browser.run(console, scenario)


def test_a_check_up_writes_nothing_and_is_kept(setting: Setting) -> None:
    setting.config('presets = ["essentials"]\n[[rule]]\nid = "a.b"\nthen = "deny"\nrun = "x"\nsay = "no"\n')
    record(setting)
    reader = JournalReader.open(setting.home)
    catalogs = ConsoleCatalogs(setting.home, reader)
    reader.read(reader.version)
    before = list_files(setting.home)
    kept = KeptCheckup(setting.home, catalogs)
    first = kept.get()
    assert kept.get() is first and kept.peek() is first
    assert {one.check for one in first.findings} >= {"installation", "database", "daemon", "witness", "declaration"}
    assert first.findings[0].state == "fail" and first.quiet > 10
    assert list_files(setting.home) == before
    reader.close()


def test_a_database_that_is_gone_fails_one_check_and_not_the_others(setting: Setting) -> None:
    record(setting)
    reader = JournalReader.open(setting.home)
    catalogs = ConsoleCatalogs(setting.home, reader)
    for file in setting.home.root.glob("synaptic.db*"):
        file.unlink()
    found = examine_home(setting.home, catalogs).findings
    assert any(one.check == "declaration" for one in found)
    assert not setting.home.database.exists()
    reader.close()


def test_durations_of_a_day_are_counted_by_span(setting: Setting) -> None:
    for number in range(3):
        record(setting, tool_use_id=f"h{number}")
    reader = JournalReader.open(setting.home)
    found = read_latency(reader, time.time() + 1, 4, 10.0)
    assert found.every == 1 and sum(found.spans[-1].values()) == 3 and not found.spans[0]
    micros = setting.last().micros
    assert name_class(micros) in found.spans[-1]
    plot = plot_latency(reader)
    assert sum(plot["events"]) == 3 and plot["p50"].count(None) == 95 and len(plot["at"]) == 96
    reader.close()


def test_growth_counts_by_numbers(setting: Setting) -> None:
    for number in range(4):
        record(setting, tool_use_id=f"g{number}")
    reader = JournalReader.open(setting.home)
    found = read_growth(reader, setting.home, 3, datetime.now())
    assert found.events == 4 and found.size > 10_000 and len(found.days) == 3
    assert sum(day.events for day in found.days) == 4
    reader.close()


def test_a_daemon_that_is_not_there_is_asked_nothing(setting: Setting) -> None:
    look = look_at_daemon(setting.home)
    assert look.status.state == "stopped" and look.said == {} and look.memory == 0
    assert read_memory(2**22 + 1) == 0
