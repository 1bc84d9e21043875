"""The programs whose arguments are understood: what each of them runs, changes or prints."""

from synaptic.shell.programs import (
    builtin,
    container,
    deleters,
    escapes,
    feed,
    folders,
    interpreters,
    items,
    lines,
    manifest,
    remote,
    repository,
    runner,
    shells,
    wrap,
)
from synaptic.shell.read.evaluate import Handler

PROGRAMS: dict[str, Handler] = {
    **wrap.WRAPPERS,
    **runner.RUNNERS,
    **manifest.MANIFESTS,
    **deleters.DELETERS,
    **lines.LINES,
    **remote.REMOTES,
    **builtin.BUILTINS,
    **feed.FEEDS,
    **folders.FOLDERS,
    **shells.SHELLS,
    **items.ITEMS,
    **container.CONTAINERS,
    **interpreters.LANGUAGES,
    **escapes.ESCAPES,
    **repository.REPOSITORIES,
}
