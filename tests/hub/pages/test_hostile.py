"""Texts of hosts that want to be more than text, through every template that shows them."""

import time

from synaptic.hub.pages.event import describe_event
from synaptic.hub.pages.fleet_rows import KINDS, FleetNews, make_host, make_version_key
from synaptic.hub.pages.overrides import make_override
from synaptic.hub.pages.page import load_templates
from synaptic.hub.pages.questions import make_question
from synaptic.hub.pages.rows import make_row, read_code
from synaptic.hub.pages.sessions import make_session
from synaptic.hub.server.queries.events import EventRow, RunRow
from synaptic.hub.server.queries.hosts import HostRow
from synaptic.hub.server.queries.overrides import OverrideRow
from synaptic.hub.server.queries.questions import QuestionRow
from synaptic.hub.server.queries.sessions import SessionRow
from synaptic.hub.wire import HostAgent, HostQuestion, HostStatus
from synaptic.work.event_words import show_line
from tests.web.hostile import Skeleton, make_texts

COUNT = 10_000
EACH = 20
"""Texts in one page."""


def make_event(text: str) -> EventRow:
    return EventRow(
        host=text, seq=7, call=text, at=time.time(), agent=text, event=text, session=text, agent_id=text, tool=text,
        project=text, kind="deny", by=text, code=text, micros=3, size=2, exit=0, tool_use=text, quiet=1, subject=text,
        reason=text, runs=(RunRow(text, text, 5, text),), grants=(text,), place="p",
    )  # fmt: skip


def make_host_row(text: str) -> HostRow:
    status = HostStatus(
        version=text, bundle=text, bundle_trouble=text, contents=text, problems=(text,),
        agents=(HostAgent(text, text, text, text, text, text),),
    )  # fmt: skip
    return HostRow(id=text, name=text, seq=1, newest=9, is_managed=True, joined_at=1.0, seen_at=1.0, version=text,
                   bundle=text, status=status)  # fmt: skip


def render_all(texts: list[str]) -> dict[str, str]:
    get, now = load_templates().get_template, time.time()
    questions = [make_question(QuestionRow(host=text, question=HostQuestion(
        mark=text, code=text, at=now, policies=(text,), acts=text, tool=text, project=text, agent=text, shown=text,
        reason=text), person=text, says=text), now) for text in texts]  # fmt: skip
    overrides = [make_override(OverrideRow(host=text, id=text, at=now, policy=text, scope=text, granted_by=text,
                 uses=1, last_used=1.0, expires=0.0, revoked=0.0, project=text, shown=text), now)
                 for text in texts]  # fmt: skip
    sessions = [make_session(SessionRow(host=text, session=text, agent=text, project=text, first_at=1.0, last_at=2.0,
                first_seq=1, last_seq=2, events=3, refused=1)) for text in texts]  # fmt: skip
    hosts = [make_host(make_host_row(text), FleetNews(now, "99999999", texts[0])) for text in texts]
    shared = {
        "pages": (),
        "browser": type("Nobody", (), {"form_token": "", "name": show_line(texts[0]), "role": "reader"}),
        "hub": "acme",
        "page": "",
    }
    rows = [
        load_templates().get_template("parts/hub_row.html").render(row=make_row(make_event(text))) for text in texts
    ]
    return {
        "rows": "".join(rows),
        "event": get("event.html").render(**shared, **describe_event(make_event(texts[0]))),
        "questions": get("parts/hub_questions.html").render(questions=questions, held=1, is_cut=False, command="x"),
        "overrides": get("overrides.html").render(**shared, overrides=overrides, most=9, days="7", spans={"7": "x"},
                                                  wanted=type("Wanted", (), {"q": show_line(texts[0]), "host": ""})),
        "sessions": get("parts/hub_sessions.html").render(sessions=sessions,
                                                           further=show_line(texts[0]), address="a=b"),
        "hosts": get("parts/hub_hosts.html").render(hosts=hosts, all=9, kinds=KINDS, only="",
                                                    q=show_line(texts[0]),
                                                    agents=1, more=0,
                                                    counts=dict.fromkeys(KINDS, 1), is_cut=False,
                                                    news=FleetNews(now, texts[0], "")),
        "login": get("login.html").render(**shared, wanted=show_line(texts[0]), trouble=show_line(texts[0])),
    }  # fmt: skip


def test_ten_thousand_hostile_texts_change_no_element_and_no_link() -> None:
    plain = {name: Skeleton(html) for name, html in render_all(["text"] * EACH).items()}
    texts = list(make_texts(COUNT))
    for first in range(0, COUNT, EACH):
        for name, html in render_all(texts[first : first + EACH]).items():
            found = Skeleton(html)
            assert found.names <= plain[name].names, (name, first)
            for link in found.links - plain[name].links:
                assert link.startswith(("/", "?")) and not link.startswith("//"), (name, link)
            assert not any(sign in html for sign in ("\u202e", "\x1b", "\x00", "\u200b", "\ud800")), (name, first)


def test_no_command_to_copy_has_words_of_a_host_in_it() -> None:
    for code in ("x; rm -rf ~", "k7qmd\nrm", "$(id)", "K7QMD", "k7qmd ", "", "--help", "k" * 99, "k7ｑmd"):
        pages = render_all([code or "-"] * EACH)
        asked = HostQuestion(mark="m", code=code, at=0.0, policies=(), acts="")
        assert make_question(QuestionRow(host="h", question=asked), 0.0).code == ""
        assert f"synaptic allow {code}" not in pages["event"] + pages["questions"]
    assert read_code("k7qmd") == "k7qmd"


def test_versions_are_compared_as_numbers() -> None:
    given = ["1.10.0", "1.9.3", "1.10.0rc1", "", "2.0", "garbage \x1b", "1" * 400, "1.2.3.4.5"]
    ordered = sorted(given[:5], key=make_version_key)
    assert ordered == ["", "1.9.3", "1.10.0rc1", "1.10.0", "2.0"]
    assert max(given, key=make_version_key)
