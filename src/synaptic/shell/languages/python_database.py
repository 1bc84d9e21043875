"""SQL that Python code gives to a database."""

import ast
import re

from synaptic.shell.languages.acts import Act
from synaptic.shell.languages.python_sending import Sending
from synaptic.shell.read.script import Word

STATEMENTS = frozenset({"execute", "executescript", "executemany", "exec_driver_sql"})
CHANGES = re.compile(r"\b(?:drop|truncate|alter|delete|update)\b", re.IGNORECASE)
CONNECTS = frozenset({"connect", "create_engine", "Connection"})
CLIENTS = (("psql", ("psycopg", "asyncpg", "pg8000", "postgres")), ("mysql", ("mysql", "MySQLdb", "mariadb")),
           ("duckdb", ("duckdb",)))  # fmt: skip
"""The clients of databases, by what code that uses one holds."""
SQLITE = re.compile(r"^sqlite\w*:/{2,3}")


class Databases(Sending):
    """Follows which database a statement is given to."""

    def __init__(self, code: str, argv: tuple[Word, ...] = ()) -> None:
        super().__init__(code, argv)
        self.code = code
        self.database: ast.Call | None = None
        """The first that was opened."""

    def connects(self, node: ast.Call) -> bool:
        """Whether a call names a database; `engine.connect()` names none."""
        func = node.func
        return (
            bool(node.args) and (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")) in CONNECTS
        )

    def statement(self, node: ast.Call, argument: ast.expr) -> Act | None:
        """SQL that changes a database, as its client would be given it."""
        argument = self.value(argument)
        if isinstance(argument, ast.Call) and argument.args:  # `text("...")`
            argument = argument.args[0]
        text = self.word(argument)
        if not CHANGES.search(text.text):
            return None
        opened = self._connection(node)
        held = [_place(self.word(opened.args[0]))] if opened is not None else []
        # Only the imports tell which database it is; sqlite3 comes with Python and needs none of these.
        client = next((name for name, signs in CLIENTS if any(sign in self.code for sign in signs)), "sqlite3")
        return Act("argv", [Word(client), *held, text])

    def _connection(self, node: ast.expr) -> ast.Call | None:
        """The call that opened the database on which another one is made."""
        for _ in range(6):
            node = self.value(node)
            if isinstance(node, ast.Call) and self.connects(node):
                return node
            if isinstance(node, ast.Call):
                node = node.func
            elif isinstance(node, ast.Attribute):
                node = node.value
        return self.database


def _place(word: Word) -> Word:
    """The file of a database; `sqlite://` alone is one in memory."""
    return Word(SQLITE.sub("", word.text) or ":memory:", word.known)
