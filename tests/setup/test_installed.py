"""The engine starts as it was installed, and with nothing of other packages before it."""

import base64
import hashlib
import os
import py_compile
import shutil
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path

import msgspec
import pytest

import synaptic
from synaptic.model.home import Home
from synaptic.setup import dispatcher, installed, start
from synaptic.setup.doctor import check_engine_files

PACKAGE = Path(synaptic.__file__).parent
NEEDED = Path(msgspec.__file__).parent.parent
RECORD = "from pathlib import Path; from synaptic.model.home import Home; from synaptic.setup import dispatcher; "


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as a wheel puts it, and a home that was set up by it."""
    folder = tmp_path_factory.mktemp("wheel")
    packages, home = folder / "site-packages", folder / "home"
    shutil.copytree(PACKAGE, packages / "synaptic", ignore=shutil.ignore_patterns("__pycache__"))
    paths = f"import sys; sys.path[:0] = [{str(packages)!r}, {str(NEEDED)!r}]; "
    code = f"{paths}{RECORD} dispatcher.install_dispatcher(Home(Path({str(home)!r})))"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)
    return folder


class Wheel:
    """An engine that was installed as a wheel, and its home. Its files are links to the original's: see `write`."""

    def __init__(self, folder: Path, original: Path) -> None:
        self.packages = folder / "site-packages"
        self.home = Home(folder / "home")
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(original / "site-packages", self.packages, copy_function=os.link, ignore=ignored)
        shutil.copytree(original / "home", self.home.root)
        self.home.engine_files.write_text(self.home.engine_files.read_text().replace(str(original), str(folder)))

    def write(self, file: Path, text: str) -> None:
        file.unlink(missing_ok=True)
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)

    @property
    def code(self) -> Path:
        return self.packages / "synaptic" / "pipeline" / "run.py"

    def start(self, *words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-I", "-S", self.home.start, *words]
        return subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)

    def dispatch(self, event: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([self.home.dispatch, event], check=False, capture_output=True, text=True, input="{}")

    def write_record(self, version: str) -> None:
        """What a package manager writes beside the package."""
        folder = self.packages / f"synaptic_hooks-{version}.dist-info"
        folder.mkdir()
        rows = []
        for file in sorted((self.packages / "synaptic").rglob("*.*")):
            if file.is_file():
                digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).rstrip(b"=").decode()
                rows.append(f"{file.relative_to(self.packages)},sha256={digest},{file.stat().st_size}")
        native = self.packages / "synaptic" / "_native" / "dispatch"
        digest = base64.urlsafe_b64encode(hashlib.sha256(native.read_bytes()).digest()).rstrip(b"=").decode()
        (folder / "RECORD").write_text("\n".join([*rows, f"synaptic/_native/dispatch,sha256={digest},1"]) + "\n")


@pytest.fixture
def wheel(tmp_path: Path, original: Path) -> Wheel:
    return Wheel(tmp_path, original)


def test_it_starts_as_it_was_installed(wheel: Wheel) -> None:
    done = wheel.start("synaptic.cli.main", "--version")
    assert done.returncode == 0
    assert synaptic.__version__ in done.stdout
    assert not done.stderr


def test_a_changed_file_is_a_refusal_and_the_command_line_says_so(wheel: Wheel) -> None:
    wheel.write(wheel.code, wheel.code.read_text() + "\n")
    assert wheel.start("synaptic.daemon.fallback", str(wheel.home.root)).returncode == start.CHANGED_EXIT
    assert wheel.start("synaptic.daemon.server", str(wheel.home.root)).returncode == start.CHANGED_EXIT
    done = wheel.start("synaptic.cli.main", "--version")
    assert done.returncode == 0
    assert "pipeline/run.py" in done.stderr
    assert "synaptic up" in done.stderr


def test_the_dispatcher_blocks_what_comes_before_an_act_and_tells_of_it_otherwise(wheel: Wheel) -> None:
    if dispatcher.find_compiled() is None:
        pytest.skip("no compiler here")
    wheel.write(wheel.code, "")
    done = wheel.dispatch("PreToolUse")
    assert ('"permissionDecision":"deny"' in done.stdout, "not as they were installed" in done.stderr) == (True, True)
    for event in ("BeforeTool", "preToolUse"):
        done = wheel.dispatch(event)
        assert (done.returncode, "not as they were installed" in done.stderr) == (2, True)
    done = wheel.dispatch("PostToolUse")
    assert (done.returncode, "not as they were installed" in done.stderr) == (0, True)


def test_a_file_that_was_only_touched_is_the_same(wheel: Wheel) -> None:
    wheel.write(wheel.code, wheel.code.read_text())
    os.utime(wheel.code, (1, 1))
    assert wheel.start("synaptic.cli.main", "--version").stderr == ""


@pytest.mark.parametrize("name", ["pipeline/run.abi3.so", "pipeline/run/__init__.py", "extra.py"])
def test_an_added_file_counts(wheel: Wheel, name: str) -> None:
    wheel.write(wheel.packages / "synaptic" / name, "")
    assert wheel.start("synaptic.daemon.server", str(wheel.home.root)).returncode == start.CHANGED_EXIT


