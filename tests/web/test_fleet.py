"""The fleet in a real browser."""

from playwright.async_api import Page, expect

from tests.daemon.setting import Setting
from tests.web.console import PHONE, RealBrowser, WebConsole
from tests.web.fleet_scene import play_day


def test_agents_efforts_tasks_and_hand_overs_are_shown(
    console: WebConsole, browser: RealBrowser, setting: Setting
) -> None:
    play_day(setting)

    async def scenario(page: Page) -> None:
        await page.goto(f"{console.address}/fleet")
        await expect(page).to_have_title("Fleet · Synaptic")
        agents = page.locator("table.fleet tbody tr")
        await expect(agents).to_have_count(2)
        await expect(agents.first).to_contain_text("the turn has failed: overloaded")
        effort = page.locator("article", has_text="login-page")
        await expect(effort.locator("[aria-current=step]")).to_have_text("2: Check")
        assert await effort.locator(".phases rect").count() == 3
        await page.keyboard.press("j")
        assert await agents.first.evaluate("one => one.classList.contains('chosen')")
        await effort.locator("summary", has_text="hand-over, told at").click()
        await expect(effort).to_contain_text("The form is there, validation is half done.")
        await expect(page.locator("main h2")).to_have_text(["Agents", "Efforts", "Tasks", "Projects"])
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await effort.locator("a", has_text="forms").first.click()
        await page.wait_for_url("**/session/s-form")

    browser.run(console, scenario, size=PHONE)


def test_without_a_fleet_the_page_says_what_to_type(console: WebConsole, browser: RealBrowser) -> None:
    async def scenario(page: Page) -> None:
        await page.goto(f"{console.address}/fleet")
        await expect(page.locator("main")).to_contain_text("synaptic run -- claude")
        await expect(page.locator("main")).to_contain_text("synaptic effort start")

    browser.run(console, scenario)
