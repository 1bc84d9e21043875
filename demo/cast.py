"""`make cast`: the real product in a throw-away home, typed into a real terminal, written down as a recording.

What is shown is what it printed. Only what is different in every run is made the same: the home, times, and ids. How
long each screen is seen is made up.
"""

import argparse
import json
import re
import secrets
import shutil
import subprocess  # noqa: TID251  a person types commands, and here we are the person
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from demo.keyboard import Typed, open_window, type_command
from demo.screen import COLUMNS, LINES, Screen
from demo.stories import CODE, FIND_CODE, PREPARATIONS, STORIES, Story
from demo.svg import draw_film, draw_picture

ROOT = Path(__file__).parents[1]
TITLE = "Synaptic in a terminal: set up, a refusal, an exception, a question, a practice, a hook, a fleet, a package"
SHORTEST = 0.5
"""Seconds of a frame that is worth drawing."""
PICTURE_STORY = 1
"""The story whose end is the still picture."""
SAME_EVERYWHERE = (
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d"), "2026-11-16 19:15"),
    (re.compile(r"\b\d\d:\d\d:\d\d\b"), "19:15:07"),
    (re.compile(r"[ \d]{3}\.\d ms\b"), "  0.9 ms"),
    (re.compile(r" +\d+\.\d ms(?= after)"), " 0.9 ms"),
    (re.compile(r"\b\d+ µs\b"), "90 µs"),
    (re.compile(r"\b01[0-9A-HJKMNP-TV-Z]{24}\b"), "01KA3Y7V5N8D2TSWCJ5ZB0QK4E"),
    (re.compile(r"(?<= )\d+s(?= |\r)"), "4s"),
    (re.compile(r"(?<=grants revoke )\w{8}\b|\b\w{8}(?=  git\.)"), "f6jm5cg6"),
    (re.compile(r"\r\x1b\[K(?:[^\r\n]* … \d+ s\r\x1b\[K)*"), ""),
    (re.compile(r"\b[0-9a-f]{12}\b"), "3753cab30713"),
)
"""What is different in every run, and what is written instead, of the same width."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m demo.cast", description=__doc__)
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "cast", help="the folder to write to")
    to = parser.parse_args().to
    to.mkdir(parents=True, exist_ok=True)
    open_window()
    with tempfile.TemporaryDirectory(prefix="cast-") as link:
        write_recording(to, list(perform(Path(link))))
    return 0


def perform(place: Path) -> Iterator[Typed]:
    """Every story, one after another, in one home. Its name is as long as `/home/you`, so that lines break alike."""
    home = _make_home()
    env = _make_environment(home, place)
    try:
        code = CODE
        _run(PREPARATIONS, env)
        for story in STORIES:
            _run(story.before, env)
            code = (_run(FIND_CODE, env).strip() if story.before else "") or code
            typed = type_command(story._replace(command=story.command.replace(CODE, code)), env)
            yield Typed(story, tuple(_make_same(part.replace(code, CODE), home) for part in typed.parts))
            _run(story.after, env)
    finally:
        with suppress(SystemExit):
            _run("kill $(cat ~/*.pid 2>/dev/null) 2>/dev/null; synaptic down --purge --yes", env)
        shutil.rmtree(home)


def _make_home() -> Path:
    while True:
        home = Path("/tmp", secrets.token_hex(2))
        with suppress(FileExistsError):
            home.mkdir(mode=0o700)
            return home


def _make_environment(home: Path, place: Path) -> dict[str, str]:
    for tool in ("synaptic", "python3"):
        (place / tool).symlink_to(Path(sys.executable).parent / tool)
    path = f"{home}/.synaptic/bin:{place}:/usr/local/bin:/usr/bin:/bin"
    fixed = {"SHELL": "/bin/bash", "TERM": "xterm-256color", "LANG": "C.UTF-8", "SOURCE": str(ROOT)}
    return {"HOME": str(home), "PATH": path, **fixed}


def _run(text: str, env: dict[str, str]) -> str:
    """What nobody sees."""
    project = Path(env["HOME"], "shop")
    project.mkdir(exist_ok=True)
    done = subprocess.run(
        ["/bin/bash", "-c", text], cwd=project, env=env, capture_output=True, timeout=120, check=False
    )
    if done.returncode and text:
        raise SystemExit(f"{text}\n{done.stdout.decode()}{done.stderr.decode()}")
    return done.stdout.decode()


def _make_same(text: str, home: Path) -> str:
    text = text.replace(str(home), "/home/you")
    for pattern, fixed in SAME_EVERYWHERE:
        text = pattern.sub(fixed, text)
    return text


def write_recording(to: Path, typed: list[Typed]) -> None:
    """Three files: for asciinema, a film, and a picture."""
    screen, frames, events, now = Screen(), [], [], 0.0
    for number, one in enumerate(typed):
        for part, seconds in _iter_parts(one):
            screen.feed(part)
            if seconds >= SHORTEST:
                frames.append((screen.frame, seconds))
            events.append(json.dumps([round(now, 2), "o", part], ensure_ascii=False))
            now += seconds
        if number == PICTURE_STORY:
            (to / "frame.svg").write_text(draw_picture(screen.frame, TITLE))
    head = json.dumps({"version": 2, "width": COLUMNS, "height": LINES, "title": TITLE})
    (to / "stories.cast").write_text("\n".join((head, *events, "")))
    (to / "stories.svg").write_text(draw_film(frames, TITLE))


def _iter_parts(typed: Typed) -> Iterator[tuple[str, float]]:
    story: Story = typed.story
    yield f"\x1b[36m# {story.about}\x1b[0m\r\n\x1b[32m$\x1b[0m {story.command}", 2.0
    yield "\r\n", 0.3
    for part in typed.parts:
        yield part, 1.5 + min(part.count("\n"), 14) * 0.4
    yield "\r\n", 0.1


if __name__ == "__main__":
    sys.exit(main())
