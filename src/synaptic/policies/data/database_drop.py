"""Tables and databases dropped from the command line."""

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Annotated

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import FEWER, ON, Policy
from synaptic.policies.data.created import keeps_going, strip_created, was_created_before
from synaptic.policies.data.framework_shells import ORM_TOOLS, deletes_every_row
from synaptic.policies.data.graph import deletes_unfiltered
from synaptic.policies.data.redis import REDIS_CLIENTS, deletes_matching_keys, flushes_redis
from synaptic.policies.data.restored import replaces_elsewhere
from synaptic.policies.data.started import uses_started_server
from synaptic.policies.facts import Facts
from synaptic.policies.infra.verbs import list_tools, read_harm
from synaptic.policies.reading import SHELL_TOOLS
from synaptic.policies.throwaway import is_local_host, is_test_address, is_test_name, runs_in_test_environment
from synaptic.shell.book.entries import BOOK, find_program
from synaptic.shell.languages.data_libraries import LIBRARY_CALL
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script
from synaptic.shell.reading import CommandReading

SQL_CLIENTS = frozenset(name for name, one in BOOK.items() if one.database == "sql")
MONGO_CLIENTS = frozenset(name for name, one in BOOK.items() if one.database == "mongo")
GRAPH_CLIENTS = frozenset(name for name, one in BOOK.items() if one.database == "cypher")
FEEDING_PROGRAMS = split_names("echo printf cat")
READ_ONLY_OPTIONS = split_names("-readonly --readonly -safe --safe --read-only")
LITERAL_OR_COMMENT = re.compile(r"'(?:[^']++|'')*'|--[^\n]*|/\*")
DROP = re.compile(
    r"\bdrop\s+(?:table|database|schema|keyspace|tablespace|measurement|series|shard|retention\s+policy|materialized\s+view|collection|user|role|owned)\b"
    r"|\btruncate\s+(?:table\s+)?[\w\"`\[.]",
    re.IGNORECASE,
)
ALTER = re.compile(r"\balter\s+table\b", re.IGNORECASE)
DROPPED = re.compile(r"\bdrop\s+(?:column|partition)\b", re.IGNORECASE)
UNBOUND = re.compile(
    r"\s*+(?:with\b.*?\)\s*+)?(?:alter\s++table\s++[^\s;]++(?:\s++on\s++cluster\s++[^\s;]++)?+\s++(?:delete|update)\b|delete\s++from\s++[^\s;]++|update\s++(?:only\s++)?[^\s;]++(?:\s++(?:as\s++)?\w++)?\s++set\b)",
    re.IGNORECASE | re.DOTALL,
)
"""A statement that changes rows."""
CHANGED = re.compile(r"delete|update", re.IGNORECASE)
BOUND = re.compile(r"\bwhere\b(?!\s*+(?:1\s*+=\s*+1|true|1)\s*+$)|\blimit\b|\busing\b|\bjoin\b", re.IGNORECASE)
"""What says which rows."""
UNDONE = re.compile(r"\brollback\b", re.IGNORECASE)
DROPPED_DATABASE = re.compile(r"\bdrop\s+(?:database|schema)\s+(?:if\s+exists\s+)?([\"`\[]?[\w.-]+)", re.IGNORECASE)
FRAMEWORKS = read_harm(
    "database",
    "empty or drop the database that the configuration points at, with everything in it",
    "Make a backup first and let the user run it, or name the test environment (`RAILS_ENV=test`).",
)
QUEUES = read_harm(
    "queue",
    "throw away what waits in a queue or a stream, and nobody will work on it",
    "Show what waits there first and let the user empty it, or name the test environment (`APP_ENV=test`).",
)
NAME_OPTIONS = ("dbname", "database", "db")
QUEUE_OPTIONS = ("topic", "group", "queues", "queue")
RESTORERS = split_names("pg_restore mongorestore")
LOCAL_NAMES = re.compile(
    r"\$\{?TMPDIR\b|(?:.*[-_./])?(?:dev|development|local|tmp|temp|scratch|cache|fixtures?|example|sample|demo)(?:[-_./]|$)"
)
"""Files that say of themselves that they can be made again."""
MONGO_DROP = re.compile(
    r"dropDatabase\s*+\(|\.drop\s*+\(|(?:deleteMany|remove)\s*+\(\s*+(?:\{\s*+\}\s*+[,)]|\))|dropUser|dropIndexes"
)
MONGO_CHANGE = re.compile(r"updateMany\s*+\(\s*+\{\s*+\}\s*+,")
STATEMENT_OPTION = re.compile(r"--(?:comm|exec|quer|sql|statement|cmd|eval|input-?query|init-command)[\w-]*=")
"""Long options with a statement."""
BUNDLED = re.compile(r"-[A-Za-z]{0,5}[ceqQ]")
"""Letters the last of which may be an option with a statement glued to it: `-eDROP`, `-qtAcDROP`."""
ADMIN_PROGRAMS = {name: re.compile(one.drops) for name, one in BOOK.items() if one.drops}
"""Programs that drop what is behind them, by the form of the word that makes them."""
ADMIN_NAMES = tuple(ADMIN_PROGRAMS)
MAX_STATEMENT = 50_000
"""Characters of one statement that are looked at."""
DROPPERS = SQL_CLIENTS | MONGO_CLIENTS | REDIS_CLIENTS | GRAPH_CLIENTS
CLIENTS = DROPPERS | frozenset(ADMIN_PROGRAMS) | FRAMEWORKS.programs | QUEUES.programs
TOOLS = FRAMEWORKS.tools | QUEUES.tools | ORM_TOOLS | ADMIN_PROGRAMS.keys()
FILE_CLIENTS = split_names("sqlite3 sqlite litecli duckdb")
"""Programs whose database is a file."""
EVERY_ROW = "change every row of a table"
EVERY_NODE = "delete every node that a pattern without a filter finds"
MATCHING_KEYS = "delete every key that matches a pattern, on another machine"
REPLACED = "drop the tables of another machine's database and put those of the dump in their place"
TEMPORARY = (":memory:", "/tmp/", "/var/tmp/")


