"""Tables of a registry in SQL that Dolt, doltlite and MariaDB share, and conversion of rows to values and back."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from synaptic.model.refusal import Refusal
from synaptic.packages.rows import Dep, HookRow, Package, PackageFile, Question, Variant

REGISTRY_SCHEMA = 1
"""Schema version of the tables below; a registry with a higher one is not read."""

Row = TypeVar("Row", Package, PackageFile, HookRow, Dep, Question, Variant)
Statement = tuple[str, Sequence[object]]
"""SQL with `?` for each parameter."""

TABLE_NAMES: Mapping[type[msgspec.Struct], str] = {
    Package: "packages",
    PackageFile: "package_files",
    Dep: "package_deps",
    Variant: "package_variants",
    HookRow: "package_hooks",
    Question: "package_questions",
}
"""Row type to table name; `packages` first, because the others reference it."""
OWNER_COLUMNS: Mapping[type[msgspec.Struct], str] = {
    Package: "id",
    PackageFile: "package_id",
    Dep: "package_id",
    Variant: "variant_package_id",
    HookRow: "package_id",
    Question: "package_id",
}
"""The column that says to which package a row belongs."""
ORDER_COLUMNS: Mapping[type[msgspec.Struct], str] = {
    Package: "name",
    PackageFile: "dest_path",
    Dep: "dep_name",
    Variant: "logical_id, agent_profile",
    HookRow: "event, priority, script_path",
    Question: "sort_order, question_id",
}
JSON_COLUMNS = frozenset({"variables", "options", "frontmatter"})

CREATE_STATEMENTS = (
    """CREATE TABLE registry_schema (version INTEGER NOT NULL PRIMARY KEY)""",
    f"""INSERT INTO registry_schema VALUES ({REGISTRY_SCHEMA})""",
    """CREATE TABLE packages (
  id VARCHAR(128) NOT NULL PRIMARY KEY,
  name VARCHAR(256) NOT NULL,
  version VARCHAR(64) NOT NULL,
  description TEXT,
  sha256 VARCHAR(64) NOT NULL DEFAULT '',
  agent_variant VARCHAR(64) NOT NULL DEFAULT 'claude',
  author VARCHAR(256) NOT NULL DEFAULT '',
  license VARCHAR(64) NOT NULL DEFAULT 'MIT',
  tags TEXT,
  min_claude_version VARCHAR(32) NOT NULL DEFAULT '',
  install_scope VARCHAR(32) NOT NULL DEFAULT 'any' CHECK (install_scope IN ('any', 'local-only')),
  variables LONGTEXT,
  options LONGTEXT,
  created_at VARCHAR(32) NOT NULL DEFAULT '',
  updated_at VARCHAR(32) NOT NULL DEFAULT ''
)""",
    """CREATE TABLE package_files (
  package_id VARCHAR(128) NOT NULL,
  dest_path VARCHAR(512) NOT NULL,
  content LONGTEXT NOT NULL,
  sha256 VARCHAR(64) NOT NULL,
  file_type VARCHAR(16) NOT NULL DEFAULT 'skill'
    CHECK (file_type IN ('skill', 'agent', 'command', 'script', 'hook', 'config')),
  content_type VARCHAR(16) NOT NULL DEFAULT 'markdown'
    CHECK (content_type IN ('markdown', 'python', 'json', 'yaml', 'text')),
  is_template BOOLEAN NOT NULL DEFAULT FALSE,
  fm_name TEXT,
  fm_description TEXT,
  fm_version TEXT,
  fm_model VARCHAR(128),
  frontmatter LONGTEXT,
  PRIMARY KEY (package_id, dest_path),
  FOREIGN KEY (package_id) REFERENCES packages (id) ON DELETE CASCADE
)""",
    """CREATE TABLE package_deps (
  package_id VARCHAR(128) NOT NULL,
  dep_name VARCHAR(128) NOT NULL,
  dep_type VARCHAR(16) NOT NULL DEFAULT 'tool' CHECK (dep_type IN ('tool', 'cli', 'skill')),
  dep_spec VARCHAR(128) NOT NULL DEFAULT '',
  install_cmd VARCHAR(1024) NOT NULL DEFAULT '',
  cmd_sha256 VARCHAR(64) NOT NULL DEFAULT '',
  PRIMARY KEY (package_id, dep_name),
  FOREIGN KEY (package_id) REFERENCES packages (id) ON DELETE CASCADE
)""",
    """CREATE TABLE package_variants (
  logical_id VARCHAR(128) NOT NULL,
  agent_profile VARCHAR(64) NOT NULL,
  variant_package_id VARCHAR(128) NOT NULL,
  PRIMARY KEY (logical_id, agent_profile),
  FOREIGN KEY (variant_package_id) REFERENCES packages (id) ON DELETE CASCADE
)""",
    """CREATE TABLE package_hooks (
  package_id VARCHAR(128) NOT NULL,
  event VARCHAR(64) NOT NULL,
  script_path VARCHAR(512) NOT NULL,
  matcher VARCHAR(256) NOT NULL DEFAULT '.*',
  priority INTEGER NOT NULL DEFAULT 50,
  blocking BOOLEAN NOT NULL DEFAULT FALSE,
  PRIMARY KEY (package_id, event, script_path),
  FOREIGN KEY (package_id) REFERENCES packages (id) ON DELETE CASCADE
)""",
    """CREATE TABLE package_questions (
  package_id VARCHAR(128) NOT NULL,
  question_id VARCHAR(128) NOT NULL,
  prompt TEXT NOT NULL,
  type VARCHAR(16) NOT NULL DEFAULT 'choice' CHECK (type IN ('choice', 'multi', 'text', 'confirm', 'auto')),
  default_val VARCHAR(512) NOT NULL DEFAULT '',
  choices TEXT,
  sort_order INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (package_id, question_id),
  FOREIGN KEY (package_id) REFERENCES packages (id) ON DELETE CASCADE
)""",
    "CREATE INDEX files_by_type ON package_files (file_type)",
    "CREATE INDEX files_by_model ON package_files (fm_model)",
    "CREATE INDEX variants_by_logical_id ON package_variants (logical_id)",
    "CREATE INDEX hooks_by_event ON package_hooks (event, priority)",
    "CREATE INDEX deps_by_type ON package_deps (dep_type, dep_name)",
)


def list_columns(kind: type[msgspec.Struct]) -> str:
    """List the columns of a row type as SQL, in their order."""
    return ", ".join(kind.__struct_fields__)


def convert_rows(kind: type[Row], rows: Iterable[Sequence[object]], where: str) -> tuple[Row, ...]:
    """Convert rows to values. Raises Refusal for a row that is not valid."""
    names = kind.__struct_fields__
    try:
        given = [
            {name: _decode_value(name, value) for name, value in zip(names, values, strict=True) if value is not None}
            for values in rows
        ]
        return msgspec.convert(given, tuple[kind, ...], strict=False)  # type: ignore[valid-type]
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        table = TABLE_NAMES[kind]
        raise Refusal("validation_failed", f"a row of {table} cannot be read: {error}", where=where) from None


def _decode_value(name: str, value: object) -> object:
    return msgspec.json.decode(value) if name in JSON_COLUMNS and isinstance(value, str) else value


def make_insert(row: msgspec.Struct) -> Statement:
    """Make the statement that inserts one row."""
    marks = ", ".join("?" for _ in row.__struct_fields__)
    values = [_encode_value(name, getattr(row, name)) for name in row.__struct_fields__]
    return f"INSERT INTO {TABLE_NAMES[type(row)]} ({list_columns(type(row))}) VALUES ({marks})", values


def _encode_value(name: str, value: Any) -> object:
    if isinstance(value, bool):
        return int(value)
    # Sorted keys: the same value must be the same text, or every import would look like a change.
    return msgspec.json.encode(value, order="sorted").decode() if name in JSON_COLUMNS and value is not None else value


def make_delete(package_id: str) -> Statement:
    """Make the statement that deletes a package; its other rows go by ON DELETE CASCADE."""
    return "DELETE FROM packages WHERE id = ?", [package_id]


def make_copy(package_id: str, table_at_source: Mapping[str, str]) -> list[Statement]:
    """Make the statements that copy a package from the given table expressions (another channel or commit)."""
    statements = [make_delete(package_id)]
    for kind, table in TABLE_NAMES.items():
        taken = f"SELECT {list_columns(kind)} FROM {table_at_source[table]} WHERE {OWNER_COLUMNS[kind]} = ?"
        statements.append((f"INSERT INTO {table} ({list_columns(kind)}) {taken}", [package_id]))
    return statements