def test_a_file_that_is_gone_counts(wheel: Wheel) -> None:
    (wheel.packages / "synaptic" / "policies" / "self" / "engine_files.py").unlink()
    assert wheel.start("synaptic.daemon.server", str(wheel.home.root)).returncode == start.CHANGED_EXIT


def test_a_compiled_copy_beside_the_file_is_not_used(wheel: Wheel) -> None:
    wheel.start("synaptic.cli.main", "--version")
    file = wheel.packages / "synaptic" / "__init__.py"
    bad = wheel.packages / "bad.py"
    # Of the same size and time as the true one, as a forger would make it.
    text = file.read_text()
    bad.write_text(text.replace("0.1.0", "6.6.6"))
    stamp = file.stat()
    os.utime(bad, ns=(stamp.st_mtime_ns, stamp.st_mtime_ns))
    py_compile.compile(str(bad), cfile=cache_from_source(str(file)))
    done = wheel.start("synaptic.cli.main", "--version")
    assert "6.6.6" not in done.stdout


def test_another_version_that_a_package_manager_installed_is_an_upgrade(wheel: Wheel) -> None:
    wheel.write(wheel.code, wheel.code.read_text() + "\n")
    wheel.write_record("99.0.0")
    assert wheel.start("synaptic.cli.main", "--version").stderr == ""


def test_a_record_that_does_not_fit_is_none(wheel: Wheel) -> None:
    wheel.write_record("99.0.0")
    wheel.write(wheel.code, wheel.code.read_text() + "\n")
    assert wheel.start("synaptic.daemon.server", str(wheel.home.root)).returncode == start.CHANGED_EXIT


def test_the_same_version_is_no_upgrade(wheel: Wheel) -> None:
    wheel.write(wheel.code, wheel.code.read_text() + "\n")
    wheel.write_record(synaptic.__version__)
    assert wheel.start("synaptic.daemon.server", str(wheel.home.root)).returncode == start.CHANGED_EXIT


@pytest.mark.parametrize("content", [None, "", "file=no\n"])
def test_without_a_list_that_can_be_read_nothing_starts(wheel: Wheel, content: str | None) -> None:
    wheel.home.engine_files.unlink() if content is None else wheel.home.engine_files.write_text(content)
    done = wheel.start("synaptic.daemon.server", str(wheel.home.root))
    assert done.returncode in (start.CHANGED_EXIT, start.NOT_FOUND_EXIT)


def test_only_an_engine_that_is_not_there_is_a_matter_of_the_fail_policy(wheel: Wheel) -> None:
    """A library that cannot be opened for want of descriptors is an ImportError too: that engine was not heard."""
    library = wheel.packages / "synaptic" / "unloadable.py"
    wheel.write(library, 'raise ImportError("libpart.so: cannot open shared object file: Too many open files")\n')
    wheel.home.engine_files.write_text(f"{wheel.home.engine_files.read_text()}editable=true\n")
    assert wheel.start("synaptic.unloadable").returncode == start.FAILED_EXIT
    # A module that is missing in a package that is there may be on its way: files are replaced one after another.
    assert wheel.start("synaptic.nowhere").returncode == start.FAILED_EXIT
    shutil.rmtree(wheel.packages / "synaptic")
    assert wheel.start("synaptic.daemon.early").returncode == start.NOT_FOUND_EXIT


@pytest.mark.parametrize("name", ["evil.pth", "sitecustomize.py", "usercustomize.py"])
def test_what_python_runs_at_its_start_is_not_run(wheel: Wheel, name: str, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    (wheel.packages / name).write_text(f"import pathlib; pathlib.Path({str(mark)!r}).touch()\n")
    assert wheel.start("synaptic.cli.main", "--version").returncode == 0
    assert not mark.exists()


def test_a_checkout_starts_changed_and_doctor_tells(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    dispatcher.install_dispatcher(home)
    assert [found.state for found in check_engine_files(home)] == ["ok"]
    lines = home.engine_files.read_text().splitlines(keepends=True)
    home.engine_files.write_text("".join(line for line in lines if not line.endswith(" pipeline/run.py\n")))
    if installed.is_editable():
        (found,) = check_engine_files(home)
        assert (found.state, "pipeline/run.py" in found.seen) == ("warn", True)
    command = [sys.executable, "-I", "-S", home.start, "synaptic.cli.main", "--version"]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0


def test_doctor_misses_the_list(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    assert list(check_engine_files(home)) == []
    dispatcher.install_dispatcher(home)
    home.engine_files.unlink()
    assert [found.state for found in check_engine_files(home)] == ["fail"]


def test_a_home_without_the_file_is_started_by_its_module(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    assert installed.build_start(home, "m") == (sys.executable, "-I", "-m", "m")
    dispatcher.install_dispatcher(home)
    assert installed.build_start(home, "m") == (sys.executable, "-I", "-S", str(home.start), "m")
