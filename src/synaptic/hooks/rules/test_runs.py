"""Whether a command ran tests, and whether the way it ended can be told from how its whole line ended."""

import re
from itertools import pairwise

from synaptic.hooks.rules.commands import SortedCommand
from synaptic.shell.names import split_names
from synaptic.shell.reading import CommandReading

TEST_PROGRAMS = split_names(
    "pytest py.test tox nox jest vitest mocha ava rspec phpunit ctest pest karma cypress nosetests trial stestr"
    " gotestsum bats busted"
)
TEST_VERBS = {
    "npm": ("test", "t", "tst"), "pnpm": ("test", "t"), "yarn": ("test",), "bun": ("test",), "deno": ("test",),
    "go": ("test",), "cargo": ("test", "nextest", "t"), "make": ("test", "check", "tests"), "gmake": ("test", "check"),
    "just": ("test", "tests", "check"), "task": ("test",), "mvn": ("test", "verify"), "mvnw": ("test", "verify"),
    "gradle": ("test", "check"), "gradlew": ("test", "check"), "dotnet": ("test",), "mix": ("test",),
    "swift": ("test",), "rails": ("test",), "rake": ("test", "spec"), "bazel": ("test",), "playwright": ("test",),
    "sbt": ("test",), "flutter": ("test",), "dart": ("test",), "xcodebuild": ("test",), "zig": ("test",),
    "hatch": ("test",), "composer": ("test",), "phoenix": ("test",), "meson": ("test",), "ninja": ("test",),
}  # fmt: skip
RUNNERS = split_names("npm pnpm yarn bun")
MODULE_PROGRAMS = {"python": split_names("pytest unittest nose tox nox")}
HIDING_SIGN = re.compile(r"\|\||(?<![&>])&(?![&>])")
"""`||` and a single `&`: what stands before it may fail, and the line goes on."""
ASKING_OPTIONS = split_names("--help -h --version -V --collect-only --co --list --listTests --dry-run")
"""With these nothing is tested."""


def runs_tests(one: SortedCommand) -> bool:
    """Whether a command is a run of tests."""
    if not ASKING_OPTIONS.isdisjoint(one.command.args):
        return False
    if one.program in TEST_PROGRAMS:
        return True
    words = [word.text for word in one.words]
    if one.program in RUNNERS and words[:1] == ["run"]:
        words = words[1:]
    if one.program in MODULE_PROGRAMS:
        args = one.command.args
        modules = [after for before, after in pairwise(args) if before == "-m"]
        return any(module in MODULE_PROGRAMS[one.program] for module in modules)
    verb = words[0] if words else ""
    return any(verb == known or verb.startswith(f"{known}:") for known in TEST_VERBS.get(one.program, ()))


def shows_its_end(one: SortedCommand, known: CommandReading) -> bool:
    """Whether the line ends well only if this command does: nothing behind it hides how it ended."""
    command, script = one.command, known.script
    if command.background or HIDING_SIGN.search(known.text):
        return False
    if any(not command.name or command.name == "exit" for command in script.commands):
        return False
    if "pipefail" not in known.text and script.find_downstream(command):
        return False
    behind = known.text[command.span[1] :] if command.span else known.text
    return not any(sign in behind.strip() for sign in (";", "\n"))
