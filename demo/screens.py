"""`make screens`: pictures of the console's pages, by a real browser, of an evening that is told anew each time."""

import argparse
import asyncio
import os
import subprocess  # noqa: TID251  a picture shows a real installation
import sys
import tempfile
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from playwright.async_api import Page
from tests.web.console import DESK, PHONE, RealBrowser, WebConsole, find_chromium

from demo.evening import ANNA, SHOP, tell_evening
from synaptic.model.decision import Kind
from synaptic.model.home import Home
from synaptic.store.db import Store
from synaptic.store.journal_filter import JournalFilter, read_matching_entries

PICTURES = {
    "now": "/",
    "timeline": "/timeline",
    "session": f"/session/{ANNA.session}",
    "event": "/event/{denied}",
    "policies": "/policies",
    "health": "/health",
}
"""Each page light, and some of them dark and on a telephone."""
IN_THE_DARK = ("now", "timeline", "session")
ON_PHONES = ("now",)
SETTLE_MILLIS = 700


def main() -> int:
    """Write the pictures."""
    parser = argparse.ArgumentParser(prog="python -m demo.screens", description=__doc__)
    parser.add_argument("--save", type=Path, required=True, help="the folder for the pictures")
    parser.add_argument("--only", action="append", choices=tuple(PICTURES), help="this page; may be given again")
    options = parser.parse_args()
    options.save.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="evening-") as name:
        take_pictures(Path(name), options.save, options.only or list(PICTURES))
    return 0


def take_pictures(folder: Path, target: Path, names: list[str]) -> None:
    """Tell the evening, open the console, look at every page."""
    home = Home(folder / "you" / ".synaptic")
    _set_up(folder / "you")
    asyncio.run(tell_evening(home, folder / "you" / "src"))
    pages = {name: path.format(denied=find_denied(home)) for name, path in PICTURES.items()}
    browser = RealBrowser(find_chromium())
    place = SimpleNamespace(user=folder / "you", project=folder / "you" / "src" / SHOP)
    try:
        for size, is_dark in ((DESK, False), (DESK, True), (PHONE, False)):
            console = WebConsole(place)
            label = "phone" if size == PHONE else "dark" if is_dark else "light"
            wanted = {"phone": ON_PHONES, "dark": IN_THE_DARK, "light": tuple(PICTURES)}[label]
            shown = {name: pages[name] for name in names if name in wanted}
            try:
                browser.run(console, partial(_look_at, console, shown, (target, label)), size, is_dark)
            finally:
                console.stop()
    finally:
        browser.close()


def _set_up(user: Path) -> None:
    """One entry per event for an agent, as on a machine where somebody works."""
    env = {"HOME": str(user), "PATH": os.environ["PATH"]}
    user.mkdir(parents=True)
    command = [sys.executable, "-m", "synaptic.cli.main", "bootstrap", "--no-profile"]
    subprocess.run(command, env=env, cwd=user, check=True, capture_output=True)


def find_denied(home: Home) -> int:
    """The newest event that was refused."""
    store = Store.open(home)
    try:
        return read_matching_entries(store, JournalFilter(kinds=(Kind.DENY,)), 1)[0].id
    finally:
        store.close()


async def _look_at(console: WebConsole, shown: dict[str, str], name_of: tuple[Path, str], page: Page) -> None:
    target, label = name_of
    for name, path in shown.items():
        await page.goto(console.address + path)
        await page.wait_for_timeout(SETTLE_MILLIS)
        await page.screenshot(path=target / f"{name}-{label}.png")


if __name__ == "__main__":
    sys.exit(main())