class DatabaseDrop(Policy):
    """Dropping or emptying tables and databases.

    ## What it does
    Denies DROP and TRUNCATE statements given to a database client with an option, a pipe or a here-document, or written
    out in Python code that executes them, `dropdb`, `FLUSHALL` and `dropDatabase()`. Asks before DELETE and UPDATE
    without WHERE, and before the commands of frameworks that empty a database (`rails db:drop`, `prisma migrate reset`,
    `alembic downgrade base`, `flyway clean`, `manage.py flush` and others), which use the configured one; before code
    for their shells that deletes a whole table (`rails runner 'User.delete_all'`, `Order.objects.all().delete()`),
    before calls of libraries in Python and JavaScript that drop or empty (`db.drop_all()`, `dropDatabase()`,
    `prisma.user.deleteMany()`, `sequelize.sync({force: true})`), unless the code says that its database is for tests,
    for development, in memory or of this machine, or fills the table again; before nodes of a graph are deleted without
    a filter (`MATCH (n) DETACH DELETE n`), and before queues and streams are emptied (`celery purge`, `rabbitmqctl
    purge_queue`, `kafka-topics --delete`, `rq empty`, `nats stream purge`, `queue.obliterate()`); before restores that
    drop what is there (`pg_restore --clean`, `mongorestore --drop`, `pg_dump --clean | psql` of another machine), and
    before keys of another machine's redis are deleted by a pattern (`redis-cli -h prod --scan | xargs redis-cli -h prod
    del`). Free are read-only connections, transactions that are rolled back, databases in
    memory or `/tmp`, and what says that it is for tests: a database of this machine whose name begins or ends with
    `test` (`app_test`, `test_app`), an address such as `DATABASE_URL=postgres://localhost/app_test`, `RAILS_ENV=test`
    and its kin, `--env test`. Free is also what the same line has made: a container without a volume, which the command
    runs in or connects to, a table of the same statements (`create table t(i int); drop table t`), a database
    (`createdb x && dropdb x`), a redis at a port of its own. A file of SQLite or DuckDB in the project is asked about,
    and free when it is called `dev`, `local`, `tmp` or `cache`.
    ## Why
    A dropped table is gone for everyone, and a connection string does not say whether it is production.
    ## Known gaps
    Statements in files (`psql -f x.sql`) and those that a program builds are not read. Which database a configuration
    names is not looked up.
    """

    id = "data.database-drop"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = CLIENTS
    priority = 25
    preset = "essentials"

    unbounded: Annotated[bool, ON] = True
    """Also DELETE and UPDATE without WHERE."""
    temporary: Annotated[tuple[str, ...], FEWER] = TEMPORARY
    """Beginnings of database names that may be dropped."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        known = facts.command
        if known is None or CLIENTS.isdisjoint(known.programs) or not _names_client(known):
            return None
        found = known.script
        for command in found.commands:
            if self._is_spared(command):
                continue
            if verdict := _judge_framework(command, found):
                return verdict
            if _may_drop(command) and (what := self._describe_drop(command, found)):
                if _is_for_tests(command, found) or uses_started_server(command, found):
                    continue
                return _tell(command, what)
        return None

    def _is_spared(self, command: Command) -> bool:
        return any(text in READ_ONLY_OPTIONS or text.startswith(self.temporary) for text in command.args)

    def _describe_drop(self, command: Command, found: Script) -> str:
        """What a command would do to a database; empty when nothing."""
        name = command.name.lower()
        if name in SQL_CLIENTS:
            dropped = self._describe_statements([*_iter_statements(command, found)])
            return dropped or (REPLACED if replaces_elsewhere(command, found) else "")
        if name in MONGO_CLIENTS:
            return self._describe_mongo((*command.args, command.stdin or ""))
        if name in GRAPH_CLIENTS:
            texts = [*_iter_statements(command, found)]
            return self._describe_statements(texts) or (EVERY_NODE if any(map(deletes_unfiltered, texts)) else "")
        if name in REDIS_CLIENTS:
            matching = MATCHING_KEYS if deletes_matching_keys(command, found) else ""
            return "drop everything it holds" if flushes_redis(command) else matching
        return "drop a database" if _runs_admin_drop(command) and not was_created_before(command, found) else ""

    def _describe_mongo(self, texts: tuple[str, ...]) -> str:
        if any(map(MONGO_DROP.search, texts)):
            return "drop data"
        return EVERY_ROW if self.unbounded and any(map(MONGO_CHANGE.search, texts)) else ""

    def _describe_statements(self, texts: list[str]) -> str:
        if drop := next(filter(None, map(_find_drop, texts)), ""):
            return "" if _drops_tests_only(texts) else f"run {drop}"
        return EVERY_ROW if self.unbounded and any(map(_lacks_where, texts)) else ""


def _names_client(known: CommandReading) -> bool:
    """Whether a program may be judged at all: Python and its like are in every other command, mostly without one."""
    if not TOOLS.isdisjoint(list_tools(known)) or not DROPPERS.isdisjoint(map(str.lower, known.script.by_name)):
        return True
    return known.has_long_words or known.holds_hint(ADMIN_NAMES, known.words)


def _judge_framework(command: Command, found: Script) -> Verdict | None:
    """What a framework, a restore, a dump or a queue's tool throws away, unless it is for tests."""
    empties = deletes_every_row(command, found)
    harm = next((one for one in (FRAMEWORKS, QUEUES) if one.destroys(command)), None)
    if not empties and harm is None:
        return None
    if any(runs_in_test_environment(one, found) for one in (command, *_find_interpreter(command, found))):
        return None
    if any(map(is_test_address, command.args)):
        return None
    if harm is QUEUES and _names_test_queue(command):
        return None
    if command.name in RESTORERS and _is_for_tests(command, found):
        return None
    return harm.tell(command) if harm is not None and not empties else _tell(command, EVERY_ROW)


