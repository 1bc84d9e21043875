"""What a person sees of a call before they say yes to it: nothing of it hides behind blanks, line ends or a cut."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from synaptic.model.call import Call
from synaptic.model.event import PreToolUse
from synaptic.pipeline.lifting import is_shown_whole, quote_call, show_call
from tests.security.agent.test_exceptions import Shop

RESET = "git reset --hard"
REST = "; rm -rf ~/Documents"


def make_call(command: str) -> Call:
    event = PreToolUse(hook_event_name="PreToolUse", tool_name="Bash", tool_input={"command": command})
    return Call(id="c", agent="claude", event=event, payload={}, root="/p")


@pytest.mark.parametrize("blank", [" ", "\t", "\n", "\r", "\u00a0", "\u2003", "\u3164", "\u2800", "\u200b", "\ufeff"])
@pytest.mark.parametrize("count", [60, 1700, 3000, 150_000])
def test_what_stands_behind_blanks_is_shown(blank: str, count: int) -> None:
    command = f"{RESET}{blank * count}{REST}"
    assert show_call(make_call(command)) == f"{RESET} [{count} blanks] {REST}"
    assert REST in quote_call(make_call(command), 160)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r", "\x0b", "\u2028"])
def test_the_end_of_a_line_is_seen_in_a_line(newline: str) -> None:
    assert quote_call(make_call(f"{RESET}{newline}rm -rf ~/Documents"), 160) == f"{RESET} ⏎ rm -rf ~/Documents"


@pytest.mark.parametrize("filler", ["echo a; ", "# nothing ", "a" * 5000 + " ", "true\n"])
@pytest.mark.parametrize("count", [1000, 40_000])
def test_a_call_that_is_not_shown_whole_says_so(filler: str, count: int) -> None:
    command = f"{RESET}; {filler * count}{REST}"
    shown = show_call(make_call(command))
    assert shown.endswith(" more characters]")
    assert len(shown) < 2000
    assert not is_shown_whole(shown)


def test_an_ordinary_call_is_shown_as_it_is() -> None:
    command = "cat > a.py <<'X'\ndef f():\n        return 1\n\n\n\nX\npytest -q   a.py"
    assert show_call(make_call(command)) == command
    assert is_shown_whole(command)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    made = Shop(tmp_path)
    yield made
    made.close()


def test_yes_to_a_call_that_is_not_shown_whole_is_asked_for(shop: Shop) -> None:
    code = shop.refuse(f"{RESET}; {'echo a; ' * 800}{REST}")
    for words in (code, f"{code} --always", f"{code} --session"):
        ended, said = shop.window.synaptic(f"allow {words}", "n")
        assert ended == 1, said
        assert "only its beginning is shown" in " ".join(said.split())
    assert "no exceptions are in force" in shop.window.synaptic("grants list")[1]
    assert "allowed once" in shop.allow(code, "y")


def test_yes_names_what_stood_behind_blanks_and_line_ends(shop: Shop) -> None:
    for between in (" " * 3000, "\n" * 300, "\n"):
        said = shop.allow(shop.refuse(f"{RESET}{between}{REST[2:]}"))
        assert "rm -rf ~/Documents" in said
        assert "⏎" in said or " blanks]" in said
