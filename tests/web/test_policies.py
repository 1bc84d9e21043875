"""Policies in a real browser: what they did, how they are set, and a switch that only a person can turn."""

import time
from urllib.parse import quote

from playwright.async_api import Page, expect
from starlette.requests import Request

from synaptic.store.db import Store
from synaptic.store.hook_counts import count_journal
from synaptic.store.hook_days import DayCount
from synaptic.store.pin import write_pin
from synaptic.store.reader import JournalReader
from synaptic.web.catalogs import ConsoleCatalogs
from synaptic.web.pages.policies import ProjectChoice, read_root
from synaptic.web.policy_counts import read_counts
from synaptic.web.policy_details import PLOT_DAYS, Piece, describe_policy, plot_days, split_code, split_doc
from synaptic.web.policy_list import list_policies
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

OWN = '''
from synaptic.sdk import Facts, PreToolUse, Verdict, deny, policy

@policy("acme.no-deploys", events=(PreToolUse,), tools=("Bash",), priority=30)
def no_deploys(event: PreToolUse, facts: Facts) -> Verdict | None:
    """Deployments that nobody asked for.

    ## Why
    They cannot be taken back.
    """
    return None
'''


async def reload_until(page: Page, selector: str, text: str) -> None:
    """Counts are kept for some seconds: look again until they are those of now."""
    for _ in range(10):
        if text in await page.locator(selector).first.inner_text():
            return
        await page.wait_for_timeout(1000)
        await page.reload()
    raise AssertionError(await page.locator(selector).first.inner_text())


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
        await reload_until(page, "tr:has(a[href='/policy/git.reset-hard'])", "2")
        await expect(row.locator("td").nth(2)).to_have_text("2")
        await expect(page.locator("tr", has_text="npm.publish")).to_contain_text("enforced")
        await page.keyboard.press("f")
        await expect(page.locator("tr", has_text="git.checkout")).to_have_count(0)
        await page.keyboard.press("j")
        await page.keyboard.press("Enter")
        await expect(page.locator(".figures")).to_be_visible()
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
        await page.locator("button[value=advise]").evaluate("one => { one.value = 'none of them'; }")
        await page.keyboard.press("v")
        await page.wait_for_timeout(300)
        assert await page.locator("#mode .trouble").count() == 0  # a key alone switches nothing
        await page.keyboard.press("Enter")
        await expect(page.locator("#mode .trouble")).to_contain_text("no such mode")
        await page.wait_for_timeout(200)  # until the new form is known to the program in the page
        await page.keyboard.press("v")
        await page.keyboard.press("Enter")
        await expect(page.locator("#mode .trouble")).to_contain_text("PIN is needed")
        await page.wait_for_timeout(200)
        assert "advise" not in running.home.config.read_text()
        await page.locator("input[name=pin]").fill("1")
        await page.keyboard.press("Enter")
        await expect(page.locator("#mode .trouble")).to_contain_text("not the PIN")
        await page.wait_for_timeout(200)
        await page.locator("input[name=pin]").fill("4711")
        await page.keyboard.press("Enter")
        await expect(page.locator("#mode .state")).to_have_text("advises")
        await page.wait_for_timeout(200)
        assert 'mode = "advise"' in running.home.config.read_text()
        await page.keyboard.press("e")
        await page.keyboard.press("Enter")
        await expect(page.locator("#mode .state")).to_have_text("enforced")

    browser.run(console, scenario)


