"""Who gets in: by a token, with a cookie of this hub, from a page of this hub, under a name of this hub."""

import time

import pytest

from synaptic.hub.pages.door import WRONG_SECONDS, PageDoor, PageOptions, strip_port
from synaptic.hub.pages.guarded import clean_address
from synaptic.hub.server.desk import ask_database
from synaptic.hub.server.secrets import FoundToken, revoke_token
from synaptic.hub.server.serve import HubListen, HubSettings, make_page_options
from synaptic.hub.wire import API
from tests.hub.pages.site import HubProcess

PAGES = (
    "/", "/timeline", "/timeline/older", "/timeline/stream", "/search?q=x", "/sessions", "/session/a/b", "/event/a/1",
    "/questions", "/questions/list", "/denials", "/overrides", "/witness", "/latency", "/bundles", "/fleet/hosts",
    "/nothing",
)  # fmt: skip


def test_nobody_sees_a_page_without_a_token(site: HubProcess) -> None:
    for path in PAGES:
        for headers in ({}, {"Cookie": "synaptic_hub=x"}, {"Cookie": "synaptic_hub="}, {"Authorization": "Bearer x"}):
            reply = site.ask(path, **headers)
            assert reply.status == 401, path
            assert "<" not in reply.text
        shown = site.ask(path, Accept="text/html")
        assert shown.status == 303
        assert shown.headers["location"].startswith("/login")
    assert site.ask("/login").status == 200
    token = site.token()
    assert site.ask("/", Authorization=f"Bearer {token}").status == 401, "a page takes no token but in its form"
    cookie = site.log_in(token)
    assert site.ask(f"{API}/hosts", Cookie=cookie).status == 401, "what programs ask takes no cookie"
    assert site.ask("/", Cookie=cookie).status == 200


def test_the_cookie_is_for_this_hub_alone_and_pages_are_kept_nowhere(site: HubProcess) -> None:
    token = site.token()
    reply = site.ask("/login", "POST", f"token={token}&next=/timeline%3Fkind%3Dall", Origin=site.address)
    given = reply.headers["set-cookie"].lower()
    assert reply.headers["location"] == "/timeline?kind=all"
    for word in ("httponly", "samesite=strict", "path=/", "max-age=43200"):
        assert word in given
    assert token not in given
    page = site.ask("/", Cookie=reply.headers["set-cookie"].partition(";")[0])
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["content-security-policy"].startswith("default-src 'self'")
    assert page.headers["x-frame-options"] == "DENY"
    assert "<script>" not in page.text
    secure = PageDoor(PageOptions(names=("hub.example",), is_secure=True))
    assert secure.cookie_name.startswith("__Host-"), "which browsers keep only when it is Secure"


