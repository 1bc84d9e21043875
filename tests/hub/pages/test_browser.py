"""The hub's pages in a real browser, before a real hub with a real database."""

import asyncio
import time

from playwright.async_api import Page, expect

from tests.hub.pages.site import HubProcess, LoginDoor, ShippingHost
from tests.hub.pages.story import tell
from tests.web.console import RealBrowser

HOSTILE = '<img src=x onerror="window.pwned=1">'
PAGES = (
    "/", "/timeline?kind=all", "/search?q=img", "/sessions", "/questions", "/denials", "/overrides", "/witness",
    "/latency", "/bundles",
)  # fmt: skip


async def log_in(page: Page, site: HubProcess, token: str) -> None:
    await page.fill("#token", token)
    await page.keyboard.press("Enter")
    await expect(page.locator("h1")).to_have_text("Fleet")
    assert page.url == f"{site.address}/"


def test_a_person_looks_at_everything(site: HubProcess, browser: RealBrowser) -> None:
    hosts, token = tell(site), site.token()
    laptop, runner = hosts[0], hosts[1]

    async def scenario(page: Page) -> None:
        await page.fill("#token", "synhub_wrong")
        await page.keyboard.press("Enter")
        await expect(page.locator("[role=alert]")).to_contain_text("not known")
        await log_in(page, site, token)
        await expect(page.locator("tr[data-item]")).to_have_count(4)
        await expect(page.locator("tr[data-item]").first).to_contain_text("unknown key"), "trouble comes first"
        await page.click("a.behind")
        await expect(page.locator("tr[data-item]")).to_have_count(1)
        await expect(page.locator("tr[data-item]")).to_contain_text("12,3")

        await page.goto(f"{site.address}/timeline")
        await expect(page.locator("#live")).to_have_text("live")
        before = await page.locator("#rows .row").count()
        await asyncio.to_thread(runner.ships, {"kind": "deny", "by": "shell.loss", "tool": "Edit"}, {"kind": "none"})
        await expect(page.locator("#rows .row").first).to_contain_text("deny by shell.loss", timeout=10_000)
        assert await page.locator("#rows .row").count() == before + 1, "an event that nobody minded is not among them"
        await page.keyboard.press("d")
        await expect(page.locator("input[value=deny]")).to_be_checked()
        await page.goto(f"{site.address}/timeline?kind=all")
        await page.evaluate("scrollTo(0, document.body.scrollHeight)")
        await expect(page.locator("#rows .row").nth(100)).to_be_attached()

        await page.goto(f"{site.address}/search")
        await page.fill("[data-search]", "push force")
        await page.keyboard.press("Enter")
        await expect(page.locator("#rows .row").first).to_contain_text("git push --force")
        await page.locator("#rows .row a").first.click()
        await expect(page.locator(".chain li")).to_have_count(4)
        await page.click("article nav a.button")
        await expect(page.locator("#rows .row").first).to_be_visible()
        await page.goto(f"{site.address}/event/{runner.id}/26")
        await expect(page.locator("article")).to_contain_text("stays on its host")
        await expect(page.locator("article")).to_contain_text("synaptic explain 26")

        await page.goto(f"{site.address}/questions")
        await expect(page.locator(".question")).to_have_count(3)
        await expect(page.locator(".question").first).to_contain_text("git push --force origin main")
        await expect(page.locator(".question").first).to_contain_text(
            "synaptic inbox allow k0qmd --hub --host ada-s-laptop-1"
        )
        await expect(page.locator(".question").last).to_contain_text("takes no yes from outside")
        await asyncio.to_thread(laptop.asks)
        await expect(page.locator(".question")).to_have_count(2, timeout=15_000)

        for path, words in (
            ("/denials", "git.force-push"), ("/overrides", "used up"), ("/witness", "1 call did not go"),
            ("/latency", "./hooks/lint.sh"), ("/bundles", "No bundle is published"), ("/sessions", "5e550"),
            ("/sessions?denied=1", laptop.id),
        ):  # fmt: skip
            await page.goto(f"{site.address}{path}")
            await expect(page.locator("main")).to_contain_text(words)
        await page.click(".person summary")
        await page.click("text=Log out")
        await expect(page.locator("#token")).to_be_visible()
        await page.goto(f"{site.address}/timeline?kind=all")
        await expect(page.locator("#token")).to_be_visible()
        await page.fill("#token", token)
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"{site.address}/timeline?kind=all")

    browser.run(LoginDoor(site), scenario)


def test_texts_of_hosts_stay_texts(site: HubProcess, browser: RealBrowser) -> None:
    host, token, name = ShippingHost(site, HOSTILE), site.token(), f"{HOSTILE}\u202e\x1b[31m"
    texts = dict.fromkeys(
        ("agent", "event", "session", "agent_id", "tool", "project", "by", "code", "subject", "reason", "call"), name
    )
    from synaptic.hub.wire import HookRun, HostAgent, HostGrant

    host.ships({**texts, "kind": "deny", "runs": (HookRun(name, "deny", 9, name),), "grants": (name,)})
    host.says(version=name, bundle=name, bundle_trouble=name, contents=name, problems=(name,),
              witness={name: 5, "obeyed": 1},
              agents=(HostAgent(name, name, name, name, name, name),),
              grants=(HostGrant(id=name, at=time.time(), policy=name, scope=name, granted_by=name, project=name,
                                shown=name),))  # fmt: skip
    host.asks({}, {"policies": (name,), "shown": name, "reason": name, "agent": name, "code": name})

    async def scenario(page: Page) -> None:
        await log_in(page, site, token)
        for path in (*PAGES, f"/event/{host.id}/1"):
            answer = await page.goto(f"{site.address}{path}")
            assert answer is not None
            assert answer.status == 200, path
            assert await page.evaluate("window.pwned") is None, path
            assert "\u202e" not in await page.content(), path
        for path in ("/sessions", "/denials", "/timeline?kind=all"):
            await page.goto(f"{site.address}{path}")
            await page.locator("main td a, main .row a").first.click()
            await page.wait_for_load_state()
            assert await page.evaluate("window.pwned") is None

    browser.run(LoginDoor(site), scenario)


def test_a_hub_that_ends_lets_go_of_its_pages(database: str, browser: RealBrowser) -> None:
    site = HubProcess(database)
    host, token = ShippingHost(site, "one"), site.token()
    host.ships({"kind": "deny", "by": "a.b"})

    async def scenario(page: Page) -> None:
        await log_in(page, site, token)
        await page.goto(f"{site.address}/timeline")
        await expect(page.locator("#rows .row")).to_have_count(1)
        begun = time.monotonic()
        await asyncio.to_thread(site.stop)
        assert time.monotonic() - begun < 8, "a stream is no reason to stay"
        await expect(page.locator("#live")).to_have_attribute("data-state", "lost")

    browser.run(LoginDoor(site), scenario)
