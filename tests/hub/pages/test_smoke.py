from tests.hub.pages.story import tell

PAGES = (
    "/",
    "/timeline",
    "/search",
    "/search?q=git",
    "/sessions",
    "/questions",
    "/denials",
    "/overrides",
    "/witness",
    "/latency",
    "/bundles",
    "/timeline?kind=all",
    "/fleet/hosts",
    "/questions/list",
    "/overrides?days=90",
    "/denials?days=30",
)


def test_all(site):
    cookie = site.log_in()
    for path in PAGES:
        r = site.ask(path, Cookie=cookie, Accept="text/html")
        assert r.status == 200, (path, r.text[-2000:], site.stop()[-3000:])
    tell(site)
    for path in PAGES:
        r = site.ask(path, Cookie=cookie, Accept="text/html")
        assert r.status == 200, (path, r.text[-2000:], site.stop()[-3000:])
