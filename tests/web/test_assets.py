"""What is sent to a browser besides pages."""

import hashlib
import re
from importlib.resources import files

from synaptic.web.assets import load_assets, make_address
from tests.web.asking import ask, enter
from tests.web.console import WebConsole

STATIC = files("synaptic.web") / "static"
WIRE_BYTES = 60_000


def test_programs_of_others_are_as_their_authors_built_them() -> None:
    rows = re.findall(r"^\| (\S+) \| .* \| ([0-9a-f]{64}) \|$", (STATIC / "vendor/README.md").read_text(), re.MULTILINE)
    named = {name for name, _ in rows}
    assert named == {file.name for file in (STATIC / "vendor").iterdir() if file.name.endswith((".js", ".css"))}
    for name, digest in rows:
        assert hashlib.sha256((STATIC / "vendor" / name).read_bytes()).hexdigest() == digest, name


def test_everything_together_is_small() -> None:
    """Of all pages together; each page names only its own."""
    assert sum(len(asset.packed) for asset in load_assets().values()) < WIRE_BYTES


def test_no_file_of_ours_names_another_host() -> None:
    for file in (*STATIC.iterdir(), *_iter_templates()):
        if file.is_file() and file.name != "icon.svg":
            assert not re.search(r"https?://(?!127\.0\.0\.1)", file.read_text()), file


def test_templates_need_no_exception_from_the_policy() -> None:
    for file in _iter_templates():
        text = file.read_text()
        assert not re.search(r"\sstyle=|<style|\son\w+=|hx-on|javascript:|\|\s*safe|<script(?![^>]* src=)", text), file


def test_a_file_is_kept_by_the_browser_until_it_changes(console: WebConsole) -> None:
    cookie = enter(console)
    address = make_address("console.css")
    reply = ask(console, address, Cookie=cookie)
    assert reply.status == 200
    assert "immutable" in reply.headers["cache-control"]
    assert reply.headers["content-type"].startswith("text/css")
    assert ask(console, "/static/missing.css", Cookie=cookie).status == 404
    assert ask(console, "/static/vendor/README.md", Cookie=cookie).status == 404
    assert ask(console, "/static/%2e%2e/door.py", Cookie=cookie).status == 404


def _iter_templates():
    folder = files("synaptic.web") / "templates"
    # A page that is saved as one file has its style in itself, and a policy of its own.
    yield from (file for file in folder.iterdir() if file.name.endswith(".html") and file.name != "saved.html")
    yield from (file for file in (folder / "parts").iterdir() if file.name.endswith(".html"))
