"""Scripts of a package.json that the same text has written, and programs that packages bring."""

import pytest

from tests.shell.read.seen import script, seen

WRITTEN = script("package.json", '{"name": "a", "scripts": {"clean": "rm x", "pretest": "rm y", "test": "jest"}}')


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("npm run clean", "rm x"),
        ("npm run -s clean -- z", "rm x z"),
        ("npm run-script clean", "rm x"),
        ("yarn clean", "rm x"),
        ("pnpm run clean", "rm x"),
        ("npm t", "rm y"),
        ("npm test", "jest"),
    ],
)
def test_the_script_runs(call: str, found: str) -> None:
    assert found in seen(WRITTEN + call)


@pytest.mark.parametrize("call", ["npm install", "npm run build", "npm clean", "yarn add clean", "cat package.json"])
def test_no_other_script_runs(call: str) -> None:
    assert not any(line.startswith("rm") for line in seen(WRITTEN + call))


@pytest.mark.parametrize(
    "text",
    [
        "npm pkg set scripts.a='rm x' && npm run a",
        "npm pkg set 'scripts[a]=rm x' && yarn a",
        "npm set-script a 'rm x'; npm run a",
        "npm pkg set scripts.postinstall='rm x' && npm ci",
        WRITTEN + "npm pkg set scripts.a=b; npm run clean",
    ],
)
def test_a_script_that_is_set_runs(text: str) -> None:
    assert "rm x" in seen(text)


@pytest.mark.parametrize("call", ["npm run b", "npm install a", "cat package.json | sh"])
def test_a_script_that_is_set_runs_only_when_it_is_called(call: str) -> None:
    assert "rm x" not in seen(f"npm pkg set scripts.a='rm x'; {call}")


def test_a_script_in_another_folder_runs_there() -> None:
    text = script("sub/package.json", '{"scripts": {"clean": "rm x"}}')
    assert "rm x" in seen(text + "npm --prefix sub run clean")
    assert "rm x" not in seen(text + "npm run clean")


def test_a_script_that_calls_itself_ends() -> None:
    assert seen(script("package.json", '{"scripts": {"a": "npm run a"}}') + "npm run a")[-1] == "npm run a"


def test_what_is_no_manifest_runs_nothing() -> None:
    assert seen(script("package.json", "not json") + "npm run a") == ["cat", "npm run a"]


@pytest.mark.parametrize(
    "text", ["npx rm@5 x", "npm exec -- rm x", "pnpm dlx rm@latest x", "yarn dlx rm x", "npx -y rm x"]
)
def test_a_program_that_a_package_brings_is_known_by_its_name(text: str) -> None:
    assert seen(text)[-1] == "rm x"