def test_other_names_and_other_pages_get_nothing(site: HubProcess) -> None:
    cookie = site.log_in()
    for headers in (
        {"Host": "hub.evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": ""},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        reply = site.ask("/timeline", Cookie=cookie, **headers)
        assert reply.status == 403, headers
        assert "Timeline" not in reply.text
    pressed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    knock = site.ask("/timeline?kind=all&q=%22%3E%3Cscript%3E", **pressed)
    assert knock.status == 200
    assert 'href="/timeline?kind=all&amp;q=%22%3E%3Cscript%3E"' in knock.text, "a link of another page leads to a door"
    for origin in ({}, {"Origin": "null"}, {"Origin": "https://evil.example"}):
        assert site.ask("/login", "POST", f"token={site.token()}", **origin).status == 403


def test_what_changes_something_needs_the_word_of_a_page(site: HubProcess) -> None:
    cookie = site.log_in()
    page = site.ask("/", Cookie=cookie).text
    word = page.partition('"X-Synaptic-Form": "')[2].partition('"')[0]
    assert len(word) > 30
    own = {"Cookie": cookie, "Origin": site.address, "Content-Length": "0"}
    for given in (
        {},
        {"X-Synaptic-Form": ""},
        {"X-Synaptic-Form": "x" * 43},
        {"X-Synaptic-Form": word, "Origin": "null"},
    ):
        assert site.ask("/logout", "POST", **{**own, **given}).status == 403
    assert site.ask("/", Cookie=cookie).status == 200
    assert site.ask("/logout", "GET", Cookie=cookie).status == 405
    done = site.ask("/logout", "POST", **own, X_Synaptic_Form=word)
    assert (done.status, done.headers["hx-redirect"]) == (200, "/login")
    assert site.ask("/", Cookie=cookie).status == 401
    assert site.ask("/login", "POST", "token=" + "x" * 100_000, Origin=site.address).status == 413


def test_wrong_tokens_take_their_time_and_right_ones_do_not(site: HubProcess) -> None:
    for wrong in ("", "x", "synhub_" + "x" * 43, "synhub_%00%ff", "%ED%A0%80"):
        begun = time.monotonic()
        reply = site.ask("/login", "POST", f"token={wrong}", Origin=site.address)
        assert reply.status == 403
        assert "not known" in reply.text
        assert time.monotonic() - begun >= WRONG_SECONDS
        assert "set-cookie" not in reply.headers


def test_a_token_that_is_revoked_shuts_its_browsers_out(site: HubProcess) -> None:
    cookie = site.log_in()
    assert site.ask("/", Cookie=cookie).status == 200
    ask_database(site.database, lambda connection: revoke_token(connection, "ada1"))
    until = time.monotonic() + 30
    while site.ask("/", Cookie=cookie).status == 200:
        assert time.monotonic() < until
        time.sleep(0.5)
    assert site.ask("/", Cookie=cookie).status == 401


def test_no_token_and_no_cookie_is_in_the_log(site: HubProcess) -> None:
    token = site.token()
    cookie = site.log_in(token)
    site.ask(f"/timeline?q={token}", Cookie=cookie)
    site.ask("/timeline?kind=nonsense", Cookie=cookie)
    site.ask("/event/x/99", Cookie=cookie)
    said = site.stop()
    assert token not in said
    assert cookie.partition("=")[2] not in said


def test_browsers_are_bounded_and_leave_after_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    door = PageDoor(PageOptions(names=("localhost",)))
    browsers = [door.enter(FoundToken(1, "ada", "reader")) for _ in range(1100)]
    assert door.find(browsers[0].cookie) is None
    assert door.find(browsers[-1].cookie) is browsers[-1]
    later = time.monotonic() + 12 * 3600 + 1
    monkeypatch.setattr("synaptic.hub.pages.door.time.monotonic", lambda: later)
    assert door.find(browsers[-1].cookie) is None


@pytest.mark.parametrize(
    "text", ["//evil.example", "/\\evil.example", "https://evil.example", "", "x", "/a\r\nb", "/é", "/" * 3000]
)
def test_after_the_login_nobody_is_led_elsewhere(text: str) -> None:
    assert clean_address(text) == "/"


def test_odd_addresses_are_answered(site: HubProcess) -> None:
    cookie = site.log_in()
    odd = ("%00", "%ff%fe", "%2e%2e", "x" * 3000, "'; DROP TABLE events; --", "%25s", "{0}", "é", "-1", "9" * 30)
    for text in odd:
        for path in ("/event/a/{}", "/event/{}/1", "/session/a/{}", "/session/{}/b/older", "/timeline?before={}",
                     "/timeline?q={0}&host={0}&kind=all", "/sessions?before={}", "/search?q={}",
                     "/denials?host={0}&days={0}",
                     "/timeline?kind={}", "/overrides?q={}", "/latency?days={}",
                     "/?only={0}&q={0}", "/static/{}"):  # fmt: skip
            reply = site.ask(path.format(text), Cookie=cookie, Accept="text/html")
            assert reply.status in (200, 400, 404), (path, text, reply.status)
    assert site.ask("/timeline/stream?after=x.y", Cookie="synaptic_hub=no").status == 401


def test_names_of_a_hub() -> None:
    assert strip_port("Hub.Example:7480") == "hub.example"
    assert strip_port("[::1]:80") == strip_port("[::1]") == "[::1]"
    settings = HubSettings(database="", name="acme")
    found = make_page_options(settings, HubListen(host="0.0.0.0", is_behind_proxy=True, names=("Hub.Example",)))
    assert found.is_secure
    assert "hub.example" in found.names
    assert not make_page_options(settings, HubListen()).is_secure
    assert "evil.example" not in found.names
