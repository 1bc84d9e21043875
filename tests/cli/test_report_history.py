"""`synaptic report --since`: what happened, for a terminal, as Markdown, as a page and as JSON."""

import json
import random
import time
from html.parser import HTMLParser

import pytest

from synaptic.cli.report_html import draw_bars, escape_html
from synaptic.cli.report_text import escape_markdown
from synaptic.model.decision import Decision, Kind, TraceStep
from synaptic.store import journal
from synaptic.store.db import Store
from synaptic.work.history_report import HistoryRow
from tests.cli.conftest import User
from tests.store.conftest import make_record

HOSTILE = "<script src=http://x/y>|`\"'\x1b[31m\u202e</td></style>![a](http://b)&amp;\n## x"


def keep(user: User, **changes) -> None:
    now = time.time()
    slow = (TraceStep(hook="demo:lint.sh", micros=250_000),)
    kinds = [Decision(kind=kind, by="git.force-push", reason="r") for kind in (Kind.DENY, Kind.ASK, Kind.REWRITE)]
    records = [
        make_record(**{"at": now - 60, "root": "/p/shop", "decision": decision, "session": f"s{n}", **changes})
        for n, decision in enumerate([Decision(trace=slow), *kinds])
    ]
    old = make_record(at=now - 20 * 86_400, root="/p/old", agent="codex")
    store = Store.open(user.home)
    journal.append_records(store, [old, *records])
    store.close()


def test_what_happened_is_counted_per_project_agent_policy_and_day(user: User):
    keep(user)
    found = user.types("report", "--since", "7d", "--json").json["history"]
    counts = {"events": 4, "calls": 4, "denied": 1, "asked": 1, "rewritten": 1}
    assert found["projects"] == [{"name": "/p/shop", **counts}]
    assert found["agents"] == [{"name": "claude", **counts}]
    assert found["policies"] == [{"name": "git.force-push", **counts, "events": 3, "calls": 0}]
    assert sum(day["events"] for day in found["days"]) == 4
    (hook,) = found["hooks"]
    assert (hook["name"], hook["calls"], hook["p50"], hook["total"]) == ("demo:lint.sh", 1, 255.0, 250.0)
    assert (found["own"]["calls"], found["own"]["p50"], found["own_seconds"]) == (4, 0.215, 0.001)
    assert [one["name"] for one in user.types("report", "--since", "30d", "--json").json["history"]["projects"]] == [
        "/p/shop",
        "/p/old",
    ]


def test_a_person_reads_tables(user: User):
    keep(user)
    shown = user.types("report", "--since", "7d").out
    assert "PROJECT" in shown
    assert "git.force-push" in shown
    assert "250 ms" in shown
    assert "Agents waited" in shown
    assert all(len(line) <= 110 for line in shown.splitlines())
    assert user.types("report", "--since", "never").code == 2


def test_an_empty_journal_is_a_report_of_nothing(user: User):
    Store.open(user.home).close()
    for words in ((), ("--md",), ("--html",), ("--json",)):
        shown = user.types("report", "--since", "7d", *words)
        assert shown.code == 0, shown.err
        assert shown.out


@pytest.mark.parametrize("two", [("--md", "--html"), ("--md", "--json"), ("--html", "--github")])
def test_two_forms_at_once_are_refused(user: User, two: tuple[str, str]):
    assert user.types("report", *two).code == 2


class Page(HTMLParser):
    """What is in a page: its tags, and everything that would be asked for from elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


KNOWN_TAGS = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "span", "svg", "rect", "text", "table"}
KNOWN_TAGS |= {"thead", "tbody", "tr", "th", "td"}


def test_a_page_needs_nothing_else_and_no_text_is_markup_in_it(user: User):
    payload = json.dumps({"tool_name": "Bash", "tool_input": {"command": HOSTILE}})
    keep(user, root=f"/p/{HOSTILE}", agent=HOSTILE, payload=payload)
    text = user.types("report", "--since", "7d", "--html").out
    page = Page(text)
    assert page.tags <= KNOWN_TAGS
    assert not page.attributes & {"src", "href", "onload", "style", "onclick"}
    assert "default-src 'none'" in text
    assert "url(" not in text
    assert "@import" not in text
    assert "color-scheme:light dark" in text
    assert not any(letter in text for letter in "\x1b\u202e")


def test_no_text_is_markup_in_markdown(user: User):
    keep(user, root=f"/p/{HOSTILE}", agent=HOSTILE)
    text = user.types("report", "--since", "7d", "--md").out
    rows = [line for line in text.splitlines() if "script" in line]
    assert rows
    assert not any(
        "<script" in row or "](http" in row.replace("\\]", "") or "`" in row.replace("\\`", "") for row in rows
    )
    assert len([line for line in text.splitlines() if line.startswith("## ")]) == 5


def test_secrets_are_in_no_report(user: User):
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    keep(user, payload=json.dumps({"tool_name": "Bash", "tool_input": {"command": f"push {token}"}}))
    for form in ("--md", "--html", "--json"):
        assert token not in user.types("report", "--since", "7d", form).out


def test_ten_thousand_hostile_texts_stay_text():
    chance, signs = random.Random(20), "<>&\"'`|*_[]()!\\/:@#=~-\x00\x07\x1b\x7f\x85\u2028\u202e\ud800 ab\n"
    for _ in range(10_000):
        text = "".join(chance.choices(signs, k=chance.randrange(1, 30)))
        page = Page(f"<td>{escape_html(text)}</td>")
        assert page.tags == {"td"}
        assert not set(escape_html(text)) & set("<>\"'\x00\x1b\u202e")
        cell = escape_markdown(text)
        assert not set(cell) & set("<>\n\x00\x1b\u202e")
        assert "|" not in cell.replace("\\\\", "").replace("\\|", "")


def test_bars_stay_within_the_drawing():
    days = [HistoryRow(name=f"d{n}", events=n * n, denied=n) for n in range(400)]
    for fields in ((("events", "d"),), (("asked", "b"), ("denied", "a"))):
        drawn = draw_bars(days, fields)
        assert drawn.count("<rect") == 399
        assert "nan" not in drawn
        assert "-" not in drawn.replace("text-anchor", "").replace("aria-label", "")
