"""What Python code gives to databases, and deletes in clouds."""

import ast
import re

from synaptic.model.once import computed_once
from synaptic.shell.languages.acts import CodeAct
from synaptic.shell.languages.clouds import MONGO_EMPTYING, VERBS, read_python_deletion, uses_cloud
from synaptic.shell.languages.code_database import CodeDatabase, describe_database
from synaptic.shell.languages.data_libraries import PYTHON_CALLS, deletes_rows, make_library_call, read_python_emptying
from synaptic.shell.languages.python_sending import PythonSending
from synaptic.shell.read.script import Word

SQL_METHODS = frozenset({"execute", "executescript", "executemany", "exec_driver_sql"})
CHANGING_SQL = re.compile(r"\b(?:drop|truncate|alter|delete|update)\b", re.IGNORECASE)
CONNECTS = frozenset({"connect", "create_engine", "Connection"})
CLIENTS = (("psql", ("psycopg", "asyncpg", "pg8000", "postgres")), ("mysql", ("mysql", "MySQLdb", "mariadb")),
           ("duckdb", ("duckdb",)))  # fmt: skip
"""The clients of databases, by what code that uses one holds."""
SQLITE = re.compile(r"^sqlite\w*:/{2,3}")


class PythonDatabases(PythonSending):
    """Follows which database a statement is given to, and which service a call is made to."""

    def __init__(self, code: str, argv: tuple[Word, ...] = ()) -> None:
        super().__init__(code, argv)
        self.code = code
        self.database: ast.Call | None = None
        """The first that was opened."""
        self.uses_cloud = uses_cloud(code)

    def opens_database(self, node: ast.Call) -> bool:
        """Whether a call names a database; `engine.connect()` names none."""
        func = node.func
        return (
            bool(node.args) and (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")) in CONNECTS
        )

    def read_statement(self, node: ast.Call, argument: ast.expr) -> CodeAct | None:
        """SQL that changes a database, as its client would be given it."""
        argument = self.resolve_value(argument)
        if isinstance(argument, ast.Call) and argument.args:  # `text("...")`
            argument = argument.args[0]
        text = self.to_word(argument)
        if not CHANGING_SQL.search(text.text):
            return None
        opened = self._find_connection(node)
        held = [_find_database_file(self.to_word(opened.args[0]))] if opened is not None else []
        # Only the imports tell which database it is; sqlite3 comes with Python and needs none of these.
        client = next((name for name, signs in CLIENTS if any(sign in self.code for sign in signs)), "sqlite3")
        return CodeAct("argv", [Word(client), *held, text])

    def read_cloud_call(self, node: ast.Call, name: str) -> CodeAct | None:
        """What is deleted through the library of a cloud; a name that a loop draws stands for what it draws from."""
        last = name.rpartition(".")[2]
        if not self.uses_cloud or not last.startswith(VERBS):
            return None
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(owner, ast.Name) and owner.id in self.drawn:
            name = f"{self.resolve_name(self.drawn[owner.id])}.{last}"
        if last in MONGO_EMPTYING and "pymongo" in self.code:
            name = f"pymongo.{last}"  # a collection is named in many ways: `client["shop"].orders`
        words = [self.to_word(item) for item in node.args]
        return read_python_deletion(name, self.code, words, not node.args or _is_empty_table(node.args[0]))

    def read_library_call(self, node: ast.Call, name: str) -> CodeAct | None:
        """What is emptied or dropped through a library that has the database at hand."""
        if name.rpartition(".")[2] not in PYTHON_CALLS or name.startswith("pymongo."):
            return None
        call = ast.unparse(node.func)
        words = read_python_emptying(call)
        if not words or self._described.is_throwaway or (deletes_rows(call) and self._described.is_made_good):
            return None
        return make_library_call(words, self._described)

    @computed_once
    def _described(self) -> CodeDatabase:
        return describe_database(self.code)

    def _find_connection(self, node: ast.expr) -> ast.Call | None:
        """The call that opened the database on which another one is made."""
        for _ in range(6):
            node = self.resolve_value(node)
            if isinstance(node, ast.Call) and self.opens_database(node):
                return node
            if isinstance(node, ast.Call):
                node = node.func
            elif isinstance(node, ast.Attribute):
                node = node.value
        return self.database


def _find_database_file(word: Word) -> Word:
    """The file of a database; `sqlite://` alone is one in memory."""
    return Word(SQLITE.sub("", word.text) or ":memory:", word.known)


def _is_empty_table(node: ast.expr) -> bool:
    return isinstance(node, ast.Dict) and not node.keys
