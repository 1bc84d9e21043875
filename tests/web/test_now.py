"""The first page in a real browser: lanes as they change, refusals answered in place."""

import asyncio
import time

from playwright.async_api import Page, expect

from synaptic.store import grants, pin, refused
from synaptic.store.db import Store
from tests.daemon.setting import Setting
from tests.web.console import RealBrowser, WebConsole, record
from tests.web.fleet_scene import hold_call, play_day, send

PIN = "2468ab"
HOSTILE = (
    "<script>window.broken = 1</script>", "<img src=x onerror=\"window.broken = 1\">", "\" onfocus=\"window.broken = 1",
    "' hx-get='/link' hx-trigger='load", "{{ 7 * 7 }}", "\x1b[2J\x1b]0;title\x07", "\u202egpj.exe", "a\x00b",
    "</ul></section>",
    "javascript:window.broken=1", "x" * 5000, "data: 1\n\nevent: now\ndata: <b>forged</b>\n\n", "\u2028id: 7", "\ud800",
)  # fmt: skip


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


async def choose(page: Page, name: str) -> None:
    """To a row, by keys."""
    row = page.locator(name)
    while not await row.evaluate("one => one.classList.contains('chosen')"):
        await page.keyboard.press("j")


def test_what_an_exception_covers_is_shown_before_it_lasts(
    console: WebConsole, browser: RealBrowser, running: Setting
) -> None:
    arrange(running)
    refuse(running)

    async def scenario(page: Page) -> None:
        await open_now(page)
        await choose(page, ".refusal")
        await page.keyboard.press("A")
        covers = page.locator(".covers")
        for text in ("git.reset-hard", "git reset --hard", str(running.project), "every project"):
            await expect(covers).to_contain_text(text)
        await page.keyboard.press("x")
        await expect(covers).to_have_count(0)
        await page.keyboard.press("h")
        await expect(covers).to_contain_text(str(running.project))
        await page.keyboard.press("y")
        await expect(page.locator("[name=pin]")).to_be_focused()
        await page.keyboard.type(PIN)
        await page.keyboard.press("Enter")
        await expect(page.locator(".outcome.good")).to_contain_text("allowed in this project")
        await expect(page.locator(".later")).to_contain_text("synaptic grants revoke")

    browser.run(console, scenario)
    store = Store.open(running.home)
    (known,) = grants.list_grants(store)
    store.close()
    assert (known.grant.scope, known.grant.root) == ("here", str(running.project))


def test_without_a_pin_the_page_says_how_one_is_set(
    console: WebConsole, browser: RealBrowser, running: Setting
) -> None:
    arrange(running, has_pin=False)
    refuse(running)

    async def scenario(page: Page) -> None:
        await open_now(page)
        await choose(page, ".refusal")
        await page.keyboard.press("u")
        await expect(page.locator(".outcome.deny")).to_contain_text("synaptic pin set")
        await expect(page.locator(".refusal [data-key=a]")).to_be_visible()

    browser.run(console, scenario)
    assert find_answers(running) == [""]


def test_lanes_change_in_place_and_new_ones_wait_while_somebody_reads(
    console: WebConsole, browser: RealBrowser, setting: Setting
) -> None:
    arrange(setting)
    for name in ("one", "two"):
        send(setting, name, tool_name="Bash", tool_input={"command": "make test"})

    async def scenario(page: Page) -> None:
        await open_now(page)
        await page.keyboard.press("j")
        lane, before = page.locator(".lane.chosen"), await page.locator(".lane.chosen").bounding_box()
        name = await lane.locator(".who").inner_text()
        focused = "document.activeElement.textContent"
        assert await page.evaluate(focused) == name
        await asyncio.to_thread(send, setting, name, tool_name="Bash", tool_input={"command": "git reset --hard"})
        await asyncio.to_thread(send, setting, "three", tool_name="Bash", tool_input={"command": "ls"})
        await expect(lane.locator(".step")).to_contain_text("deny by git.reset-hard")
        await expect(lane.locator(".counts")).to_contain_text("2 calls, 1 denied")
        await expect(page.locator("#fresh")).to_have_text("2 new")
        assert await lane.bounding_box() == before
        assert await page.evaluate(focused) == name
        await page.keyboard.press("n")
        await expect(page.locator(".lane", has_text="three")).to_be_visible()
        await expect(page.locator(".refusal")).to_contain_text("git reset --hard")
        await expect(page.locator("#fresh")).to_be_hidden()

    browser.run(console, scenario)


def test_who_needs_a_person_comes_first_and_a_held_call_with_them(
    console: WebConsole, browser: RealBrowser, setting: Setting
) -> None:
    arrange(setting)
    play_day(setting)

    async def scenario(page: Page) -> None:
        await open_now(page)
        needs = page.locator("[data-list=needs]")
        await expect(needs.locator(".lane.error")).to_contain_text("the turn has failed: overloaded")
        await expect(needs.locator(".lane.attention")).to_contain_text("asks for permission: Bash")
        await asyncio.to_thread(hold_first, setting)
        await expect(needs.locator(".refusal.held")).to_contain_text("waits now")
        lane = page.locator("[data-list=lanes] .lane", has_text="forms")
        for text in ("login-page / implement", "2: Check", "62", "4/10", "2 calls"):
            await expect(lane).to_contain_text(text)

    browser.run(console, scenario)


def test_what_was_answered_elsewhere_says_so_and_stays(
    console: WebConsole, browser: RealBrowser, setting: Setting
) -> None:
    arrange(setting)
    refuse(setting)

    async def scenario(page: Page) -> None:
        await open_now(page)
        await expect(page.locator(".refusal")).to_have_count(1)
        await asyncio.to_thread(answer_first, setting)
        await expect(page.locator(".refusal .outcome")).to_contain_text("upheld at")
        await page.reload()
        await expect(page.locator(".refusal")).to_have_count(0)

    browser.run(console, scenario)


def test_hostile_texts_are_shown_as_texts(console: WebConsole, browser: RealBrowser, setting: Setting) -> None:
    arrange(setting)
    for number, text in enumerate(HOSTILE):
        send(setting, f"s{number}{text}", tool_name="Bash", tool_input={"command": f"git reset --hard # {text}"})
        send(setting, f"s{number}{text}", "Notification", message=text, notification_type=text)

    async def scenario(page: Page) -> None:
        await open_now(page)
        await expect(page.locator(".lane.attention")).to_have_count(len(HOSTILE))
        assert await page.evaluate("window.broken") is None
        for address in ("/inbox", "/fleet"):
            await page.goto(f"{console.address}{address}")
            assert await page.evaluate("window.broken") is None

    browser.run(console, scenario)


def hold_first(setting: Setting) -> None:
    store = Store.open(setting.home)
    hold_call(store, refused.list_refused(store)[0].code)
    store.close()


def answer_first(setting: Setting) -> None:
    store = Store.open(setting.home)
    refused.answer_refused(store, [refused.list_refused(store)[0].mark], "upheld", time.time())
    store.close()