def _find_interpreter(command: Command, found: Script) -> tuple[Command, ...]:
    """The program that runs the code which makes a call; its variables say what the call is about."""
    before = reversed(found.commands[: command.index]) if command.name == LIBRARY_CALL else ()
    return tuple(islice((one for one in before if one.name != LIBRARY_CALL), 1))


def _names_test_queue(command: Command) -> bool:
    """Whether the last thing that is named is called after tests: the queue, the stream, the topic."""
    given = find_program(command.name).read(command.argv[1:])
    named = (*given.operands[1:][-1:], *given.get_values(*QUEUE_OPTIONS))
    return bool(named) and all(is_test_name(word.text.removeprefix("name=")) for word in named)


def _tell(command: Command, what: str) -> Verdict:
    instead = "Make a backup and a migration that can be undone, or let the user run it."
    if what == EVERY_ROW:
        return ask(f"`{command.name}` would {what}, and what was there is gone. Say which rows. {instead}")
    say = ask if what in (REPLACED, MATCHING_KEYS, EVERY_NODE) or command.name.lower() in FILE_CLIENTS else deny
    return say(f"`{command.name}` would {what}. {instead}")


def _is_for_tests(command: Command, found: Script) -> bool:
    """Whether the database is one for tests on this machine, or a file that can be made again."""
    given = find_program(command.name).read(command.argv[1:])
    # `mysqladmin drop NAME`: the name stands behind the verb.
    named = given.operands[-1:] if command.name in ADMIN_PROGRAMS else given.operands[:1]
    names = [word.text for word in (*given.get_values(*NAME_OPTIONS), *named) if " " not in word.text]
    if command.name.lower() in FILE_CLIENTS:
        return any(LOCAL_NAMES.match(text) or any(map(is_test_name, text.split("/"))) for text in names)
    if any(map(is_test_address, names)) or runs_in_test_environment(command, found):
        return True
    hosts = [word.text for word in given.get_values("host")]
    return any(map(is_test_name, names)) and all(map(is_local_host, hosts))


