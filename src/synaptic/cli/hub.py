"""`synaptic hub`: the server of a team, and who may speak with it. By the address of its database."""

import os
import time
from pathlib import Path
from typing import Annotated, Any

from synaptic.cli import screen, typer
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.model.errors import SynapticError

VARIABLE = "SYNAPTIC_HUB_DATABASE"
LINE = "%Y-%m-%d %H:%M"
app = make_verb_app(
    "The server of a team: takes in what hosts ship, answers people. It needs PostgreSQL 15 or newer.",
    f"""
    export {VARIABLE}=postgresql://hub@db/hub
    synaptic hub serve                                       on this machine only
    synaptic hub serve --listen 0.0.0.0:7480 --behind-proxy  a proxy does the TLS
    synaptic hub invite                                      a code for `synaptic join`
    synaptic hub token add ada --role reader                 a token for a person
    synaptic hub revoke build-7                              this host writes nothing more
    """,
)
Database = Annotated[str, typer.Option("--database", metavar="URL", help=f"The database; else ${VARIABLE}.")]
Roles = Annotated[str, typer.Option("--roles", metavar="PREFIX", help="Beginning of the names of its three roles.")]


@app.command()
def serve(
    database: Database = "",
    listen: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where it listens.")] = "127.0.0.1:7480",
    certificate: Annotated[Path | None, typer.Option(metavar="FILE", help="Its own certificate, for TLS.")] = None,
    key: Annotated[Path | None, typer.Option(metavar="FILE", help="The key of that certificate.")] = None,
    behind_proxy: Annotated[bool, typer.Option("--behind-proxy", help="A proxy before it does the TLS.")] = False,
    retention_days: Annotated[int, typer.Option(min=1, max=3650, help="Events are kept so long.")] = 90,
    name: Annotated[str, typer.Option(metavar="NAME", help="What hosts are told that it is called.")] = "",
    organisation_key: Annotated[
        str, typer.Option(metavar="KEY", help="Public key of the organisation: only its bundles are taken.")
    ] = "",
    roles: Roles = "",
) -> None:
    """Serve until Ctrl-C. The schema is brought to this version first."""
    from synaptic.hub.server.hub import HubSettings  # noqa: PLC0415  a server is imported for nothing else
    from synaptic.hub.server.serve import HubListen, read_address, serve_hub  # noqa: PLC0415

    host, port = read_address(listen)
    settings = HubSettings(
        database=_find_database(database), name=name, organisation_key=_check_key(organisation_key),
        retention_days=retention_days, roles=roles,
    )  # fmt: skip
    where = HubListen(host=host, port=port, certificate=certificate, key=key, is_behind_proxy=behind_proxy)
    serve_hub(settings, where, lambda url: print(f"hub at {url}", flush=True))


@app.command()
def migrate(database: Database = "", roles: Roles = "", as_json: Json = False) -> None:
    """Bring the database to the schema of this version. `serve` does it too."""
    from synaptic.hub.server.desk import migrate_database  # noqa: PLC0415

    done = migrate_database(_find_database(database), roles)
    if as_json:
        screen.print_json({"ok": True, "applied": done})
        return
    screen.say(f"applied {', '.join(done)}" if done else "the database is up to date")


@app.command()
def invite(
    database: Database = "",
    hours: Annotated[float, typer.Option(help="The code is good for so long.")] = 1.0,
    managed: Annotated[bool, typer.Option("--managed", help="Only for machines that join with --managed.")] = False,
    as_json: Json = False,
) -> None:
    """A code with which one host joins, once."""
    from synaptic.hub.server.secrets import make_code  # noqa: PLC0415

    code, until = _ask(database, lambda connection: make_code(connection, hours, managed))
    if as_json:
        screen.print_json({"ok": True, "code": code, "expires": until})
        return
    print(code)
    screen.note(f"for one host, until {_show_time(until)}: synaptic join URL, and type it there")


