"""The build: a wheel with the compiled dispatcher for its platform, or a pure one without."""

import shutil
import tarfile
import zipfile
from pathlib import Path

import hatch_build
import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]
DISPATCH = "synaptic/_native/dispatch"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "a tree"
    ignored = shutil.ignore_patterns("_native", "__pycache__")
    for folder in ("src", "native"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=ignored)
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore"):
        if (ROOT / name).exists():
            shutil.copy2(ROOT / name, tree / name)
    return tree


def test_a_wheel_carries_the_compiled_program(tree: Path, tmp_path: Path) -> None:
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    (wheel,) = WheelBuilder(str(tree)).build(directory=str(tmp_path), versions=["standard"])
    assert (tree / "src" / DISPATCH).stat().st_mode & 0o111
    assert wheel.endswith(f"-py3-none-{hatch_build.platform_tag()}.whl")
    with zipfile.ZipFile(wheel) as file:
        assert file.getinfo(DISPATCH).external_attr >> 16 & 0o111


def test_without_a_compiler_the_wheel_is_pure(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nowhere/cc")
    (wheel,) = WheelBuilder(str(tree)).build(directory=str(tmp_path), versions=["standard"])
    assert wheel.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as file:
        assert DISPATCH not in file.namelist()


def test_the_source_distribution_can_build_itself(tree: Path, tmp_path: Path) -> None:
    (archive,) = SdistBuilder(str(tree)).build(directory=str(tmp_path))
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    assert {f"native/{file.name}" for file in (ROOT / "native").iterdir()} | {"hatch_build.py"} <= names
    assert f"src/{DISPATCH}" not in names


def test_a_source_that_does_not_compile_is_no_program(tmp_path: Path) -> None:
    source, target = tmp_path / "dispatch.c", tmp_path / "out" / "dispatch"
    source.write_text("int main(void) { return nothing; }")
    assert hatch_build.compile_dispatch(source, target, "1") is None
    source.write_text("int main(void) { return 0; }")
    assert hatch_build.compile_dispatch(source, target, "1") is None, "it runs, and does not say what it must"
    assert list(target.parent.iterdir()) == []