def _drops_tests_only(texts: list[str]) -> bool:
    """Whether nothing but databases is dropped, and all of them are named after tests."""
    dropped = [name.strip('"`[') for text in texts for name in DROPPED_DATABASE.findall(text)]
    plain = sum(len(DROP.findall(text)) for text in texts)
    return len(dropped) == plain > 0 and all(map(is_test_name, dropped))


def _may_drop(command: Command) -> bool:
    """Whether it is one of the programs that are looked at, or runs one of a framework."""
    if command.name.lower() in DROPPERS:
        return True
    return not ADMIN_PROGRAMS.keys().isdisjoint(_list_programs(command))


def _find_drop(text: str) -> str:
    """The first statement that drops something, as it is shown."""
    plain = DROP.search(text)
    start = plain.start() if plain else len(text)
    column = next((found for found in _iter_dropped_columns(text) if found[0] < start), None)
    shown = text[slice(*column)] if column else plain[0] if plain else ""
    return " ".join(shown.split()).upper()


def _iter_dropped_columns(text: str) -> Iterator[tuple[int, int]]:
    """Where columns are dropped: from `alter table` to the last `drop column` of the same statement."""
    start = 0
    # Two simple patterns: one such as `alter table.*drop column` would go over the rest of the text for every ALTER.
    while (alter := ALTER.search(text, start)) is not None:
        end = text.find(";", alter.end())
        end = len(text) if end < 0 else end
        last = max((found.end() for found in DROPPED.finditer(text, alter.end(), end)), default=0)
        if last:
            yield alter.start(), last
        start = end


def _lacks_where(text: str) -> bool:
    """Whether a statement changes rows without saying which, and it is not undone again."""
    if CHANGED.search(text) is None or UNDONE.search(text):
        return False
    return any(UNBOUND.match(one) and not BOUND.search(one) for one in text.split(";"))


def _runs_admin_drop(command: Command) -> bool:
    if find_program(command.name).read(command.argv[1:]).is_help:
        return False
    form = next((ADMIN_PROGRAMS[text] for text in _list_programs(command) if text in ADMIN_PROGRAMS), None)
    return form is not None and any(form.fullmatch(text) for text in (*command.args, ""))


def _list_programs(command: Command) -> list[str]:
    """What a command runs: itself, or what its first argument names."""
    return [text.rpartition("/")[2] for text in (command.name, *(word.text for word in command.argv[1:2]))]


def _iter_statements(command: Command, found: Script) -> Iterator[str]:
    """The SQL that a client is given, without comments and literals."""
    given = [_strip_literals(text[:MAX_STATEMENT]) for text in _iter_given(command.args)]
    yield from given if keeps_going(command) else map(strip_created, given)
    # Known input is read already; otherwise what `echo` and its like print into the pipe counts.
    fed = [one.args for one in found.find_upstream(command) if one.name in FEEDING_PROGRAMS]
    for text in chain(*fed) if command.stdin is None else (command.stdin,):
        if _is_statement(text):
            yield _strip_literals(text[:MAX_STATEMENT])


def _iter_given(args: tuple[str, ...]) -> Iterator[str]:
    return (part for text in args for part in _iter_values(text) if _is_statement(part))


def _is_statement(text: str) -> bool:
    """Whether it is one, and not a single word, which names a database or a file."""
    return " " in text.strip() or "\n" in text


def _iter_values(text: str) -> Iterator[str]:
    """What an argument may give: itself, or what is glued to the option it begins with."""
    if text[:1] != "-":
        yield text
    elif glued := STATEMENT_OPTION.match(text):
        yield text[glued.end() :]
    else:
        yield text
        yield from (text[end:] for end in range(2, 8) if BUNDLED.fullmatch(text, 0, end))


def _strip_literals(text: str) -> str:
    """A statement with an empty literal for each literal and comment. A comment that is never closed is none."""
    pieces: list[str] = []
    place = at = 0
    closing = text.rfind("*/")
    while (found := LITERAL_OR_COMMENT.search(text, at)) is not None:
        end = found.end()
        if found[0] == "/*":
            # Never closed, so no comment: otherwise `/*` would hide the statement behind it.
            if end > closing:
                at = end
                continue
            end = text.find("*/", end) + 2
        pieces += (text[place : found.start()], "''")
        place = at = end
    return "".join((*pieces, text[place:]))
