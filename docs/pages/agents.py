"""What every coding agent can honour, what happens where it cannot, and what no hook of it sees."""

from collections.abc import Iterator

from docs.pages.table import HEADER, code, table
from synaptic.agents.support import ASPECTS, Ability, abilities
from synaptic.agents.wiring import WIRINGS, canonical, holes, registered

PATH = "docs/reference/agents.md"
INTRO = """\
# Agents

One policy set, many agents: what a policy decides is the same everywhere, and what an agent can be told differs. This
table is made from the tables by which decisions are mapped. `yes` is honoured as it is; a number says what happens
instead, and the trace of such an event says so too (`synaptic explain`).
"""
WORDS = {
    "deny": "a tool call is stopped",
    "ask": "a person decides about a tool call",
    "rewrite": "the input of a tool call changes",
    "advise before": "text reaches the model with a tool call",
    "advise after": "text reaches the model with a tool's result",
    "prompt block": "a prompt does not reach the model",
    "stop": "the agent is asked to go on instead of stopping",
    "session start": "text reaches the model when a session starts",
}


def pages() -> Iterator[tuple[str, str]]:
    """The one page."""
    known = {agent: abilities(agent) for agent in WIRINGS}
    instead = list(dict.fromkeys(one.instead for found in known.values() for one in found if not one.can))
    yield PATH, HEADER + INTRO + _meanings() + _matrix(known, instead) + _notes(instead) + _sections()


def _meanings() -> str:
    return "\n" + "".join(f"- **{aspect.name}** {WORDS[aspect.name]} ({code(aspect.event)})\n" for aspect in ASPECTS)


def _matrix(known: dict[str, tuple[Ability, ...]], instead: list[str]) -> str:
    head = ("agent", *(aspect.name for aspect in ASPECTS), "what no hook sees or can do")
    rows = (
        (_link(agent), *(_cell(one, instead) for one in found), "; ".join(holes(agent)))
        for agent, found in known.items()
    )
    return "\n" + table(head, rows)


def _link(agent: str) -> str:
    title = WIRINGS[agent].title
    return f"[{title}](#{title.lower().replace(' ', '-')})"


def _cell(one: Ability, instead: list[str]) -> str:
    return "yes" if one.can else f"no [{instead.index(one.instead) + 1}]"


def _notes(instead: list[str]) -> str:
    return "\n" + "".join(f"{number}. {text}\n" for number, text in enumerate(instead, 1))


def _sections() -> str:
    return "".join(_section(agent) for agent in WIRINGS)


def _section(agent: str) -> str:
    wiring = WIRINGS[agent]
    moved = f" ({code(wiring.root.variable)} moves it)" if wiring.root.variable else ""
    place = "/".join(part for part in ("~", wiring.root.default, wiring.root.below) if part)
    lines = [
        f"- Name: {code(agent)}; programs: {', '.join(map(code, wiring.programs))}",
        f"- Settings: {code(place)}{moved}",
    ]
    if wiring.note:
        lines.append(f"- Note: {wiring.note}")
    lines.append(f"- Events: {', '.join(_event(agent, event) for event in registered(agent))}")
    return f"\n## {wiring.title}\n\n" + "\n".join(lines) + "\n"


def _event(agent: str, event: str) -> str:
    here = canonical(agent, event)
    return code(event) if here == event else f"{code(event)} ({code(here)})"
