"""A console in a process of its own, and a real browser in front of it."""

import asyncio
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

import pytest
from playwright.async_api import Browser, Page, async_playwright

from tests.daemon.setting import Setting

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
PATIENCE = 60
WATCH_POLICY = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(event.violatedDirective + " " + event.blockedURI));
"""
DESK, PHONE = (1280, 800), (390, 800)


class Place(Protocol):
    """A user, and a project of theirs."""

    user: Path
    project: Path


class WebConsole:
    """`synaptic web` for one home."""

    def __init__(self, setting: Place, *words: str) -> None:
        command = [sys.executable, "-m", "synaptic.cli.main", "web", "--port", "0", *words]
        env = {"HOME": str(setting.user), "PATH": os.environ["PATH"]}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=setting.project, text=True
        )
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().strip()
        assert self.link.startswith("http://127."), self.process.communicate()[1]
        self.address = self.link.partition("/enter")[0]
        self.host, _, port = self.address.removeprefix("http://").partition(":")
        self.port = int(port)

    def take_link(self) -> str:
        """The link that was printed: it opens once, so there is one scenario for each console."""
        link, self.link = self.link, ""
        assert link, "the link of this console has been used"
        return link

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=PATIENCE)


class RealBrowser:
    """Chromium, driven from a thread of its own: tests stay free to run loops of theirs."""

    def __init__(self, program: str) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._browser: Browser = self._wait(self._launch(program))

    def run(
        self,
        console: WebConsole,
        scenario: Callable[[Page], Awaitable[object]],
        size: tuple[int, int] = DESK,
        dark: bool = False,
    ) -> object:
        """Go in by the link, play a scenario, and look whether anything was asked of others or broke the policy."""
        return self._wait(self._play(console, scenario, size, dark))

    def close(self) -> None:
        self._wait(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _wait(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(5 * PATIENCE)

    async def _launch(self, program: str) -> Browser:
        self._playwright = await async_playwright().start()
        return await self._playwright.chromium.launch(executable_path=program, args=list(SWITCHES))

    async def _close(self) -> None:
        await self._browser.close()
        await self._playwright.stop()

    async def _play(self, console: WebConsole, scenario, size, dark: bool) -> object:
        context = await self._browser.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light"
        )
        await context.add_init_script(WATCH_POLICY)
        page, foreign, errors = await context.new_page(), [], []
        context.on("request", lambda one: foreign.append(one.url) if not one.url.startswith(console.address) else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda one: errors.append(one.text) if "Content Security Policy" in one.text else None)
        try:
            await page.goto(console.take_link())
            found = await scenario(page)
            violations = await page.evaluate("window.violations")
        finally:
            await context.close()
        assert not foreign and not errors and not violations, (foreign, errors, violations)
        return found


def find_chromium() -> str:
    """The program, or a skip; a failure where nothing may be missing."""
    found = next((path for name in CHROMIUM if (path := shutil.which(name))), "")
    if not found:
        if os.environ.get("SYNAPTIC_TEST_ALL") == "1":
            pytest.fail("chromium is not installed: apt-get install chromium")
        pytest.skip("chromium is not installed")
    return found


def record(setting: Setting, event: str = "PreToolUse", **fields: object) -> None:
    """An event that is decided and written in this process: whoever calls the dispatcher is an agent from then on."""
    setting.answer(setting.request(event, **fields))
