"""The compiled dispatcher in a home of its own."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import hatch_build
import pytest

from synaptic.model.home import Home
from synaptic.setup.refusals import write_refusals

SOURCE = Path(__file__).parents[2] / "native" / "dispatch.c"
ECHO = """#!{python} -I
import sys
from synaptic.daemon import frame
from synaptic.model.call import Answer
head = sys.stdin.buffer.read(frame.REQUEST_HEAD.size)
sizes = frame.read_request_sizes(head)
delivery = frame.unpack_request(sizes, sys.stdin.buffer.read(sizes.body))
text = f"in process: {{delivery.request.id}} {{len(delivery.request.stdin)}} {{sys.argv[1:]}}"
sys.stdout.buffer.write(b".." + frame.pack_answer(Answer(text.encode(), b"", 7)))
"""

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="session")
def binaries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every variant that can be built here, by name."""
    if not (shutil.which("cc") or shutil.which("gcc")):
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("dispatch")
    made = {}
    for name, flags in hatch_build.VARIANTS.items():
        target = folder / name.replace(" ", "-")
        command = hatch_build.compile_command("cc", flags, "0.1.0")
        if (
            subprocess.run([*command, "-Werror", SOURCE, "-o", target], capture_output=True, check=False).returncode
            == 0
        ):
            made[name] = target
    assert "dynamic" in made, "dispatch.c must compile without a warning"
    return made


@pytest.fixture
def home(tmp_path: Path, binaries: dict[str, Path]) -> Home:
    home = Home(tmp_path / "home")
    install(home, next(iter(binaries.values())))
    return home


def install(home: Home, binary: Path) -> None:
    home.bin.mkdir(parents=True)
    shutil.copy2(binary, home.dispatch)
    write_refusals(home)


def engine(home: Home, python: object = None, fail: str = "open") -> None:
    home.engine.write_text(f"python={python or sys.executable}\nfail={fail}\nversion=0.1.0\n")


def echo_engine(home: Home, folder: Path | None = None) -> None:
    """An engine in process that only repeats what it was asked."""
    script = (folder or home.root) / "echo"
    script.write_text(ECHO.format(python=sys.executable))
    script.chmod(0o755)
    engine(home, script)


def run(home: Home, *words: str, stdin: bytes = b"{}", **options: object) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([home.dispatch, *words], input=stdin, capture_output=True, timeout=60, check=False, **options)  # type: ignore[call-overload]
