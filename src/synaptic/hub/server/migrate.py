"""Brings a database to the schema of this version: numbered files, each applied once, by one hub at a time."""

from pathlib import Path

from synaptic.hub.extra import require_extra
from synaptic.hub.server.roles import USUAL, HubRoles
from synaptic.model.errors import SynapticError

with require_extra("hub"):
    import psycopg
    from psycopg import errors, sql
    from psycopg.rows import TupleRow

FOLDER = Path(__file__).parent / "schema"
LOCK = 3700001
"""Of the database: two hubs may start at once."""
TRIES = 5
OLDEST = 150000
Connection = psycopg.AsyncConnection[TupleRow]


async def migrate(url: str, prefix: str = "") -> list[str]:
    """The files that were applied now. Without a prefix the roles are those of the first time. Raises SynapticError."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True, connect_timeout=5) as connection:
        if connection.info.server_version < OLDEST:
            raise SynapticError("this PostgreSQL is too old", hint="the hub needs 15 or newer")
        await connection.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())"
        )
        roles = await find_roles(connection, prefix)
        for role in roles.all:
            await _ensure_role(connection, role)
        return await _apply_all(connection, roles)


async def find_roles(connection: Connection, prefix: str = "") -> HubRoles:
    """The roles of this database: those that it was made with. Raises SynapticError for other ones."""
    found = await (await connection.execute("SELECT to_regclass('settings') IS NOT NULL")).fetchone()
    if not found or not found[0]:
        return HubRoles(prefix or USUAL)
    row = await (await connection.execute("SELECT value FROM settings WHERE name = 'roles'")).fetchone()
    kept = row[0] if row else USUAL
    if prefix not in ("", kept):
        raise SynapticError(f"this database was made with roles of the name `{kept}`", hint=f"--roles {kept}")
    return HubRoles(kept)


def list_files() -> list[Path]:
    return sorted(FOLDER.glob("*.sql"))


async def _apply_all(connection: Connection, roles: HubRoles) -> list[str]:
    done = {name for (name,) in await (await connection.execute("SELECT name FROM migrations")).fetchall()}
    known = [file.name for file in list_files()]
    if newer := sorted(done - set(known)):
        raise SynapticError(f"a newer version has changed this database ({newer[-1]})", hint="upgrade this hub")
    wanted = [file for file in list_files() if file.name not in done]
    for file in wanted:
        await _apply(connection, file, roles)
    return [file.name for file in wanted]


async def _apply(connection: Connection, file: Path, roles: HubRoles) -> None:
    async with connection.transaction():
        await connection.execute(roles.rename(file.read_text()).encode())
        await connection.execute("INSERT INTO migrations (name) VALUES (%s)", (file.name,))
        await connection.execute(
            "INSERT INTO settings VALUES ('roles', %s) ON CONFLICT (name) DO NOTHING", (roles.prefix,)
        )


async def _ensure_role(connection: Connection, role: str) -> None:
    """There, and one that this login may act as. Another database's hub may do the same at this moment."""
    name = sql.Identifier(role)
    for _ in range(TRIES):
        if await _can_act_as(connection, role):
            return
        try:
            await connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(name))
        except (errors.DuplicateObject, errors.UniqueViolation):
            pass
        except errors.InsufficientPrivilege as error:
            raise SynapticError(
                f"the role {role} is missing, and this login may not create it",
                hint=f"as an administrator: CREATE ROLE {role} NOLOGIN; GRANT {role} TO this login",
            ) from error
        try:
            await connection.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(name))
        except (errors.InternalError_, errors.UniqueViolation):
            continue  # somebody else has changed the same row of the catalog meanwhile
        except errors.InsufficientPrivilege as error:
            hint = f"as an administrator: GRANT {role} TO this login"
            raise SynapticError(f"this login may not act as {role}", hint=hint) from error
    if not await _can_act_as(connection, role):
        raise SynapticError(f"this login cannot act as {role}", hint=f"as an administrator: GRANT {role} TO this login")


async def _can_act_as(connection: Connection, role: str) -> bool:
    """Tried, not read: what membership allows differs between versions."""
    try:
        async with connection.transaction(force_rollback=True):
            await connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(role)))
    except (errors.InvalidParameterValue, errors.InsufficientPrivilege, errors.UndefinedObject):
        return False
    return True
