"""Registry on a MySQL server: a Dolt SQL server with branches, or plain tables as the one channel `main`."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

import pymysql

from synaptic.model.environment import DEFAULT_CHANNEL
from synaptic.model.refusal import Code, Refusal
from synaptic.packages.database import Change, Past, Rows, checked_ref, shown
from synaptic.packages.rows import Commit

PORT = 3306
SECONDS = 10
MEANINGS: dict[int, tuple[Code, str]] = {
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
    connection = _explained(url, lambda: _connect(parts))
    return DoltServer(url, connection) if _has_branches(connection) else PlainTables(url, connection)


class PlainTables:
    """Tables without history: they are the one channel `main`."""

    def __init__(self, url: str, connection: Any) -> None:
        self.url = url
        self._connection = connection

    def table(self, name: str, ref: str) -> str:
        return name

    def rows(self, sql: str, params: Sequence[object] = ()) -> Rows:
        return _explained(self.url, lambda: _run(self._connection, sql, params))

    def channels(self) -> tuple[str, ...]:
        return (DEFAULT_CHANNEL,)

    def head(self, channel: str) -> str:
        return ""

    def log(self, ref: str) -> tuple[Commit, ...]:
        return ()

    def past(self, package_id: str, channel: str) -> list[Past]:
        return []

    def write(self, change: Change) -> str:
        return _explained(self.url, lambda: self._write(change))

    def close(self) -> None:
        if self._connection.open:
            self._connection.close()

    def _write(self, change: Change) -> str:
        try:
            for sql, params in change.statements:
                _run(self._connection, sql, params)
            commit = self._commit(change)
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.commit()
        return commit

    def _commit(self, change: Change) -> str:
        return ""


class DoltServer(PlainTables):
    """Dolt's own server: `database/branch` and `database/commit` are databases, and so tables of any moment."""

    def table(self, name: str, ref: str) -> str:
        return f"{self._database(ref)}.{name}"

    def channels(self) -> tuple[str, ...]:
        return tuple(sorted(str(row[0]) for row in self.rows("SELECT name FROM dolt_branches")))

    def head(self, channel: str) -> str:
        return str(self.rows("SELECT DOLT_HASHOF(?)", [checked_ref(channel)])[0][0])

    def log(self, ref: str) -> tuple[Commit, ...]:
        sql = f"SELECT commit_hash, committer, date, message FROM {self._database(ref)}.dolt_log"
        return tuple(Commit(*map(str, row)) for row in self.rows(sql))

    def past(self, package_id: str, channel: str) -> list[Past]:
        history = f"{self._database(channel)}.dolt_history_packages"
        sql = f"SELECT version, sha256, commit_hash FROM {history} WHERE id = ? ORDER BY commit_date DESC"
        return [Past(*map(str, row)) for row in self.rows(sql, [package_id])]

    def merge(self, source: str, target: str) -> str:
        self._use(target)
        self.rows("CALL DOLT_MERGE(?)", [checked_ref(source)])
        return self.head(target)

    def undo(self, channel: str) -> str:
        self._use(channel)
        self.rows("CALL DOLT_RESET('--hard', 'HEAD~1')")
        return self.head(channel)

    def _write(self, change: Change) -> str:
        self._use(change.channel)
        return super()._write(change)

    def _commit(self, change: Change) -> str:
        # DOLT_COMMIT fails when nothing has changed.
        if not _run(self._connection, "SELECT 1 FROM dolt_status LIMIT 1", ()):
            return ""
        words = ["-A", "-m", change.message, "--author", change.author]
        return str(_run(self._connection, "CALL DOLT_COMMIT(?, ?, ?, ?, ?)", words)[0][0])

    def _use(self, channel: str) -> None:
        self.rows(f"USE {self._database(channel)}")

    def _database(self, ref: str) -> str:
        return f"`{_name(urlsplit(self.url))}/{checked_ref(ref)}`"


def _connect(parts: SplitResult) -> Any:
    """Connect without autocommit, so that one command reads everything from one snapshot."""
    return pymysql.connect(
        host=parts.hostname or "127.0.0.1",
        port=parts.port or PORT,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        database=_name(parts),
        charset="utf8mb4",
        connect_timeout=SECONDS,
        autocommit=False,
    )


def _name(parts: SplitResult) -> str:
    return checked_ref(unquote(parts.path).strip("/") or "-")


def _run(connection: Any, sql: str, params: Sequence[object]) -> Rows:
    with connection.cursor() as cursor:
        # PyMySQL fills parameters in with `%`, so literal percent signs of LIKE patterns are doubled first.
        cursor.execute(sql.replace("%", "%%").replace("?", "%s"), list(params))
        return [list(row) for row in cursor.fetchall()]


def _has_branches(connection: Any) -> bool:
    try:
        _run(connection, "SELECT DOLT_VERSION()", ())
    except pymysql.MySQLError:
        return False
    return True


def _explained(url: str, work: Callable[[], Result]) -> Result:
    try:
        return work()
    except pymysql.MySQLError as error:
        number = error.args[0] if error.args and isinstance(error.args[0], int) else 0
        code, hint = MEANINGS.get(number, ("internal_error", ""))
        raise Refusal(code, str(error.args[-1] if error.args else error), where=shown(url), hint=hint) from None
