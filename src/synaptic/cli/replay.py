"""`synaptic replay`: past events decided again, as they were or with a change."""

import time
from pathlib import Path
from typing import Annotated

from synaptic.cli import completion, screen, suggestions, typer
from synaptic.cli.filters import MOMENTS, read_option_moment
from synaptic.cli.place import find_place, open_journal
from synaptic.cli.verbs import Json, format_examples, make_verb_app
from synaptic.engine.past_catalog import CatalogChange
from synaptic.files.bounded import UnreadableFile, read_content
from synaptic.model.errors import DeclarationError
from synaptic.model.moment import find_local_time
from synaptic.work.replay import (
    FlipGroup,
    FlippedEvent,
    ReplayScope,
    ReplaySummary,
    complete_key,
    replay_journal,
    summary_to_json,
)
from synaptic.work.what_if import KIND_WORDS

app = make_verb_app()
FILE_LIMIT = 1 << 20
TELL_SECONDS = 1.0
MOST_REASONS = 8
FOREVER = 1e12

EXAMPLES = """
synaptic replay                                     is everything decided as it was?
synaptic replay --since 2w --enable @practice       what a preset would have done
synaptic replay --disable git.force-push --json
synaptic replay --set 'git.force-push.protected=["main", "release/*"]'
synaptic replay --rules rules.toml --max-new-denials 0    in CI of rules: exit code 1
"""


@app.command(epilog=format_examples(EXAMPLES))
def replay(
    since: Annotated[str, typer.Option(metavar="WHEN", help=f"From then on: {MOMENTS}.")] = "7d",
    until: Annotated[str, typer.Option(metavar="WHEN", help="Before then; until now without it.")] = "",
    project: Annotated[
        str,
        typer.Option(metavar="FOLDER", help="Only events of this project.", autocompletion=suggestions.complete_files),
    ] = "",
    config: Annotated[
        str,
        typer.Option(
            "--with", metavar="FILE", help="A config in the place of yours.", autocompletion=suggestions.complete_files
        ),
    ] = "",
    enable: Annotated[
        list[str] | None,
        typer.Option(help="With this policy or @preset on.", autocompletion=completion.complete_policies),
    ] = None,
    disable: Annotated[
        list[str] | None,
        typer.Option(help="With this policy or @preset off.", autocompletion=completion.complete_policies),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="With this value in the config.")
    ] = None,
    rules: Annotated[
        str,
        typer.Option(metavar="FILE", help="With these rules beside yours.", autocompletion=suggestions.complete_files),
    ] = "",
    samples: Annotated[int, typer.Option(min=0, max=1000, help="How many of each kind are shown.")] = 3,
    max_new_denials: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Exit code 1 when more would be denied that were not.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Decide past events again, with the facts that were recorded: what would be decided otherwise, and by whom.

    Nothing is run, and nothing of today's disk is looked at: what your own hooks said is taken from the journal.
    Without a change, it tells whether this version decides as it was decided then.
    """
    place = find_place(project)
    change = CatalogChange(
        config=_read_file(config) if config else None,
        enable=tuple(enable or ()),
        disable=tuple(disable or ()),
        settings=tuple(map(split_setting, settings or ())),
        rules=_read_file(rules) if rules else "",
    )
    scope = ReplayScope(
        since=read_option_moment(since, "--since"),
        until=read_option_moment(until, "--until") or FOREVER,
        root=place.root if project else "",
        samples=samples,
    )
    with open_journal(place.home) as store:
        summary = replay_journal(store, scope, change, ReplayProgress())
    if as_json:
        screen.print_json(summary_to_json(summary))
    else:
        print_summary(summary, change)
    if max_new_denials is not None and summary.new_denials > max_new_denials:
        screen.warn(f"{summary.new_denials} calls would be denied that were not; at most {max_new_denials} may be")
        raise typer.Exit(1)


def split_setting(text: str) -> tuple[str, str]:
    """A key and its value. Raises BadParameter where there is no value."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise typer.BadParameter(f"`{text}` is no setting: write it as policy.option=value")
    return complete_key(key.strip()), value.strip()


class ReplayProgress:
    """Says on a terminal how far it is, once a second; shown on one line, which is gone at the end."""

    def __init__(self) -> None:
        self._told = time.monotonic()
        self._is_told = screen.may_tell_progress()

    def __call__(self, summary: ReplaySummary) -> None:
        if self._is_told and time.monotonic() - self._told >= TELL_SECONDS:
            self._told = time.monotonic()
            screen.warn(f"{summary.events} events, {summary.flips} decided otherwise ... (Ctrl-C stops)")


def _read_file(name: str) -> str:
    content = read_content(str(Path(name).expanduser()), FILE_LIMIT)
    if isinstance(content, bytes):
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise DeclarationError("is not UTF-8", where=name, hint="correct it") from None
    why = content.why if isinstance(content, UnreadableFile) else "there is no such file"
    raise DeclarationError(why, where=name, hint="give the path of a file")


def print_summary(summary: ReplaySummary, change: CatalogChange) -> None:
    """What was decided again, and what would be decided otherwise, by policy."""
    if not summary.events:
        screen.say("No event of this time is in the journal. Go further back: synaptic replay --since 30d")
        return
    screen.say(
        f"{_count(summary.events, 'event')}: {summary.exact} exact, {summary.approximate} approximate, "
        f"{summary.impossible} not replayable"
    )
    for why, count in summary.why.most_common(MOST_REASONS):
        screen.say_under("  ", f"{count} {why}")
    if not summary.flips:
        screen.say(
            "Everything would be decided as it was." if not change.is_nothing else "Every one is decided as it was."
        )
        return
    screen.say(
        f"{_count(summary.flips, 'event')} would be decided otherwise; "
        f"{summary.new_denials} would be denied that {'was' if summary.new_denials == 1 else 'were'} not"
    )
    for group in summary.list_groups():
        _print_group(group)


def _print_group(group: FlipGroup) -> None:
    about = f", {group.approximate} of them not exact" if group.approximate else ""
    screen.say(f"\n{group.policy}: {group.count} {KIND_WORDS[group.was]}, now {KIND_WORDS[group.now]}{about}")
    for one in group.samples:
        _print_sample(one)
    if group.count > len(group.samples) > 0:
        screen.say(f"  ... and {group.count - len(group.samples)} more (--samples {min(group.count, 1000)})")


def _print_sample(one: FlippedEvent) -> None:
    day = find_local_time(one.at).strftime("%m-%d %H:%M")
    text = " ".join(f"{one.tool} {one.subject}".split())
    screen.say(screen.cut_line(f"  {one.event} {day} {text}", 0))
    reason = " ".join(one.reason.partition("\n")[0].split())
    if reason:
        screen.say(screen.cut_line(f"      {reason}", 0))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
