"""What code empties or drops through the libraries of databases and queues, as a command that a policy can judge.

The command is `library-call CALL [ADDRESS]`; in front of a call that empties a queue stands `queue`. Code that says of
itself that its database is one for tests, of this machine, or in memory, is left alone.
"""

import re
from collections.abc import Sequence

from synaptic.shell.languages.acts import CodeAct
from synaptic.shell.languages.code_database import CodeDatabase, describe_database
from synaptic.shell.read.script import Word

PYTHON_CALLS = frozenset({"drop_all", "drop_database", "delete", "_raw_delete", "purge"})
"""Last names of calls in Python that may empty something."""
PYTHON_DROPS = re.compile(r"(?:\w[\w.()\[\]'\"]*\.)?(?:drop_all|drop_database)")
PYTHON_ROWS = re.compile(
    r".*(?:\.objects(?:\.all\(\)|\.filter\(\))?\.(?:_raw_)?delete|\.query\([\w.]+\)\.delete|\.query\.delete)", re.DOTALL
)
"""Managers of Django, sessions of SQLAlchemy, and nothing that says which rows."""
PYTHON_QUEUES = re.compile(r".*\.control\.purge", re.DOTALL)
JAVASCRIPT_SIGNS = re.compile(
    r"dropDatabase|obliterate|deleteMany|\.del\(|truncate|dropTable|\.drop\(|\.sync\(|synchronize\(|flush(?:all|db)",
    re.IGNORECASE,
)
"""What JavaScript holds at least that does one of these."""
JAVASCRIPT_DROPS = frozenset({"dropDatabase", "dropTable", "dropTableIfExists", "dropAllSchemas", "dropSchema"})
REDIS_CALLS = frozenset({"flushall", "flushdb", "flushAll", "flushDb"})
QUEUE_CALLS = frozenset({"obliterate"})
KNEX_CALLS = frozenset({"del", "delete", "truncate"})
KNEX_NAMES = frozenset({"knex", "db", "trx"})
FILLING_CALLS = ("create", "createMany", "createManyAndReturn", "insertMany", "upsert")
NOTHING_GIVEN = ("( )", "( { } )", "( { where : { } } )")
"""Arguments that do not say which rows."""
FORCED = re.compile(r"\( \{ (?:\w+ : \w+ , )*+force : true\b")
Tokens = Sequence[tuple[str, str]]
JAVASCRIPT_CALLS = (
    JAVASCRIPT_DROPS | REDIS_CALLS | QUEUE_CALLS | KNEX_CALLS | {"deleteMany", "sync", "synchronize", "drop"}
)
LIBRARY_CALL = "library-call"
MAX_TOKENS = 20_000
MAX_CALL = 500
"""Characters of one call in Python."""
MAX_CALLS = 100
"""Calls of one piece of JavaScript that are looked at."""


def read_python_emptying(call: str) -> list[str]:
    """The words of what a call written like this empties; none when it is nothing."""
    if len(call) > MAX_CALL:
        return []
    if PYTHON_QUEUES.fullmatch(call):
        return ["queue", f"{call}()"]
    return [f"{call}()"] if PYTHON_DROPS.fullmatch(call) or deletes_rows(call) else []


def deletes_rows(call: str) -> bool:
    """Whether it deletes rows, which the same code may put in again, and drops nothing."""
    return PYTHON_ROWS.fullmatch(call) is not None


def read_javascript_emptying(row: Tokens, code: str) -> list[CodeAct]:
    """The same for JavaScript, from its names, marks and texts in their order."""
    named = ((place, text) for place, (kind, text) in enumerate(row[:MAX_TOKENS]) if kind == "name")
    ends = ((place, text, text.rpartition(".")[2]) for place, text in named)
    calls = [(place, text, last) for place, text, last in ends if last in JAVASCRIPT_CALLS][:MAX_CALLS]
    database = describe_database(code) if calls else None
    if database is None or database.is_throwaway:
        return []
    acts: list[CodeAct] = []
    for place, text, last in calls:
        if last in QUEUE_CALLS and _show_tokens(row, place + 1, 1) == "(":
            acts.append(make_library_call(["queue", f"{text}()"], database))
        elif _empties(row, place, last) or (last in REDIS_CALLS and database.is_named):
            acts.append(make_library_call([f"{text}()"], database))
    return acts


def make_library_call(words: list[str], database: CodeDatabase) -> CodeAct:
    """A call of a library as a command: what is called, and where its database is when the code says so."""
    return CodeAct("argv", [Word(LIBRARY_CALL), *map(Word, words), *database.address])


def _empties(row: Tokens, place: int, last: str) -> bool:
    """Whether the call at a name drops tables or a database, or deletes rows and says nothing about which."""
    given = _show_tokens(row, place + 1, 9)
    if last in JAVASCRIPT_DROPS:
        return given[:1] == "("
    if last == "deleteMany":
        return given.startswith(NOTHING_GIVEN) and not _is_filled_again(row, place)
    if last in KNEX_CALLS:  # `knex('users').del()`: nothing stands between the table and the end
        before = _show_tokens(row, place - 5, 5)
        return given[:3] == "( )" and any(before.endswith(f"{name} ( '' ) .") for name in KNEX_NAMES)
    if last == "sync":
        return FORCED.match(_show_tokens(row, place + 1, 20)) is not None
    if last == "synchronize":
        return given.startswith("( true )")
    return last == "drop" and row[place][1].endswith("sequelize.drop") and given[:1] == "("


def _is_filled_again(row: Tokens, place: int) -> bool:
    """Whether the same code puts rows into the same table afterwards, as the seed of a development database does."""
    table = row[place][1].removesuffix("deleteMany")
    filled = {f"{table}{name}" for name in FILLING_CALLS}
    return len(table) > 1 and any(text in filled for kind, text in row[place : place + MAX_TOKENS] if kind == "name")


def _show_tokens(row: Tokens, start: int, count: int) -> str:
    return " ".join("''" if kind == "string" else text for kind, text in row[max(start, 0) : start + count])