@app.command()
def hosts(database: Database = "", as_json: Json = False) -> None:
    """The hosts that have joined: version, bundle, how far behind."""
    from synaptic.hub.server.queries.filter import HubFilter  # noqa: PLC0415
    from synaptic.hub.server.queries.hosts import list_hosts  # noqa: PLC0415

    found = _ask(database, lambda connection: list_hosts(connection, HubFilter(limit=500)))
    if as_json:
        screen.print_json({"ok": True, "hosts": found})
        return
    if not found:
        screen.say("no host has joined yet (synaptic hub invite)")
        return
    rows = [
        (one.id, "revoked" if one.revoked_at else _show_time(one.seen_at), one.version, one.bundle, str(one.behind))
        for one in found
    ]
    screen.print_table(("HOST", "SEEN", "VERSION", "BUNDLE", "BEHIND"), rows)


@app.command()
def revoke(
    host: Annotated[str, typer.Argument(metavar="HOST", help="Its name, as `synaptic hub hosts` shows it.")],
    database: Database = "",
    as_json: Json = False,
) -> None:
    """Shut a host out: from now on it writes and reads nothing. What it has sent stays."""
    from synaptic.hub.server.hosts import revoke_host  # noqa: PLC0415

    _ask(database, lambda connection: revoke_host(connection, host, os.environ.get("USER", "")[:100]))
    if as_json:
        screen.print_json({"ok": True, "host": host})
        return
    screen.say(f"{host} is revoked")


@app.command()
def token(
    does: Annotated[str, typer.Argument(metavar="add|list|revoke", help="What is done.")],
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Whose token it is.")] = "",
    role: Annotated[str, typer.Option(metavar="reader|admin", help="What it may.")] = "reader",
    database: Database = "",
    as_json: Json = False,
) -> None:
    """Tokens with which persons read, and administrators change."""
    if does not in ("add", "list", "revoke") or (does != "list") != bool(name):
        raise SynapticError("it is `token add NAME`, `token list` or `token revoke NAME`")
    told = {"add": _add_token, "list": _list_tokens, "revoke": _revoke_token}[does](database, name, role, as_json)
    if as_json:
        screen.print_json({"ok": True, **told})


def _add_token(database: str, name: str, role: str, as_json: bool) -> dict[str, object]:
    from synaptic.hub.server.secrets import add_token  # noqa: PLC0415

    made = _ask(database, lambda connection: add_token(connection, name, role))
    if not as_json:
        print(made)
        screen.note("It is shown this once.")
    return {"token": made}


def _list_tokens(database: str, name: str, role: str, as_json: bool) -> dict[str, object]:
    from synaptic.hub.server.secrets import list_tokens  # noqa: PLC0415

    found = _ask(database, list_tokens)
    if not as_json:
        rows = [(one.name, one.role, _show_time(one.used_at), "revoked" if one.revoked_at else "") for one in found]
        screen.print_table(("NAME", "ROLE", "USED", "STATE"), rows)
    return {"tokens": found}


def _revoke_token(database: str, name: str, role: str, as_json: bool) -> dict[str, object]:
    from synaptic.hub.server.secrets import revoke_token  # noqa: PLC0415

    _ask(database, lambda connection: revoke_token(connection, name))
    if not as_json:
        screen.say(f"the token of {name} is revoked")
    return {"name": name}


def _ask(database: str, work: Any) -> Any:
    from synaptic.hub.server.desk import ask_database  # noqa: PLC0415

    return ask_database(_find_database(database), work)


def _find_database(given: str) -> str:
    """Raises SynapticError."""
    url = given or os.environ.get(VARIABLE, "")
    if not url:
        raise SynapticError("which database?", hint=f"--database postgresql://…, or {VARIABLE}")
    return url


def _check_key(text: str) -> str:
    """Raises SynapticError."""
    if not text:
        return ""
    from synaptic.hub.keys import PublicKey  # noqa: PLC0415

    return PublicKey.parse(text).text


def _show_time(at: float) -> str:
    return time.strftime(LINE, time.localtime(at)) if at else "never"
