"""Code for the shell of a framework that deletes every row of a table, or drops one."""

import re
from collections.abc import Iterator

from synaptic.policies.infra.verbs import find_tool
from synaptic.shell.book.entries import BOOK
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script

ORM_TOOLS = frozenset(name for name, one in BOOK.items() if one.database == "orm")
SHELL_VERBS = split_names("shell shell_plus runner r console c tinker run eval")
FEEDING_PROGRAMS = split_names("echo printf cat")
EVERY_ROW = re.compile(
    # Python: managers of Django, sessions of SQLAlchemy.
    r"\.objects(?:\.all\(\)|\.filter\(\))?\.(?:_raw_)?delete\(\)|\.query\(\s*+\w++\s*+\)\.delete\(\)|\.query\.delete\(\)"
    r"|\bdrop_all\(\)"
    # Ruby: a class, or all of it, and nothing that says which.
    r"|(?:^|[\s;({\[])(?:[A-Z]\w*::)*[A-Z]\w*(?:\.(?:all|unscoped|with_deleted))*\.(?:delete_all|destroy_all|really_destroy_all)\b(?!\s*\(\s*\w)"
    r"|\b[A-Z]\w*(?:\.all)?\.(?:find_each|each)\s*(?:\(\s*&:(?:destroy|delete)!?\s*\)|\{\s*\|(\w+)\|\s*\1\.(?:destroy|delete)!?\s*\})"
    # Ruby: jobs that wait.
    r"|\bSidekiq::(?:Queue|RetrySet|ScheduledSet|DeadSet)\b[^;\n]{0,80}(?:\.clear\b|&:clear\b)|\bSidekiq\.redis\b[^;\n]{0,60}\bflush(?:all|db)\b"
    # PHP: models and tables of Laravel.
    r"|\b[A-Z]\w*::(?:truncate\(|query\(\)->(?:forceD|d)elete\(\))|\btable\([^)]{0,200}\)->(?:truncate|delete)\(\)"
    # Elixir.
    r"|\bRepo\.delete_all\(\s*[A-Z][\w.]*\s*\)"
)
STATEMENT = re.compile(
    r"(?:execute|exec_query|statement|unprepared|query!?|raw)\s*+\(?+\s*+\(?+\s*+f?['\"`]{1,3}\s*+"
    r"(?:drop\s++(?:table|database|schema)|truncate)\b",
    re.IGNORECASE,
)
UNDONE = re.compile(r"rollback", re.IGNORECASE)
MAX_CODE = 20_000


def deletes_every_row(command: Command, found: Script) -> bool:
    """Whether the code that the shell of a framework is given deletes a whole table, and does not take it back."""
    name, words = find_tool(command, ORM_TOOLS)
    if not name or not any(word.text in SHELL_VERBS for word in words[:3]):
        return False
    codes = [text[:MAX_CODE] for text in _iter_code(command, found)]
    return any(EVERY_ROW.search(text) or STATEMENT.search(text) for text in codes) and not any(
        map(UNDONE.search, codes)
    )


def _iter_code(command: Command, found: Script) -> Iterator[str]:
    yield from command.args
    yield command.stdin or ""
    if command.stdin is None:
        fed = (one for one in found.find_upstream(command) if one.name in FEEDING_PROGRAMS)
        yield from (text for one in fed for text in one.args)
