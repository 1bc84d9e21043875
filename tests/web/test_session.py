"""The list of sessions and the page of one, in a real browser and by keyboard alone."""

import asyncio
from pathlib import Path

from playwright.async_api import Page, expect

from synaptic.model.decision import Kind
from tests.daemon.setting import Setting
from tests.web.console import PHONE, RealBrowser, WebConsole, record
from tests.web.hostile import make_texts
from tests.web.story import SESSION, play_story, write_long_session
from tests.web.test_event import FIELDS, write_records

HUGE = 1_000_000
ODD_ADDRESSES = (
    "/session/", "/session/%00", "/session/%ff%fe", "/session/a?at=99999999999999999999", "/session/..%2f..%2fetc",
    "/event/0", "/event/99999999999999999999", "/event/%00", "/event/%ed%a0%80", "/event/1/otherwise?set=x",
    "/event/1/otherwise?set=a=b&disable=%00&enable=@x", "/event/1/otherwise?disable=nobody", "/moments/one?number=-1",
    "/moments/one", "/moments/list", "/moments/outline?session=%ff", "/moments/track", "/moments/save?session=nobody",
    "/sessions?before=1e9&project=%ed%a0%80&agent=%00",
)  # fmt: skip


async def open_session(page: Page, console: WebConsole, session: str, at: int = 0) -> None:
    await page.goto(f"{console.address}/session/{session}{f'?at={at}' if at else ''}")
    await expect(page.locator("#scrubber[data-ready]")).to_be_visible()


def test_a_session_is_found_played_and_jumped_through(
    console: WebConsole, browser: RealBrowser, running: Setting, tmp_path: Path
) -> None:
    play_story(running, rounds=2)

    async def scenario(page: Page) -> None:
        await page.goto(f"{console.address}/sessions")
        await page.keyboard.press("d")
        await expect(page.locator("tbody tr")).to_have_count(1)
        await page.keyboard.press("j")
        await page.keyboard.press("Enter")
        await expect(page.locator("#scrubber[data-ready]")).to_be_visible()
        await expect(page.locator("#count")).to_have_text("18 of 18")
        await page.keyboard.press("Home")
        await expect(page.locator("#moment blockquote")).to_contain_text("Make the client retry")
        await page.keyboard.press("Shift+ArrowRight")
        await expect(page.locator("#moment h2")).to_have_text("Bash")
        await expect(page.locator("#moment")).to_contain_text("deny by git.reset-hard")
        await page.keyboard.press("ArrowRight")
        await expect(page.locator("#moment .diff ins")).to_have_text("-with-lease")
        await page.keyboard.press("p")
        await expect(page.locator("#count")).to_have_text("10 of 18")
        await page.select_option("#speed", "16")
        await page.locator("main").focus()
        await page.keyboard.press("Space")
        await expect(page.locator("#play")).to_have_attribute("aria-pressed", "true")
        await expect(page.locator("#count")).to_have_text("18 of 18")
        await expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")
        async with page.expect_download() as saved:
            await page.keyboard.press("s")
        await (await saved.value).save_as(tmp_path / "saved.html")

    browser.run(console, scenario)
    saved = (tmp_path / "saved.html").read_text()
    assert "git reset --hard" in saved and "<script" not in saved and "default-src &#39;none&#39;" in saved


def test_a_running_session_goes_on_growing(console: WebConsole, browser: RealBrowser, running: Setting) -> None:
    play_story(running)

    async def scenario(page: Page) -> None:
        await open_session(page, console, SESSION)
        await expect(page.locator("#live")).to_have_text("live")
        new = {"session_id": SESSION, "tool_input": {"command": "make everything"}, "tool_use_id": "n1"}
        await asyncio.to_thread(record, running, **new)
        await expect(page.locator("#count")).to_have_text("10 of 10")
        await expect(page.locator("#moment")).to_contain_text("make everything")
        await page.keyboard.press("Home")
        await expect(page.locator("#moment blockquote")).to_be_visible()
        await asyncio.to_thread(record, running, **{**new, "tool_use_id": "n2"})
        await expect(page.locator("#count")).to_have_text("1 of 11")
        await expect(page.locator("#moment blockquote")).to_be_visible()

    browser.run(console, scenario, PHONE)


def test_a_session_of_20000_events_opens(console: WebConsole, browser: RealBrowser, running: Setting) -> None:
    write_long_session(running, "long", 20_000)

    async def scenario(page: Page) -> None:
        await open_session(page, console, "long")
        await expect(page.locator("#count")).to_have_text("20000 of 20000")
        await page.keyboard.press("Home")
        await expect(page.locator("#moment blockquote")).to_contain_text("Turn 0")
        await page.keyboard.press("Shift+ArrowRight")
        await expect(page.locator("#moment")).to_contain_text("make test-7")
        assert await page.locator(".moments li").count() <= 81
        assert await page.evaluate("document.querySelectorAll('*').length") < 1500

    browser.run(console, scenario)


def test_no_address_makes_a_page_fail(console: WebConsole, browser: RealBrowser) -> None:
    async def scenario(page: Page) -> None:
        await page.goto(f"{console.address}/sessions")
        for address in ODD_ADDRESSES:
            status = await page.evaluate("address => fetch(address).then((answer) => answer.status)", address)
            assert status < 500, address

    browser.run(console, scenario)


def test_hostile_texts_are_shown_as_text(console: WebConsole, browser: RealBrowser, running: Setting) -> None:
    """A few hundred of them; `test_event` has ten thousand."""
    texts = list(make_texts(20 * FIELDS, seed=4))
    texts[0] = "</pre><script>window.pwned=1</script>" + "x" * HUGE
    write_records(running, texts, "bad<b>\"' ?&/..")
    numbers = [one.id for one in running.entries(12) if one.decision.kind is not Kind.ADVISE]

    async def scenario(page: Page) -> None:
        await page.goto(f"{console.address}/sessions")
        scripts = await page.locator("script").count()
        await page.keyboard.press("j")
        await page.keyboard.press("Enter")
        await expect(page.locator("#scrubber[data-ready]")).to_be_visible()
        await page.keyboard.press("Home")
        for _ in range(19):
            await page.keyboard.press("ArrowRight")
            await page.wait_for_load_state("networkidle")
        await expect(page.locator("#count")).to_have_text("20 of 20")
        assert await page.locator("script").count() == scripts + 1
        for number in numbers:
            await page.goto(f"{console.address}/event/{number}")
            await expect(page.locator(".chain")).to_be_visible()
            assert await page.evaluate("window.pwned") is None

    browser.run(console, scenario)
