"""The programs whose arguments are understood: what each of them runs, changes or prints."""

from synaptic.shell.book.entries import Program, programs
from synaptic.shell.programs import (
    builtin,
    elsewhere,
    escapes,
    feed,
    folders,
    interpreters,
    items,
    manifest,
    repository,
    shells,
    starters,
)
from synaptic.shell.programs.pagers import start_pager
from synaptic.shell.read.evaluate import Handler

WITH_LOGIC: dict[str, Handler] = {
    **starters.STARTERS,
    **manifest.MANIFESTS,
    **feed.FEEDS,
    **folders.FOLDERS,
    **shells.SHELLS,
    **items.ITEMS,
    **elsewhere.ELSEWHERE,
    **interpreters.LANGUAGES,
    **escapes.ESCAPES,
    **repository.REPOSITORIES,
}
"""Programs that need code of their own to tell what they start, by the name of their book entry."""


def _find_handler(program: Program) -> Handler | None:
    """What follows a program: its own logic, or what the book says that it runs."""
    if program.name in WITH_LOGIC:
        return WITH_LOGIC[program.name]
    if program.remote:
        return elsewhere.start_remote
    if program.starts:
        return start_pager
    runs = (program, *program.verbs.values())
    return starters.start_declared if any(one.starts_command for one in runs) else None


PROGRAMS: dict[str, Handler] = {
    **builtin.BUILTINS,
    **{name: handler for one in programs() if (handler := _find_handler(one)) for name in one.names},
}
"""By every name of each program."""