def test_hostile_texts_are_only_text(console: WebConsole, browser: RealBrowser, running: Setting) -> None:
    words = "</td><script>alert(1)</script>{{ 7 * 7 }} `<img src=x onerror=alert(1)>` "
    running.config(f'[[rule]]\nid = "a.b"\nrun = "x"\nthen = "deny"\nsay = "{words * 20}"\n')
    odd = running.project.parent / "<b onclick=x>'\"\u202eproject"
    odd.mkdir()
    store = Store.open(running.home)
    put = "INSERT INTO hook_counts VALUES (?, ?, ?, 1, 1, 1, 1, ?)"
    day = int(time.time() // 86400)
    store.write(lambda one: one.execute(put, (str(odd), "<script>alert(2)</script>", day, time.time())))
    store.close()

    async def scenario(page: Page) -> None:
        await page.goto(f"{console.address}/policies")
        await reload_until(page, "main", "everywhere")
        for address in ("/policies", f"/policies?project={quote(str(odd))}&show=all", "/policy/a.b", "/health"):
            await page.goto(f"{console.address}{address}")
            await expect(page.locator("h1")).not_to_have_text("This page cannot be shown")
            assert await page.locator("main script, main img, b[onclick]").count() == 0
            assert "\u202e" not in await page.inner_text("main")
        await page.goto(f"{console.address}/policy/{quote('<script>alert(2)</script>')}")
        await expect(page.locator(".trouble")).to_contain_text("no such policy")
        await page.goto(f"{console.address}/policies?project=/etc&show=%3Cb%3E&grep=%00")
        await expect(page.locator("select")).to_have_value("")

    browser.run(console, scenario)


def test_an_address_names_only_projects_that_are_known(setting: Setting) -> None:
    choices = (ProjectChoice("/home/u/shop", "shop"),)
    for given, root in (("/home/u/shop", "/home/u/shop"), ("/etc", ""), ("", "")):
        request = Request({"type": "http", "query_string": f"project={given}".encode(), "headers": []})
        assert read_root(request, choices) == root


def test_a_text_is_split_into_its_sections_and_code() -> None:
    first, second = split_doc("About `x`.\n\n## Why\nBecause\nof `y`.\n\nMore.")
    assert first == ("", ((Piece("About ", False), Piece("x", True), Piece(".", False)),))
    assert second.title == "Why" and len(second.paragraphs) == 2
    assert second.paragraphs[0][1] == Piece("y", True)
    assert split_doc("") == () and split_code("") == ()


def test_days_are_drawn_with_what_a_shadow_would_have_said() -> None:
    quiet = (DayCount(),) * (PLOT_DAYS - 1)
    days = {"x": (*quiet, DayCount(9, 3, 0)), "x (would deny)": (*quiet, DayCount(1, 1, 0))}
    plot = plot_days(days, "x")
    assert (plot[-1].spoke, plot[-1].would, plot[-1].height, plot[-1].shadow) == (3, {"deny": 1}, 45.0, 15.0)
    assert all(day.height == 0 for day in plot[:-1])
    assert plot_days({}, "x")[-1].spoke == 0


def test_figures_of_a_policy_come_from_what_is_counted(setting: Setting) -> None:
    fill(setting)
    reader = JournalReader.open(setting.home)
    counts = read_counts(reader)
    seen = counts.describe("git.reset-hard")
    assert (seen.denied, seen.spoke, seen.advised, seen.failures) == (2, 2, 0, 0) and seen.has_fired
    assert seen.p50 and seen.p99 and seen.p50 <= seen.p99
    assert counts.list_days("git.reset-hard")[-1].spoke == 2
    assert not counts.describe("no.such").has_fired
    assert counts.roots == (str(setting.project),)
    listed = {one.id: one for one in list_policies(ConsoleCatalogs(setting.home, reader).get(), counts)}
    assert (listed["npm.publish"].group, listed["npm.publish"].figures.denied) == ("rules", 1)
    assert listed["practice.track"].standing == "off"
    reader.close()


def test_policies_of_ones_own_are_told_as_they_were_asked_last(setting: Setting) -> None:
    folder = setting.home.root / "policies"
    folder.mkdir()
    (folder / "acme.py").write_text(OWN)
    record(setting)
    started = find_workers(setting)
    reader = JournalReader.open(setting.home)
    catalog = ConsoleCatalogs(setting.home, reader).get(str(setting.project))
    (own,) = (one for one in list_policies(catalog, read_counts(reader)) if one.group == "your own")
    assert (own.id, own.standing, own.about) == ("acme.no-deploys", "enforce", "Deployments that nobody asked for.")
    details = describe_policy(catalog, own.id)
    assert details.modes == () and "config.toml" in details.hint
    assert [section.title for section in details.sections] == ["", "Why"]
    assert find_workers(setting) == started
    reader.close()


def find_workers(setting: Setting) -> list[str]:
    """Files that a worker of a policy would leave or change."""
    return sorted(str(path) for path in (setting.home.run).rglob("*.json"))
