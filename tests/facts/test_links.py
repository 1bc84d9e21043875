"""Links are followed for the paths that a call names."""

import os
from pathlib import Path

from synaptic.facts.links import MAX_LOOKED_AT, gather_linked_paths, gather_real_paths
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse, Stop


def found(root: Path, *paths: str) -> dict[str, str]:
    call = [
        Call("c", "claude", PreToolUse(tool_input={"file_path": path}, cwd=str(root)), {}, root=str(root))
        for path in paths
    ]
    return {path: real for one in call for path, real in gather_real_paths(one, None).items()}  # type: ignore[arg-type]


def test_a_link_out_of_the_project_is_followed(tmp_path: Path) -> None:
    """S1-069"""
    root = tmp_path / "p"
    (root / "src").mkdir(parents=True)
    (root / "x").symlink_to("/etc/passwd")
    (root / "folder").symlink_to("/etc")
    (root / "src" / "a.py").write_text("")
    assert found(root, "x") == {"x": os.path.realpath("/etc/passwd")}
    assert found(root, f"{root}/folder/hosts") == {f"{root}/folder/hosts": os.path.realpath("/etc/hosts")}
    assert found(root, "src/a.py", "src/new.py", "", "a\0b", "loop/../src/a.py") == {}


def test_an_endless_link_and_an_event_without_a_tool_are_no_news(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    found(tmp_path, "loop", "loop/x")
    assert gather_real_paths(Call("c", "claude", Stop(), {}), None) == {}  # type: ignore[arg-type]


def linked(root: Path, command: str) -> tuple[str, ...] | None:
    event = PreToolUse(tool_name="Bash", tool_input={"command": command}, cwd=str(root))
    call = Call("c", "claude", event, {}, root=str(root), env={"HOME": str(root.parent)})
    return gather_linked_paths(call, None)  # type: ignore[arg-type]


def test_a_link_is_followed_before_the_way_up(tmp_path: Path) -> None:
    root, other = tmp_path / "p", tmp_path / "other" / "deep"
    root.mkdir()
    other.mkdir(parents=True)
    (root / "up").symlink_to(other)
    assert found(root, "up/../x") == {"up/../x": str(tmp_path / "other" / "x")}
    assert linked(root, "echo > up/../x") == (str(tmp_path / "other" / "x"),)
    assert linked(root, "tee ~/p/up/y < z; dd of=up/z") == (str(other / "y"), str(other / "z"))


def test_commands_that_read_and_words_that_are_no_links_are_no_news(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("/etc")
    assert linked(tmp_path, "cat a/hosts; echo > b; make test; git commit -m a") == ()
    assert linked(tmp_path, "cp a/hosts b") == ()
    assert linked(tmp_path, "cp b a/hosts") == (os.path.realpath("/etc/hosts"),)
    assert linked(tmp_path, "ssh host rm a/hosts") == ()


def test_a_link_that_is_taken_away_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("/etc")
    assert linked(tmp_path, "rm a") == ()
    assert linked(tmp_path, "rm a/x") == (os.path.realpath("/etc") + "/x",)


def test_more_words_than_are_looked_up_are_no_answer(tmp_path: Path) -> None:
    assert linked(tmp_path, "touch " + "a " * (MAX_LOOKED_AT + 1)) is None
