"""Read the packages that a registry has published, over every kind of database."""

from typing import Self

from synaptic.hooks.nearest import make_hint
from synaptic.model.refusal import Refusal
from synaptic.packages.contents import refuse_bulk
from synaptic.packages.database import Database, hide_password
from synaptic.packages.rows import Bundle, Commit, Dep, HookRow, Package, PackageFile, Question, Variant
from synaptic.packages.tables import (
    ORDER_COLUMNS,
    OWNER_COLUMNS,
    REGISTRY_SCHEMA,
    TABLE_NAMES,
    Row,
    convert_rows,
    list_columns,
)

ROWS_LIMIT = 50_000
"""Rows of one table that are read at once."""
SEARCH_TEXT = "LOWER(CONCAT(name, ' ', COALESCE(description, ''), ' ', COALESCE(tags, '')))"


class PublishedRegistry:
    """A Source, see source.py."""

    def __init__(self, database: Database) -> None:
        self.url = database.url
        self.database = database
        self._checked = False

    def list_packages(self, channel: str) -> tuple[Package, ...]:
        return self._select_all(Package, channel)

    def find_package(self, name: str, channel: str, version: str | None = None) -> Package | None:
        ref = self._resolve_ref(name, channel, version)
        found = self._select_owned(Package, ref, name) if ref else ()
        return found[0] if found else None

    def find_bundle(self, name: str, channel: str, version: str | None = None) -> Bundle | None:
        ref = self._resolve_ref(name, channel, version)
        packages = self._select_owned(Package, ref, name) if ref else ()
        if not ref or not packages:
            return None
        self._refuse_bulk(ref, name)
        return Bundle(
            package=packages[0],
            files=self._select_owned(PackageFile, ref, name),
            hooks=self._select_owned(HookRow, ref, name),
            deps=self._select_owned(Dep, ref, name),
            questions=self._select_owned(Question, ref, name),
            variants=self._select_owned(Variant, ref, name),
            channel=channel,
            commit="" if ref == channel else ref,
        )

    def list_variants(self, logical_id: str, channel: str) -> tuple[Variant, ...]:
        return tuple(row for row in self._select_all(Variant, channel) if row.logical_id == logical_id)

    def find_orphans(self, channel: str) -> tuple[Variant, ...]:
        """Variants of a logical package that the channel does not have."""
        known = {package.id for package in self.list_packages(channel)}
        return tuple(row for row in self._select_all(Variant, channel) if row.logical_id not in known)

    def search(self, words: str, channel: str) -> tuple[Package, ...]:
        wanted = words.lower().split()
        tests = " AND ".join(f"{SEARCH_TEXT} LIKE ? ESCAPE '!'" for _ in wanted) or "1 = 1"
        self._require_channel(channel)
        found = self._select_where(Package, channel, tests, [_escape_like(word) for word in wanted])
        return tuple(sorted(found, key=lambda package: not any(word in package.name.lower() for word in wanted)))

    def list_channels(self) -> tuple[str, ...]:
        return self.database.list_channels()

    def read_head(self, channel: str) -> str:
        self._require_channel(channel)
        return self.database.read_head(channel)

    def read_log(self, channel: str, name: str | None = None) -> tuple[Commit, ...]:
        self._require_channel(channel)
        commits = self.database.read_log(channel)
        if name is None:
            return commits
        touched = self._find_touching(name, channel)
        return tuple(commit for commit in commits if commit.hash in touched)

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _find_touching(self, name: str, channel: str) -> set[str]:
        """Find the commits that changed the package, including the one that added it."""
        past = self.database.read_past(name, channel)
        pairs = zip(past, (*past[1:], None), strict=False)
        return {one.commit for one, before in pairs if before is None or one.content != before.content}

    def _resolve_ref(self, name: str, channel: str, version: str | None) -> str | None:
        """Resolve the commit to read from, or the channel where there is no history; None for an unknown version."""
        self._require_channel(channel)
        head = self.database.read_head(channel)
        if version is None or not head:
            found = version is None or any(one.version == version for one in self._select_owned(Package, channel, name))
            # The head's commit, not the channel: six tables are read one by one, and a push may come in between.
            return (head or channel) if found else None
        return next((one.commit for one in self.database.read_past(name, channel) if one.version == version), None)

    def _refuse_bulk(self, ref: str, name: str) -> None:
        """Refuse a package that is too large, before its files are read: a registry may hold anything."""
        table = self.database.make_table_sql(TABLE_NAMES[PackageFile], ref)
        sql = f"SELECT COUNT(*), COALESCE(SUM(LENGTH(content)), 0) FROM {table} WHERE {OWNER_COLUMNS[PackageFile]} = ?"
        count, size = self.database.query(sql, [name])[0]
        refuse_bulk(int(str(count)), int(float(str(size))), f"package {name} in {hide_password(self.url)}")

    def _require_channel(self, channel: str) -> None:
        known = self.list_channels()
        if channel not in known:
            problem = f"there is no channel `{channel}`"
            raise Refusal("not_found", problem, where=hide_password(self.url), hint=make_hint(channel, known))
        if not self._checked:
            self._check_schema(channel)

    def _check_schema(self, channel: str) -> None:
        found = self.database.query(
            f"SELECT MAX(version) FROM {self.database.make_table_sql('registry_schema', channel)}"
        )
        if not str(found[0][0]).isdecimal() or int(str(found[0][0])) > REGISTRY_SCHEMA:
            problem = f"its schema is {found[0][0]}, and this program knows {REGISTRY_SCHEMA}"
            raise Refusal("validation_failed", problem, where=hide_password(self.url), hint="upgrade synaptic-hooks")
        self._checked = True

    def _select_all(self, kind: type[Row], channel: str) -> tuple[Row, ...]:
        self._require_channel(channel)
        return self._select_where(kind, channel, "1 = 1", [])

    def _select_owned(self, kind: type[Row], ref: str, owner: str) -> tuple[Row, ...]:
        return self._select_where(kind, ref, f"{OWNER_COLUMNS[kind]} = ?", [owner])

    def _select_where(self, kind: type[Row], ref: str, tests: str, params: list[str]) -> tuple[Row, ...]:
        table = self.database.make_table_sql(TABLE_NAMES[kind], ref)
        order = f"ORDER BY {ORDER_COLUMNS[kind]} LIMIT {ROWS_LIMIT + 1}"
        rows = self.database.query(f"SELECT {list_columns(kind)} FROM {table} WHERE {tests} {order}", params)
        where = hide_password(self.url)
        if len(rows) > ROWS_LIMIT:
            raise Refusal("validation_failed", f"{TABLE_NAMES[kind]} has more than {ROWS_LIMIT} rows", where=where)
        return convert_rows(kind, rows, where)


def _escape_like(word: str) -> str:
    # `!` instead of the backslash, which MySQL and SQLite treat differently inside string literals.
    escaped = word.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return f"%{escaped}%"
