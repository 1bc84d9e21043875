"""Links are followed for the paths that a call names."""

import asyncio
import os
from pathlib import Path

from synaptic.facts.links import gather_real_paths
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse, Stop


def found(root: Path, *paths: str) -> dict[str, str]:
    call = [
        Call("c", "claude", PreToolUse(tool_input={"file_path": path}, cwd=str(root)), {}, root=str(root))
        for path in paths
    ]
    return {path: real for one in call for path, real in asyncio.run(gather_real_paths(one, None)).items()}  # type: ignore[arg-type]


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
    assert asyncio.run(gather_real_paths(Call("c", "claude", Stop(), {}), None)) == {}  # type: ignore[arg-type]
