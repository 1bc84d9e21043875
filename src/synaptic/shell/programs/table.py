"""The programs whose arguments are understood: what each of them runs, changes or prints."""

from synaptic.shell.book.entries import ProgramEntry, iter_programs
from synaptic.shell.programs import (
    builtin,
    elsewhere,
    escapes,
    feed,
    filters,
    folders,
    interpreters,
    items,
    manifest,
    repository,
    shells,
    starters,
)
from synaptic.shell.programs.pagers import start_pager
from synaptic.shell.read.evaluate import ProgramHandler

OWN_HANDLERS: dict[str, ProgramHandler] = {
    **starters.STARTERS,
    **manifest.MANIFESTS,
    **feed.FEEDS,
    **folders.FOLDER_PRINTERS,
    **shells.SHELL_HANDLERS,
    **items.ITEMS,
    **elsewhere.ELSEWHERE,
    **interpreters.LANGUAGES,
    **escapes.ESCAPES,
    **repository.REPOSITORIES,
}
"""Programs that need code of their own to tell what they start, by the name of their book entry."""


def _find_handler(program: ProgramEntry) -> ProgramHandler | None:
    """What follows a program: its own logic, or what the book says that it runs."""
    if program.name in OWN_HANDLERS:
        return OWN_HANDLERS[program.name]
    if program.remote:
        return elsewhere.start_remote
    if program.starts:
        return start_pager
    runs = (program, *program.verbs.values())
    return starters.start_declared if any(one.starts_command for one in runs) else None


PROGRAM_HANDLERS: dict[str, ProgramHandler] = {
    **builtin.BUILTINS,
    "print": feed.run_print,
    "zargs": items.run_zargs,
    **{name: handler for one in iter_programs() if (handler := _find_handler(one)) for name in one.names},
    **filters.FILTERS,
}
"""By every name of each program."""
