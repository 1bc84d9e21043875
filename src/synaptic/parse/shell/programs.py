"""The programs whose arguments are understood: what each of them runs, changes or prints."""

from synaptic.parse.shell import builtin, container, escapes, feed, items, languages, repository, runner, shells, wrap
from synaptic.parse.shell.evaluate import Handler

PROGRAMS: dict[str, Handler] = {
    **wrap.WRAPPERS,
    **runner.RUNNERS,
    **builtin.BUILTINS,
    **feed.FEEDS,
    **shells.SHELLS,
    **items.ITEMS,
    **container.CONTAINERS,
    **languages.LANGUAGES,
    **escapes.ESCAPES,
    **repository.REPOSITORIES,
}
