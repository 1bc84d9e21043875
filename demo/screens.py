"""`make screens`: pictures of the console's pages, by a real browser, of an evening that is told anew each time."""

import argparse
import asyncio
import sys
import tempfile
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from playwright.async_api import Page
from tests.web.console import DESK, PHONE, RealBrowser, WebConsole, find_chromium

from demo.evening import ANNA, SHOP, tell_evening
from synaptic.model.home import Home

PICTURES = {
    "now": "/",
    "timeline": "/timeline",
    "session": f"/session/{ANNA.session}",
    "event": "/event/25",
    "policies": "/policies",
    "fleet": "/fleet",
    "health": "/health",
}
"""Each page, light and dark, on a desk; the first two also on a telephone."""
ON_PHONES = ("now", "timeline", "session")
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
    asyncio.run(tell_evening(Home(folder / "you" / ".synaptic"), folder / "you" / "src"))
    browser = RealBrowser(find_chromium())
    place = SimpleNamespace(user=folder / "you", project=folder / "you" / "src" / SHOP)
    try:
        for size, is_dark in ((DESK, False), (DESK, True), (PHONE, False)):
            console = WebConsole(place)
            shown = {name: PICTURES[name] for name in names if size == DESK or name in ON_PHONES}
            label = "phone" if size == PHONE else "dark" if is_dark else "light"
            try:
                browser.run(console, partial(_look_at, console, shown, (target, label)), size, is_dark)
            finally:
                console.stop()
    finally:
        browser.close()


async def _look_at(console: WebConsole, shown: dict[str, str], name_of: tuple[Path, str], page: Page) -> None:
    target, label = name_of
    for name, path in shown.items():
        await page.goto(console.address + path)
        await page.wait_for_timeout(SETTLE_MILLIS)
        await page.screenshot(path=target / f"{name}-{label}.png")


if __name__ == "__main__":
    sys.exit(main())
