"""Registry on a MySQL server: a Dolt SQL server with branches, or plain tables as the one channel `main`."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

import pymysql

from synaptic.model.environment import DEFAULT_CHANNEL
from synaptic.model.refusal import Code, Refusal
from synaptic.packages.database import PastVersion, RegistryChange, Rows, check_ref, hide_password
from synaptic.packages.rows import Commit

DEFAULT_PORT = 3306
CONNECT_TIMEOUT = 10
MYSQL_ERRORS: dict[int, tuple[Code, str]] = {
    1044: ("backend_auth_failed", "check user and rights"),
    1045: ("backend_auth_failed", "check user and password"),
    1049: ("not_found", "create the database, then: synaptic registry init --registry URL"),
    1146: ("validation_failed", "is it a registry? synaptic registry init --registry URL makes the tables"),
    1205: ("backend_unavailable", "another process is writing to it; try again"),
    1213: ("backend_unavailable", "another process is writing to it; try again"),
    1062: ("conflict", "somebody else has written the same package; try again"),
    2003: ("backend_unavailable", "is the server running?"),
    2006: ("backend_unavailable", "is the server running?"),
    2013: ("backend_unavailable", "is the server running?"),
}
Result = TypeVar("Result")


def open_mysql(url: str) -> "PlainTables":
    """Connect to the database of a URL; it has branches when the server is Dolt's."""
    parts = urlsplit(url)
    connection = _explain_errors(url, lambda: _connect_server(parts))
    return DoltServer(url, connection) if _has_branches(connection) else PlainTables(url, connection)


class PlainTables:
    """Tables without history: they are the one channel `main`."""

    def __init__(self, url: str, connection: Any) -> None:
        self.url = url
        self._connection = connection

    def make_table_sql(self, name: str, ref: str) -> str:
        return name

    def query(self, sql: str, params: Sequence[object] = ()) -> Rows:
        return _explain_errors(self.url, lambda: _run_query(self._connection, sql, params))

    def list_channels(self) -> tuple[str, ...]:
        return (DEFAULT_CHANNEL,)

    def read_head(self, channel: str) -> str:
        return ""

    def read_log(self, ref: str) -> tuple[Commit, ...]:
        return ()

    def read_past(self, package_id: str, channel: str) -> list[PastVersion]:
        return []

    def write(self, change: RegistryChange) -> str:
        return _explain_errors(self.url, lambda: self._write_change(change))

    def close(self) -> None:
        if self._connection.open:
            self._connection.close()

    def _write_change(self, change: RegistryChange) -> str:
        try:
            for sql, params in change.statements:
                _run_query(self._connection, sql, params)
            commit = self._commit_change(change)
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.commit()
        return commit

    def _commit_change(self, change: RegistryChange) -> str:
        return ""


class DoltServer(PlainTables):
    """Dolt's own server: `database/branch` and `database/commit` are databases, and so tables of any moment."""

    def make_table_sql(self, name: str, ref: str) -> str:
        return f"{self._quote_database(ref)}.{name}"

    def list_channels(self) -> tuple[str, ...]:
        return tuple(sorted(str(row[0]) for row in self.query("SELECT name FROM dolt_branches")))

    def read_head(self, channel: str) -> str:
        return str(self.query("SELECT DOLT_HASHOF(?)", [check_ref(channel)])[0][0])

    def read_log(self, ref: str) -> tuple[Commit, ...]:
        sql = f"SELECT commit_hash, committer, date, message FROM {self._quote_database(ref)}.dolt_log"
        return tuple(Commit(*map(str, row)) for row in self.query(sql))

    def read_past(self, package_id: str, channel: str) -> list[PastVersion]:
        history = f"{self._quote_database(channel)}.dolt_history_packages"
        sql = f"SELECT version, sha256, commit_hash FROM {history} WHERE id = ? ORDER BY commit_date DESC"
        return [PastVersion(*map(str, row)) for row in self.query(sql, [package_id])]

    def merge(self, source: str, target: str) -> str:
        self._use_channel(target)
        self.query("CALL DOLT_MERGE(?)", [check_ref(source)])
        return self.read_head(target)

    def undo(self, channel: str) -> str:
        self._use_channel(channel)
        self.query("CALL DOLT_RESET('--hard', 'HEAD~1')")
        return self.read_head(channel)

    def _write_change(self, change: RegistryChange) -> str:
        self._use_channel(change.channel)
        return super()._write_change(change)

    def _commit_change(self, change: RegistryChange) -> str:
        # DOLT_COMMIT fails when nothing has changed.
        if not _run_query(self._connection, "SELECT 1 FROM dolt_status LIMIT 1", ()):
            return ""
        words = ["-A", "-m", change.message, "--author", change.author]
        return str(_run_query(self._connection, "CALL DOLT_COMMIT(?, ?, ?, ?, ?)", words)[0][0])

    def _use_channel(self, channel: str) -> None:
        self.query(f"USE {self._quote_database(channel)}")

    def _quote_database(self, ref: str) -> str:
        return f"`{_get_database_name(urlsplit(self.url))}/{check_ref(ref)}`"


def _connect_server(parts: SplitResult) -> Any:
    """Connect without autocommit, so that one command reads everything from one snapshot."""
    return pymysql.connect(
        host=parts.hostname or "127.0.0.1",
        port=parts.port or DEFAULT_PORT,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        database=_get_database_name(parts),
        charset="utf8mb4",
        connect_timeout=CONNECT_TIMEOUT,
        autocommit=False,
    )


def _get_database_name(parts: SplitResult) -> str:
    return check_ref(unquote(parts.path).strip("/") or "-")


def _run_query(connection: Any, sql: str, params: Sequence[object]) -> Rows:
    with connection.cursor() as cursor:
        # PyMySQL fills parameters in with `%`, so literal percent signs of LIKE patterns are doubled first.
        cursor.execute(sql.replace("%", "%%").replace("?", "%s"), list(params))
        return [list(row) for row in cursor.fetchall()]


def _has_branches(connection: Any) -> bool:
    try:
        _run_query(connection, "SELECT DOLT_VERSION()", ())
    except pymysql.MySQLError:
        return False
    return True


def _explain_errors(url: str, work: Callable[[], Result]) -> Result:
    try:
        return work()
    except pymysql.MySQLError as error:
        number = error.args[0] if error.args and isinstance(error.args[0], int) else 0
        code, hint = MYSQL_ERRORS.get(number, ("internal_error", ""))
        raise Refusal(code, str(error.args[-1] if error.args else error), where=hide_password(url), hint=hint) from None
