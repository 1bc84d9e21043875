"""Which files a patch on the disk names."""

from pathlib import Path

import pytest

from synaptic.facts.patched import MAX_PATCHES, gather_patched_paths
from synaptic.model.call import Call
from synaptic.model.event import PreToolUse

DIFF = "--- /dev/null\n+++ b/.claude/settings.local.json\n@@ -0,0 +1 @@\n+{}\n"


def patched(folder: Path, command: str) -> tuple[str, ...]:
    event = PreToolUse(tool_name="Bash", tool_input={"command": command}, cwd=str(folder))
    call = Call("c", "claude", event, {}, root=str(folder), env={"HOME": str(folder.parent)})
    return gather_patched_paths(call, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "command",
    ["git apply p.diff", "patch -p1 < p.diff", "patch -p1 -i p.diff", "cat p.diff | patch -p1", "git am p.diff"],
)
def test_a_patch_on_the_disk_names_its_files(tmp_path: Path, command: str) -> None:
    (tmp_path / "p.diff").write_text(DIFF)
    assert f"{tmp_path}/.claude/settings.local.json" in patched(tmp_path, command)


@pytest.mark.parametrize(
    "command", ["git diff p.diff", "git apply missing.diff", "cat p.diff", "ssh host git apply p.diff"]
)
def test_nothing_is_applied(tmp_path: Path, command: str) -> None:
    (tmp_path / "p.diff").write_text(DIFF)
    assert patched(tmp_path, command) == ()


def test_too_many_patches_are_no_answer(tmp_path: Path) -> None:
    assert patched(tmp_path, "git apply " + "a " * (MAX_PATCHES + 1)) is None
