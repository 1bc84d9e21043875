"""Versions of packages published or taken back."""

from synaptic.policies.infra.asked import AskedHarm
from synaptic.policies.infra.verbs import read_harm
from synaptic.shell.read.script import Command, Script

HARM = read_harm(
    "release",
    "change what everybody gets from a registry, and a version that was published or withdrawn cannot be given again",
    "Do a dry run (`--dry-run`, `pack`, `check`) first and let the user publish.",
    # npm and its like are in every other command, and hardly ever publish.
    hints=("publish", "push", "delete", "yank", "upload", "deploy", "release:perform"),
)
TEST_REGISTRY = ("testpypi", "test.pypi.")


class Publishing(AskedHarm):
    """Publishing a package, or withdrawing one that others use.

    ## What it does
    Asks before `npm publish` and `unpublish`, `cargo publish` and `yank`, `twine upload`, `uv publish`, `poetry
    publish`, `gem push`, `mvn deploy`, `gradle publish` and their kin. Dry runs are free, and so are TestPyPI and
    registries at an address of this machine. `firm` denies instead.
    ## Why
    What was published is copied within minutes: a secret or a broken version in it cannot be called back.
    ## Known gaps
    Scripts of a project that publish (`npm run release`), images (`docker push`) and deployments (`vercel --prod`) are
    not looked at. A release of a forge (`gh release create`) is free, since it can be deleted again.
    """

    id = "infra.publishing"
    harm = HARM
    speaks_of = HARM.tools

    def spares(self, command: Command, found: Script) -> bool:
        return _is_for_tests(command)


def _is_for_tests(command: Command) -> bool:
    return any(name in text for text in command.args for name in TEST_REGISTRY)
