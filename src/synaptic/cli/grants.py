"""`synaptic grants`: the exceptions that you have made, looked at and taken back."""

import time
from datetime import datetime
from typing import Annotated

import msgspec

from synaptic.cli import screen, suggestions, typer
from synaptic.cli.allow import describe_scope, describe_where
from synaptic.cli.by_daemon import ask_daemon_for
from synaptic.cli.carry_out import carry_out
from synaptic.cli.verbs import Json, make_verb_app
from synaptic.model.text import join_lines
from synaptic.store.grants import StoredGrant
from synaptic.work.grants import ListGrants, RevokeGrants, ShowGrant, describe_state

app = make_verb_app(
    "Exceptions that you have made with `synaptic allow`: what counts, how often it was used, and how it goes.",
    """
    synaptic grants list            those in force
    synaptic grants show 7fq2k9ab   one of them: who, why, for how long, how often
    synaptic grants revoke 7fq2     the beginning of its id is enough
    synaptic grants revoke --all
    """,
)
GrantId = Annotated[
    str,
    typer.Argument(metavar="ID", help="Its id, or the beginning of it.", autocompletion=suggestions.complete_grants),
]
LINE = "%Y-%m-%d %H:%M"


@app.command("list")
def list_all(
    every: Annotated[bool, typer.Option("--all", help="Also those that are over, used up or taken back.")] = False,
    as_json: Json = False,
) -> None:
    """Exceptions in force, the newest first."""
    found, now = carry_out(ListGrants(all=every)), time.time()
    if as_json:
        screen.print_json({"ok": True, "grants": [_to_view(one, now) for one in found]})
        return
    if not found:
        screen.say("no exceptions" if every else "no exceptions are in force (synaptic grants list --all)")
        return
    screen.print_table(("ID", "POLICY", "FOR", "USES", "STATE", "CALL"), [_make_row(one, now) for one in found])


@app.command()
def show(id: GrantId, as_json: Json = False) -> None:
    """One exception: who has made it and why, what it covers, how often it was used."""
    one, now = carry_out(ShowGrant(id=id)), time.time()
    if as_json:
        screen.print_document({"ok": True, **_to_view(one, now)})
        return
    grant = one.grant
    lines = {
        "exception": f"{grant.id}, {describe_state(one, now)}",
        "policy": f"{grant.policy}, as it is set now; set otherwise, it judges again",
        "covers": f"like `{grant.like}`" if grant.like else grant.shown or "one very call",
        "counts": f"{describe_scope(grant)}, {describe_where(grant, grant.root or 'one folder')}",
        "made": f"{_format_time(grant.at)} by {grant.granted_by or 'nobody knows whom'}",
        "because": grant.because or "no reason was given",
        "used": f"{one.uses} times, last {_format_time(one.last_used)}" if one.uses else "never",
    }
    for name, text in lines.items():
        screen.say_under(f"{name:10} ", text)


@app.command()
def revoke(
    id: Annotated[
        str,
        typer.Argument(
            metavar="[ID]", help="Its id, or the beginning of it.", autocompletion=suggestions.complete_grants
        ),
    ] = "",
    every: Annotated[bool, typer.Option("--all", help="All that are in force.")] = False,
    as_json: Json = False,
) -> None:
    """Take exceptions back: what they let through is refused again, at once. Only for people."""
    gone = ask_daemon_for(RevokeGrants(id=id, all=every), tuple[StoredGrant, ...])
    if as_json:
        screen.print_json({"ok": True, "revoked": [one.grant.id for one in gone]})
    for one in () if as_json else gone:
        screen.say(f"taken back: {one.grant.id} ({one.grant.policy}, used {one.uses} times)")
    if not gone and not as_json:
        screen.say("there was none")


def _make_row(one: StoredGrant, now: float) -> tuple[str, ...]:
    grant = one.grant
    scope = grant.scope if not grant.expires else f"{grant.scope} {_format_time(grant.expires)}"
    covers = f"like {grant.like}" if grant.like else join_lines(grant.shown) or "one very call"
    return grant.id, grant.policy, scope, str(one.uses), describe_state(one, now), screen.cut_line(covers, 0)


def _to_view(one: StoredGrant, now: float) -> dict[str, object]:
    fields = msgspec.to_builtins(one.grant)
    return {**fields, "state": describe_state(one, now), "uses": one.uses, "last_used": one.last_used}


def _format_time(at: float) -> str:
    return datetime.fromtimestamp(at).strftime(LINE)
