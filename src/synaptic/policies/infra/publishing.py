"""Versions of packages published or taken back."""

import re

from synaptic.policies.infra.asked import AskedHarm
from synaptic.policies.infra.verbs import read_harm
from synaptic.shell.paths import MAX_PATH
from synaptic.shell.read.script import Command, Script

HINTS = (
    *("publish", "push", "delete", "yank", "upload", "deploy", "release", "deprecate", "dist-tag", "deliver", "supply"),
    *("production", "--ci", "--no-ci", "version"),
)
HARM = read_harm(
    "release",
    "change what everybody gets from a registry, and a version that was published or withdrawn cannot be given again",
    "Do a dry run (`--dry-run`, `pack`, `check`) first and let the user publish.",
    # npm and its like are in every other command, and hardly ever publish.
    hints=HINTS,
)
TEST_REGISTRY = ("testpypi", "test.pypi.")
FOLDER_REGISTRY = re.compile(r"-D(?:altDeploymentRepository=(?:[^:\s]+::){1,2}|url=)file:(?!//[^/]).*", re.DOTALL)
"""A folder of this machine in place of a registry: `mvn deploy -DaltDeploymentRepository=local::file:/tmp/m2`."""


class Publishing(AskedHarm):
    """Publishing a package, or withdrawing one that others use.

    ## What it does
    Asks before `npm publish` and `unpublish`, `cargo publish` and `yank`, `twine upload`, `uv publish`, `poetry
    publish`, `gem push`, `mvn deploy`, `gradle publish`, `helm push` and their kin; before `npm deprecate`, and before
    `npm dist-tag` changes what is installed where no version is named; and before tools that make a whole release
    (`goreleaser release`, `semantic-release --no-ci`, `fastlane deliver`). Dry runs and snapshots are free, and so are
    TestPyPI, registries at an address of this machine and folders of it (`-DaltDeploymentRepository=x::file:/tmp/m2`).
    `firm` denies instead.
    ## Why
    What was published is copied within minutes: a secret or a broken version in it cannot be called back.
    ## Known gaps
    Scripts of a project that publish (`npm run release`) and images (`docker push`) are not looked at. A release of a
    forge (`gh release create`) is free, since it can be deleted again.
    """

    id = "infra.publishing"
    harm = HARM
    speaks_of = HARM.tools

    def spares(self, command: Command, found: Script) -> bool:
        return _is_for_tests(command) or _is_folder(command)


def _is_for_tests(command: Command) -> bool:
    return any(name in text for text in command.args for name in TEST_REGISTRY)


def _is_folder(command: Command) -> bool:
    return any(len(text) <= MAX_PATH and FOLDER_REGISTRY.fullmatch(text) is not None for text in command.args)
