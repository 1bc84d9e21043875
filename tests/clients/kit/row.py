"""One agent through all situations: four sessions of the true client, one row of the table."""

from synaptic.store.record import JournalEntry
from tests.clients.kit.driver import Driver, User
from tests.clients.kit.files import changed, files, undone
from tests.clients.kit.replayed import describe_replay
from tests.clients.kit.situation import SITUATIONS, arrange

Row = dict[str, str]
ABSENT = "n/a: no such event"


def row(driver: Driver) -> Row:
    """What happened, by situation. Raises NoClient when this agent is not to be had."""
    user = User(driver)
    try:
        arrange(user)
        cells = {"without us": _control(user)}
        before = files(user.home)
        user.session.synaptic("bootstrap", *driver.bootstrap)
        ours = changed(before, files(user.home))
        user.session.trust()
        cells |= _tools(user)
        cells["prompt"] = _prompt(user)
        cells["stop"] = _stop(user)
        cells["decided again"] = describe_replay(user.session.synaptic_home)
        user.session.synaptic("down")
        cells["taken out"] = undone(before, ours, files(user.home))
        return cells
    finally:
        user.close()


def _control(user: User) -> str:
    """The same client with nobody in front of it: what is denied later is denied by us."""
    run = user.run((user.driver.shell("touch forbidden-word-0"),))
    return "ran" if (user.project / "forbidden-word-0").exists() else f"did not run: {run.output[-300:]}"


def _tools(user: User) -> Row:
    run = user.run(*(situation.turn(user) for situation in SITUATIONS))
    return {situation.name: situation.cell(user, run, number) for number, situation in enumerate(SITUATIONS)}


def _prompt(user: User) -> str:
    run = user.run(prompt="forbidden-prompt")
    if not _since(user, "UserPromptSubmit", "forbidden-prompt"):
        return ABSENT
    return "went through" if "forbidden-prompt" in run.heard else "blocked"


def _stop(user: User) -> str:
    (user.project / ".never-stop").touch()
    before = len(user.session.journal("Stop"))
    run = user.run()
    stops = user.session.journal("Stop")[before:]
    if not stops:
        return ABSENT
    if "there is still more to do" not in run.heard:
        return "n/a: it cannot be kept on"
    return f"kept on {sum(bool(stop.decision.feedback) for stop in stops)} times"


def _since(user: User, event: str, mark: str) -> list[JournalEntry]:
    return [entry for entry in user.session.journal(event) if mark in (entry.payload or "")]
