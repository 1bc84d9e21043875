"""Read the packages that a registry has published, over every kind of database."""

from typing import Self

from synaptic.hooks.nearest import hint
from synaptic.model.refusal import Refusal
from synaptic.packages.database import Database, shown
from synaptic.packages.rows import Bundle, Commit, Dep, HookRow, Package, PackageFile, Question, Variant
from synaptic.packages.tables import KINDS, ORDER, OWNER, SCHEMA, Row, columns, from_rows

TEXT = "LOWER(CONCAT(name, ' ', COALESCE(description, ''), ' ', COALESCE(tags, '')))"


class Published:
    """A Source, see source.py."""

    def __init__(self, database: Database) -> None:
        self.url = database.url
        self.database = database
        self._checked = False

    def packages(self, channel: str) -> tuple[Package, ...]:
        return self._all(Package, channel)

    def package(self, name: str, channel: str, version: str | None = None) -> Package | None:
        ref = self._at(name, channel, version)
        found = self._rows(Package, ref, name) if ref else ()
        return found[0] if found else None

    def bundle(self, name: str, channel: str, version: str | None = None) -> Bundle | None:
        ref = self._at(name, channel, version)
        packages = self._rows(Package, ref, name) if ref else ()
        if not ref or not packages:
            return None
        return Bundle(
            package=packages[0],
            files=self._rows(PackageFile, ref, name),
            hooks=self._rows(HookRow, ref, name),
            deps=self._rows(Dep, ref, name),
            questions=self._rows(Question, ref, name),
            variants=self._rows(Variant, ref, name),
            channel=channel,
            commit="" if ref == channel else ref,
        )

    def variants(self, logical_id: str, channel: str) -> tuple[Variant, ...]:
        return tuple(row for row in self._all(Variant, channel) if row.logical_id == logical_id)

    def orphans(self, channel: str) -> tuple[Variant, ...]:
        """Variants of a logical package that the channel does not have."""
        known = {package.id for package in self.packages(channel)}
        return tuple(row for row in self._all(Variant, channel) if row.logical_id not in known)

    def search(self, words: str, channel: str) -> tuple[Package, ...]:
        wanted = words.lower().split()
        tests = " AND ".join(f"{TEXT} LIKE ? ESCAPE '!'" for _ in wanted) or "1 = 1"
        self._require(channel)
        found = self._where(Package, channel, tests, [_like(word) for word in wanted])
        return tuple(sorted(found, key=lambda package: not any(word in package.name.lower() for word in wanted)))

    def channels(self) -> tuple[str, ...]:
        return self.database.channels()

    def head(self, channel: str) -> str:
        self._require(channel)
        return self.database.head(channel)

    def log(self, channel: str, name: str | None = None) -> tuple[Commit, ...]:
        self._require(channel)
        commits = self.database.log(channel)
        if name is None:
            return commits
        touched = self._touched(name, channel)
        return tuple(commit for commit in commits if commit.hash in touched)

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _touched(self, name: str, channel: str) -> set[str]:
        """Find the commits that changed the package, including the one that added it."""
        past = self.database.past(name, channel)
        pairs = zip(past, (*past[1:], None), strict=False)
        return {one.commit for one, before in pairs if before is None or one.content != before.content}

    def _at(self, name: str, channel: str, version: str | None) -> str | None:
        """Resolve the commit to read from, or the channel where there is no history; None for an unknown version."""
        self._require(channel)
        head = self.database.head(channel)
        if version is None or not head:
            found = version is None or any(one.version == version for one in self._rows(Package, channel, name))
            # The head's commit, not the channel: six tables are read one by one, and a push may come in between.
            return (head or channel) if found else None
        return next((one.commit for one in self.database.past(name, channel) if one.version == version), None)

    def _require(self, channel: str) -> None:
        known = self.channels()
        if channel not in known:
            problem = f"there is no channel `{channel}`"
            raise Refusal("not_found", problem, where=shown(self.url), hint=hint(channel, known))
        if not self._checked:
            self._check_schema(channel)

    def _check_schema(self, channel: str) -> None:
        found = self.database.rows(f"SELECT MAX(version) FROM {self.database.table('registry_schema', channel)}")
        if int(str(found[0][0])) > SCHEMA:
            problem = f"its schema is {found[0][0]}, and this program knows {SCHEMA}"
            raise Refusal("validation_failed", problem, where=shown(self.url), hint="upgrade synaptic-hooks")
        self._checked = True

    def _all(self, kind: type[Row], channel: str) -> tuple[Row, ...]:
        self._require(channel)
        return self._where(kind, channel, "1 = 1", [])

    def _rows(self, kind: type[Row], ref: str, owner: str) -> tuple[Row, ...]:
        return self._where(kind, ref, f"{OWNER[kind]} = ?", [owner])

    def _where(self, kind: type[Row], ref: str, tests: str, params: list[str]) -> tuple[Row, ...]:
        table = self.database.table(KINDS[kind], ref)
        sql = f"SELECT {columns(kind)} FROM {table} WHERE {tests} ORDER BY {ORDER[kind]}"
        return from_rows(kind, self.database.rows(sql, params), shown(self.url))


def _like(word: str) -> str:
    # `!` instead of the backslash, which MySQL and SQLite treat differently inside string literals.
    escaped = word.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return f"%{escaped}%"
