"""The page of one event: its chain, its counterfactual switches, and texts that want to be more than text."""

import json
import unicodedata

from playwright.async_api import Page, expect

from synaptic.model.call import Answer
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.model.presets import PRESETS
from synaptic.store.db import Store
from synaptic.store.entries import read_last_entries
from synaptic.store.journal import append_records
from synaptic.store.reader import JournalReader
from synaptic.store.record import EventRecord
from synaptic.store.session_list import WantedSessions, list_sessions_before
from synaptic.web.door import Browser
from synaptic.web.events import describe_event
from synaptic.web.page import PAGES, load_templates, render_part
from synaptic.web.pages.session import list_moments
from synaptic.web.pages.sessions import describe_page
from synaptic.web.rows import make_row
from synaptic.web.saved import render_saved_session
from synaptic.web.track import draw_track
from synaptic.work.session_outline import read_outline
from tests.daemon.setting import Setting
from tests.web.console import RealBrowser, WebConsole
from tests.web.hostile import Skeleton, make_texts
from tests.web.story import SESSION, play_story

STRINGS, FIELDS = 10_000, 16
OWN_LINKS = ("/inbox", "/standing",
    "/event/", "/session/", "/sessions", "/moments/", "/timeline", "/static/", "/policies", "/fleet", "/health",
    "?at=", "#main", "/link",
)  # fmt: skip


def make_hostile_record(texts: list[str], session: str, number: int) -> EventRecord:
    """An event in which every text is one of these, by turns a prompt, a command and an edit."""
    command, path, prompt, tool, agent, subagent, hook, reason, note, source, stderr, told, by, key, root, answer = (
        texts
    )
    kind = (Kind.DENY, Kind.REWRITE, Kind.ASK, Kind.NONE)[number % 4]
    edit = {"file_path": path, "old_string": command, "new_string": prompt, key: told}
    payload = (
        {"prompt": prompt},
        {"tool_name": tool, "tool_input": {"command": command, key: path}},
        {"tool_input": edit},
    )
    event = "UserPromptSubmit" if number % 3 == 0 else "PreToolUse"
    steps = (
        TraceStep(
            hook=hook, kind=kind, priority=number, reason=reason, note=note, source=source, stderr=stderr, micros=90
        ),
        TraceStep(hook=by, fault="crash", reason=told),
        TraceStep(hook="policies", phase="quiet", note=f"{hook} {note}"),
    )
    decision = Decision(
        kind=kind, by=by, reason=reason, trace=steps, context=(told,), messages=(note,), warnings=(stderr,),
        code=key[:8], input={"command": prompt, key: path} if kind is Kind.REWRITE else None,
        grants=(source,) if number % 5 == 0 else (),
    )  # fmt: skip
    sent = json.dumps({**payload[number % 3], "tool_use_id": key, "agent_type": told}).encode()
    return EventRecord(
        call=f"{session}-{number}", at=1.7e9 + number, agent=agent, event=event, session=session, agent_id=subagent,
        tool=tool, root=root, payload=sent, decision=decision, micros=5,
        answer=Answer(answer.encode("utf-8", "replace"), b"", 2),
    )  # fmt: skip


def write_records(setting: Setting, texts: list[str], session: str) -> None:
    store = Store.open(setting.home)
    try:
        groups = [texts[start : start + FIELDS] for start in range(0, len(texts) - FIELDS + 1, FIELDS)]
        records = [make_hostile_record(group, session, number) for number, group in enumerate(groups)]
        append_records(store, records)
    finally:
        store.close()


def render(template: str, **values: object) -> str:
    common = {
        "pages": PAGES,
        "page": "sessions",
        "browser": Browser("cookie", "token"),
        "path": "/",
        "presets": PRESETS,
    }
    return load_templates().get_template(template).render(**common, **values)


def render_everything(setting: Setting, session: str) -> list[str]:
    """Every page and part of these pages, about every event of a session."""
    reader = JournalReader.open(setting.home)
    try:
        entries = [one for one in read_last_entries(reader, 2000) if one.session == session]
        pages = [render("event.html", **describe_event(reader, one)) for one in entries]
        pages += [render_part("parts/row.html", row=make_row(one)) for one in entries]
        outline = read_outline(reader, session)
        found = describe_page(
            WantedSessions(project='"><b>', agent="<i>"), list_sessions_before(reader, WantedSessions(), 9, 2**62)
        )
        for place in range(0, len(outline.moments), 40):
            listed = list_moments(reader, outline, place)
            pages.append(render("parts/moment_list.html", listed=listed, outline=outline, place=place, session=session))
        pages.append(render("parts/track.html", track=draw_track(outline, ())))
        pages.append(render("sessions.html", **found))
        return [*pages, render_saved_session(reader, session, {})]
    finally:
        reader.close()


def test_no_text_of_an_agent_becomes_markup(setting: Setting) -> None:
    plain = [f"text-{number}" for number in range(60 * FIELDS)]
    write_records(setting, plain, "plain")
    write_records(setting, list(make_texts(STRINGS)), "hostile\"'><script>&")
    own: set[tuple[str, ...]] = {("span",), ("span", "class"), ("del",), ("ins",)}
    for page in render_everything(setting, "plain"):
        own |= Skeleton(page).names
    pages = render_everything(setting, "hostile\"'><script>&")
    assert len(pages) > STRINGS // FIELDS
    for page in pages:
        found = Skeleton(page)
        assert not found.names - own
        assert all(link == "/" or link.startswith(OWN_LINKS) for link in found.links), found.links
        hidden = {
            letter for text in found.texts for letter in text if unicodedata.category(letter) in ("Cf", "Cs", "Cc")
        }
        assert hidden <= {"\n", "\t"}, hidden


def test_the_chain_is_read_and_switched_by_keyboard(
    console: WebConsole, browser: RealBrowser, running: Setting
) -> None:
    play_story(running)
    rewritten = next(
        one.id for one in running.entries() if one.decision.kind is Kind.REWRITE and one.session == SESSION
    )

    async def scenario(page: Page) -> None:
        await page.goto(f"{console.address}/event/{rewritten}")
        await expect(page.locator(".verdict").first).to_contain_text("rewrite by git.force-push")
        await expect(page.locator(".chain .diff ins")).to_have_text("-with-lease")
        await expect(page.locator(".chain .sees")).to_have_text("saw it as it was sent")
        await page.keyboard.press("o")
        await expect(page.locator("#otherwise")).to_contain_text("It would be let through")
        await expect(page.locator("#otherwise")).to_contain_text("Exact")
        await page.fill("input[name=set]", "git.force-push.nonsense=1")
        await page.keyboard.press("Enter")
        await expect(page.locator("#otherwise .trouble")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.locator(".near")).to_contain_text("PostToolUse")
        await page.keyboard.press("h")
        await expect(page.locator(".verdict").first).to_contain_text("deny by git.reset-hard")
        await page.keyboard.press("s")
        await expect(page.locator("#moment")).to_contain_text("git reset --hard")

    browser.run(console, scenario)
