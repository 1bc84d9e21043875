"""Worker process that loads doltlite: one database, one line of JSON in, one line out.

Run as a script, isolated; it imports nothing of ours. doltlite takes the place of the interpreter's SQLite, which
nothing else of ours may live with. When the other side goes away, what was not committed is gone as well.
"""

import importlib
import json
import os
import sys
from typing import Any

BUSY_SECONDS = 0.2
"""Seconds to wait for another writer inside SQLite; the asking process retries after that."""


def main() -> None:
    """Serve until stdin ends."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # doltlite prints to stdout; a stray line there would be taken for an answer.
    os.dup2(2, 1)
    connection = None
    for line in requests:
        try:
            connection = connection or connect_database(sys.argv[1])
            answer = run_request(connection, json.loads(line))
        except Exception as error:  # noqa: BLE001 - whatever the engine says is the answer
            answer = {"error": str(error), "kind": type(error).__name__}
        answers.write(json.dumps(answer, separators=(",", ":")).encode() + b"\n")
        answers.flush()


def connect_database(path: str) -> Any:
    """Connect to the database, with doltlite as the engine behind Python's sqlite3 module."""
    importlib.import_module("doltlite")  # first: what sqlite3 then loads is doltlite
    sqlite3 = importlib.import_module("sqlite3")
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECONDS)
    try:
        connection.execute("SELECT dolt_version()")
    except sqlite3.OperationalError as error:
        if "no such function" not in str(error):
            raise
        raise RuntimeError("this Python has SQLite built in, and doltlite cannot take its place") from None
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def run_request(connection: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Run a query, or a change: statements in one transaction on one branch, ended by a Dolt commit."""
    if "sql" in request:
        return {"rows": connection.execute(request["sql"], request["params"]).fetchall()}
    connection.execute("SELECT dolt_checkout(?)", [request["branch"]]).fetchall()
    connection.execute("BEGIN IMMEDIATE")
    try:
        for sql, params in request["statements"]:
            connection.execute(sql, params).fetchall()
        commit = make_commit(connection, request)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return {"rows": [[commit]]}


def make_commit(connection: Any, request: dict[str, Any]) -> str:
    """Make a Dolt commit and return its hash; "" when nothing has changed."""
    if not connection.execute("SELECT 1 FROM dolt_status LIMIT 1").fetchall():
        return ""
    words = ["-A", "-m", request["message"], "--author", request["author"]]
    return str(connection.execute("SELECT dolt_commit(?, ?, ?, ?, ?)", words).fetchone()[0])


if __name__ == "__main__":
    main()
