"""`python -m demo`: the real Claude Code in a throw-away home, or recorded payloads where it is not installed."""

import argparse
import sys
from pathlib import Path

from tests.clients.claude import Session
from tests.clients.client import NoClient, find_client
from tests.clients.kit.replayed import replay_home
from tests.clients.script import DONE, Do, Rule, Use

from demo import recorded
from demo.live import Live, say
from demo.scenes import EXPECTED, SKILLS, Scene, scenes

PROMPT = "Tidy up, push, and write down what you did."


def main() -> int:
    """Exit code 1 when the session did not show everything it should."""
    parser = argparse.ArgumentParser(prog="python -m demo", description=__doc__)
    parser.add_argument("--recorded", action="store_true", help="do not look for a client")
    client = None if parser.parse_args().recorded else _client()
    session = Session(client or Path())
    try:
        return perform(session, client is not None)
    finally:
        session.close()
        say(f"\nThe daemon is stopped and {session.folder} is gone.")


def perform(session: Session, real: bool) -> int:
    """The whole evening: set up, play, explain."""
    _set_up(session)
    steps = scenes(str(session.project))
    with Live(session.synaptic_home) as live:
        if real:
            _play(session, live, steps)
        else:
            recorded.play(session, live, steps)
    say(f"\n{live.silent} further events concerned no hook and were journaled without a word.")
    if live.denied:
        say(f"\n$ synaptic explain {live.denied[0]}")
        say(session.synaptic("explain", str(live.denied[0])).strip())
    again = replay_home(session.synaptic_home)
    say(f"\nAll of it decided again: {again.exact} of {again.events} events exactly, {again.flips} otherwise.")
    missing = [words for name, words in EXPECTED.items() if name not in live.shown]
    for words in missing:
        say(f"NOT SHOWN: {words}")
    return int(bool(missing or again.flips))


def _client() -> Path | None:
    say("Looking for Claude Code: CLAUDE_BIN, the cache, npm.")
    try:
        return find_client()
    except NoClient as error:
        say(f"Recorded payloads instead: {error}")
        return None


def _set_up(session: Session) -> None:
    say(f"A user with an empty home, and a project: {session.project}")
    (session.project / "notes.txt").write_text("remember the milk\n")
    session.bootstrap()
    session.synaptic("policy", "enable", "paths.outside-project")
    session.synaptic("config", "set", 'policies."paths.outside-project".reads', "true")
    for skill in SKILLS:
        session.skill(skill.name, skill.body, **skill.keys)
    session.trust()
    session.synaptic("daemon", "start")
    say("\n$ synaptic list")
    say(session.synaptic("list").strip().replace(str(session.project), "."))


def _play(session: Session, live: Live, steps: tuple[Scene, ...]) -> None:
    """The model's side of the conversation: each turn is announced, then tried."""
    turns = tuple((_told(live, f"The model {step.about}."), Use(step.tool, step.input)) for step in steps)
    live.announce("Claude Code starts, and the user asks for something.")
    outcome = session.run(Rule((*turns, (_told(live, "The model wants to stop."), *DONE), DONE)), prompts=(PROMPT,))
    live.catch_up()
    say("\nWhat the model got back from its tools:")
    for result in outcome.results:
        mark = "refused" if result.is_error else "done"
        say(f"  {mark}: {' '.join(result.text.split())[:110]}")


def _told(live: Live, text: str) -> Do:
    return Do(lambda: live.announce(text))


if __name__ == "__main__":
    sys.exit(main())
