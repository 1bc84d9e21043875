"""The recording in README.md: what the product shows today, in a terminal of 80 columns and 24 lines."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from demo.screen import COLUMNS, LINES, Screen
from demo.svg import draw_film, draw_picture

ROOT = Path(__file__).parents[2]
CHECKED_IN = ROOT / "docs" / "cast"


def show(screen: Screen) -> list[str]:
    return ["".join(cell[0] for cell in line) for line in screen.frame]


def read_output(file: Path) -> list[str]:
    return "".join(json.loads(line)[2] for line in file.read_text().splitlines()[1:]).split("\r\n")


def test_a_screen_wraps_scrolls_and_keeps_colours():
    screen = Screen()
    screen.feed("a\r\n" * LINES + "\x1b[31mred\x1b[0m " + "b" * COLUMNS)
    assert len(screen.frame) == LINES
    assert show(screen)[-2:] == ["red " + "b" * 76, "bbbb"]
    assert [cell[1] for cell in screen.frame[-2][:4]] == ["red", "red", "red", ""]


def test_a_film_has_every_frame_and_a_picture_one():
    screen = Screen()
    screen.feed("<one> & 'two'")
    film = ElementTree.fromstring(draw_film([(screen.frame, 1.0), (screen.frame, 2.0)], "<title>"))
    picture = ElementTree.fromstring(draw_picture(screen.frame, "<title>"))
    kind = "{http://www.w3.org/2000/svg}"
    assert len(film.findall(f"{kind}g")) == 2
    assert [text.text for text in picture.iter(f"{kind}text")] == ["<one> & 'two'"]


def test_what_is_checked_in_is_drawn_from_one_recording():
    kind = "{http://www.w3.org/2000/svg}"
    for name in ("stories.svg", "frame.svg"):
        drawn = "".join(text.text or "" for text in ElementTree.parse(CHECKED_IN / name).getroot().iter(f"{kind}text"))
        assert "deny by git.reset-hard" in drawn
    assert "synaptic verify" in "".join(read_output(CHECKED_IN / "stories.cast"))


def test_the_recording_is_what_the_product_shows_today(tmp_path: Path):
    """If this fails after a change that is meant: make cast."""
    words = [sys.executable, "-m", "demo.cast", "--to", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_output(tmp_path / "stories.cast") == read_output(CHECKED_IN / "stories.cast")
