"""`synaptic package`: from an empty folder to a published package, and what stands in the way."""

import json
from pathlib import Path

import pytest

from synaptic.packages.source import locate_own_registry, open_source


@pytest.fixture
def author(user, tmp_path, monkeypatch):
    monkeypatch.delenv("SYNAPTIC_REGISTRY", raising=False)
    monkeypatch.delenv("SYNAPTIC_CHANNEL", raising=False)
    monkeypatch.chdir(tmp_path)
    assert user.types("registry", "init").code == 0
    return user


@pytest.fixture
def guard(author):
    assert author.types("package", "init", "guard").code == 0
    return Path("guard")


def version(folder, number):
    manifest = folder / "package.toml"
    lines = manifest.read_text().splitlines()
    lines = [f'version = "{number}"' if line.startswith("version") else line for line in lines]
    manifest.write_text("\n".join(lines))


def test_the_whole_way_from_nothing_to_main(author, guard):
    """S0-183"""
    assert "imported: guard 0.1.0 in develop" in author.types("package", "import", "guard").out
    assert "develop -> beta" in author.types("package", "promote", "guard", "--to", "beta").out
    assert "guard: develop -> main" in author.types("package", "publish", "guard").out
    shown = author.types("package", "verify", "--json")
    assert shown.json["ok"]
    assert {file["state"] for file in shown.json["files"]} == {"OK"}
    assert author.types("package", "log", "guard", "--json").json["commits"][0]["message"].startswith("promote guard")
    assert author.types("package", "export", "guard", "copy").code == 0
    assert (Path("copy") / "hooks" / "pre-bash.sh").read_text() == (guard / "hooks" / "pre-bash.sh").read_text()


def test_a_second_import_says_that_nothing_changed(author, guard):
    author.types("package", "import", "guard")
    assert "as it was" in author.types("package", "import", "guard").out
    assert author.types("package", "import", "guard", "--json").json["changed"] is False


def test_changed_files_need_a_new_version(author, guard):
    """S0-138"""
    author.types("package", "import", "guard")
    (guard / "hooks" / "pre-bash.sh").write_text("changed")
    shown = author.types("package", "import", "guard")
    assert shown.code == 1
    assert "raise `version`" in shown.err
    version(guard, "0.2.0")
    assert author.types("package", "import", "guard").code == 0


def test_diff_shows_versions_hooks_and_files(author, guard):
    """S0-185"""
    author.types("package", "import", "guard")
    author.types("package", "publish", "guard")
    assert "the same" in author.types("package", "diff", "guard").out
    version(guard, "0.2.0")
    (guard / "extra.md").write_text("x")
    (guard / "package.toml").write_text((guard / "package.toml").read_text().replace("priority = 50", "priority = 51"))
    author.types("package", "import", "guard")
    shown = author.types("package", "diff", "guard")
    assert "version: 0.1.0 in main, 0.2.0 in develop" in shown.out
    assert shown.out.index("hook PreToolUse") < shown.out.index("extra.md")
    found = author.types("package", "diff", "guard", "--json").json["diff"]
    assert found["files"] == [{"path": "extra.md", "state": "ADDED"}]


def test_a_tampered_package_is_found_and_not_published(author, guard):
    """S0-145, S0-185"""
    author.types("package", "import", "guard")
    with open_source(f"dolt://{locate_own_registry(author.home)}", author.home) as source:
        from synaptic.packages.database import RegistryChange

        source.database.write(RegistryChange("develop", [("UPDATE package_files SET content = 'evil'", ())], "evil"))
    shown = author.types("package", "verify", "--channel", "develop")
    assert shown.code == 1
    assert "CORRUPT" in shown.out
    assert "does not match its hashes" in author.types("package", "publish", "guard").err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("publish", "nope"), "there is no package `nope` in `develop`"),
        (("log", "nope"), "there is no package `nope` in `main`"),
        (("diff", "nope"), "there is no package `nope`"),
        (("verify", "nope"), "there is no package `nope`"),
        (("verify", "--channel", "nope"), "there is no channel `nope`"),
        (("promote",), "give one package, or --all"),
        (("promote", "x", "--all"), "give one package, or --all"),
        (("promote", "--all", "--from", "main", "--to", "main"), "both"),
        (("import", "nowhere"), "there is no package.toml"),
        (("publish", "x", "--registry", "ftp://x"), "is no registry"),
        (("publish", "x", "--registry", "dolt:///nowhere/x.db"), "synaptic registry init"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(author, words, says):
    shown = author.types("package", *words)
    assert shown.code == 1
    assert says in shown.err
    assert shown.err.count("\n") == 1


def test_an_error_is_json_where_json_was_asked_for(author):
    shown = author.types("package", "publish", "nope", "--json")
    assert (shown.code, shown.json["ok"]) == (1, False)


def test_the_channel_is_the_flag_before_the_environment(author, guard, monkeypatch):
    """S0-146"""
    author.types("package", "import", "guard")
    monkeypatch.setenv("SYNAPTIC_CHANNEL", "beta")
    assert author.types("package", "verify", "--json").json["channel"] == "beta"
    assert author.types("package", "verify", "--channel", "develop", "--json").json["channel"] == "develop"


def test_init_leaves_a_folder_with_something_in_it_alone(author):
    Path("taken").mkdir()
    Path("taken/mine").touch()
    assert author.types("package", "init", "taken").code == 1
    assert author.types("package", "init", "Bad Name").code == 1
    assert not Path("Bad Name").exists()


def test_a_warning_of_an_import_is_told(author, guard):
    """S0-163"""
    (guard / "a.md.j2").write_text("{{ foo.bar }}")
    shown = author.types("package", "import", "guard")
    assert (shown.code, "unknown variable `foo.bar`" in shown.err) == (0, True)
    assert "cannot be filled in" in author.types("package", "publish", "guard").err
    assert json.loads(author.types("package", "import", "guard", "--json").out)["warnings"]
