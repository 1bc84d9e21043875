"""The end of an effort's log."""

import asyncio
from pathlib import Path

from synaptic.facts.gather import EngineMeans
from synaptic.facts.log_end import MAX_LOG_BYTES, gather_log_end
from synaptic.model.call import Call
from synaptic.model.event import SessionStart
from synaptic.model.home import Home
from tests.store.layered import Layered


def end(layered: Layered) -> str:
    call = Call(id="c", agent="claude", event=SessionStart(cwd=layered.root), payload={}, root=layered.root)
    return asyncio.run(gather_log_end(call, EngineMeans(layered.store, None)))


def test_its_last_whole_lines_however_long_it_is(tmp_path: Path) -> None:
    """S3-104, S3-191"""
    layered = Layered(Home(tmp_path / "home"), str(tmp_path / "shop"))
    assert end(layered) == ""
    layered.effort()
    assert end(layered) == ""
    log = Path(layered.root, ".tasks", "cart", "1_IMPLEMENT_LOG.md")
    log.parent.mkdir(parents=True)
    log.write_text("## Done\nall\n")
    assert end(layered) == "## Done\nall"
    log.write_text("".join(f"line {number}\n" for number in range(100_000)))
    shown = end(layered)
    assert shown.startswith("line ")
    assert shown.endswith("line 99999")
    assert len(shown) <= MAX_LOG_BYTES
    log.write_bytes(b"\xff" * (MAX_LOG_BYTES * 2))
    assert end(layered)
    layered.store.close()
