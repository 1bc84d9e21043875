"""`synaptic search`: past events by words; packages with --packages."""

import re
from collections.abc import Iterator
from typing import Annotated, Any

from synaptic.cli import progress, screen, typer
from synaptic.cli.cells import SIGN_OF_MORE, cut_cells, measure_cells
from synaptic.cli.filters import add_filter_options
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.registry_options import ChannelOption, RegistryOption
from synaptic.cli.verbs import Hub, Json, format_examples, make_verb_app
from synaptic.model.moment import find_local_time
from synaptic.store.history_search import HIT_BEGINS, HIT_ENDS, SearchHit, SearchQuery, SearchResult, search_journal
from synaptic.store.journal_filter import JournalFilter
from synaptic.store.journal_payload import find_subject, read_payload

app = make_verb_app()
HIT = re.compile(f"{HIT_BEGINS}(.*?){HIT_ENDS}", re.DOTALL)

EXAMPLES = """
synaptic search force push                 past events with both words
synaptic search 'force push' --best        with these words side by side
synaptic search 'migrat*' --since 7d       with words that begin so
synaptic search config.toml --denied --project .
synaptic search --hub force push           on all machines of the team
synaptic search --packages guard           packages of a registry
"""


@app.command(epilog=format_examples(EXAMPLES))
@add_filter_options
def search(
    chosen: JournalFilter,
    words: Annotated[list[str] | None, typer.Argument(help="Words; all of them must be there.")] = None,
    best: Annotated[bool, typer.Option("--best", help="The best first, not the newest.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, max=1000, help="How many at most.")] = 20,
    packages: Annotated[bool, typer.Option("--packages", help="Packages of a registry, not events.")] = False,
    channel: ChannelOption = "",
    registry: RegistryOption = "",
    hub: Hub = False,
    as_json: Json = False,
) -> None:
    """Find past events by words in their commands, paths, prompts and reasons, the newest first.

    `--channel` and `--registry` mean packages, as `--packages` does: so does `synaptic skill search`.
    """
    if packages or channel or registry:
        # Registries are behind it: who looks for an event does not wait for them.
        from synaptic.cli.search_packages import search as search_packages  # noqa: PLC0415

        search_packages(words, channel, registry, as_json)
        return
    if hub:
        if best or not words:
            raise typer.BadParameter("takes words, and finds the newest first", param_hint="--hub")
        from synaptic.cli.hub_events import search_hub  # noqa: PLC0415  HTTP and TLS are for this alone

        search_hub(chosen, tuple(words), lines, as_json=as_json)
        return
    found = _find(SearchQuery(words=tuple(words or ()), chosen=chosen, best=best, most=lines))
    if as_json:
        _print_json(found)
        return
    for hit in found.hits:
        _print_hit(hit)
    if not found.hits:
        screen.say("nothing found; for packages: synaptic search --packages")
    elif len(found.hits) == lines:
        screen.note(f"{_describe_first(found)}; more with -n, one of them whole with: synaptic explain NUMBER")
    for line in _list_gaps(found):
        screen.warn(line)


def _find(query: SearchQuery) -> SearchResult:
    place = find_place()
    try:
        with open_journal(place.home) as store, progress.show_progress("reading what the journal holds"):
            return search_journal(place.home, store, query)
    except ValueError as error:
        raise typer.BadParameter(f"{error}; for example: synaptic search force push") from None


def _describe_first(found: SearchResult) -> str:
    among = f" that fit best among the newest {found.ranked:,}" if found.ranked else ""
    return f"the first {len(found.hits)}{among}"


def _list_gaps(found: SearchResult) -> Iterator[str]:
    if found.trouble:
        yield f"searched without the index on disk: {found.trouble}"
    if not found.is_whole:
        yield f"events before number {found.first} are not in the index yet; search again in a while"
    if found.looked_to:
        yield (
            f"very many events have these words: only the newest {found.looked:,} of them, back to number "
            f"{found.looked_to}, were compared with the other options; --since 30d looks at all of that time"
        )


def _print_hit(hit: SearchHit) -> None:
    entry, decision = hit.entry, hit.entry.decision
    at = find_local_time(entry.at).strftime("%Y-%m-%d %H:%M")
    by = f" by {decision.by}" if decision.by else ""
    project = entry.root.rpartition("/")[2]
    about = " ".join(part for part in (project, entry.agent, entry.tool or entry.event) if part)
    screen.say_under(f"{entry.id} ", f"{at} {about} -> {decision.kind}{by}")
    _print_snippet(hit.snippet)


def _print_snippet(snippet: str) -> None:
    """The text around the hits, each marked: underlined on a terminal, in brackets elsewhere."""
    parts = HIT.split(snippet)
    texts = [screen.clean_text(part).replace("\n", " ") for part in parts]
    if not screen.is_terminal():
        print("    " + "".join(f"[{text}]" if at % 2 else text for at, text in enumerate(texts)))
        return
    room = screen.find_width() - len("    ")
    shown = []
    for at, text in enumerate(_show_first_hit(texts, room)):
        kept = cut_cells(text, room)
        room -= measure_cells(kept)
        shown.append(f"\033[1;4m{kept}\033[0m" if at % 2 and kept and screen.has_colour() else kept)
        if kept != text:
            break
    print("    " + "".join(shown))


def _show_first_hit(texts: list[str], room: int) -> list[str]:
    """The same, with less before the first hit where it would not be seen otherwise."""
    before = texts[0]
    if len(texts) < 2 or measure_cells(before + texts[1]) <= room * 2 // 3:
        return texts
    most = max(room // 2, 1)
    while measure_cells(before) >= most:
        before = before[1:]
    # From a word on, where there is one.
    return [SIGN_OF_MORE + (before.partition(" ")[2] or before), *texts[1:]]


def _print_json(found: SearchResult) -> None:
    gaps = list(_list_gaps(found))
    events = [_describe_hit(hit) for hit in found.hits]
    ranked = {"ranked": found.ranked} if found.ranked else {}
    screen.print_json({"events": events, "whole": found.is_whole, **ranked, "warnings": gaps})


def _describe_hit(hit: SearchHit) -> dict[str, Any]:
    entry, decision = hit.entry, hit.entry.decision
    return {
        "id": entry.id,
        "at": entry.at,
        "agent": entry.agent,
        "event": entry.event,
        "session": entry.session,
        "tool": entry.tool,
        "root": entry.root,
        "kind": decision.kind,
        "by": decision.by,
        "reason": decision.reason,
        "subject": find_subject(entry.payload),
        "snippet": HIT.sub(r"\1", hit.snippet),
        "hits": HIT.findall(hit.snippet),
        "payload": read_payload(entry.payload),
    }
