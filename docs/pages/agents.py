"""What every coding agent can honour, what happens where it cannot, and what no hook of it sees."""

from collections.abc import Iterator

from docs.pages.table import HEADER, code, table
from synaptic.agents.base import Agent
from synaptic.agents.shared.discover import load_agents
from synaptic.agents.shared.guarded import list_guarded_names
from synaptic.agents.shared.support import SUPPORT_ASPECTS, AspectSupport, assess_agent

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
    known = [(agent, assess_agent(agent)) for agent in load_agents()]
    instead = list(dict.fromkeys(one.instead for _, found in known for one in found if not one.can))
    yield PATH, HEADER + INTRO + _meanings() + _matrix(known, instead) + _notes(instead) + _sections()


def _meanings() -> str:
    return "\n" + "".join(
        f"- **{aspect.name}** {WORDS[aspect.name]} ({code(aspect.event)})\n" for aspect in SUPPORT_ASPECTS
    )


def _matrix(known: list[tuple[Agent, tuple[AspectSupport, ...]]], instead: list[str]) -> str:
    head = ("agent", *(aspect.name for aspect in SUPPORT_ASPECTS), "what no hook sees or can do")
    rows = ((_link(agent), *(_cell(one, instead) for one in found), "; ".join(agent.unseen)) for agent, found in known)
    return "\n" + table(head, rows)


def _link(agent: Agent) -> str:
    return f"[{agent.title}](#{agent.title.lower().replace(' ', '-')})"


def _cell(one: AspectSupport, instead: list[str]) -> str:
    return "yes" if one.can else f"no [{instead.index(one.instead) + 1}]"


def _notes(instead: list[str]) -> str:
    return "\n" + "".join(f"{number}. {text}\n" for number, text in enumerate(instead, 1))


def _sections() -> str:
    return "".join(map(_section, load_agents()))


def _section(agent: Agent) -> str:
    moved = f" (moved by {', '.join(map(code, agent.variables))})" if agent.variables else ""
    lines = [
        f"- Name: {code(agent.name)}; programs: {', '.join(map(code, agent.programs))}",
        f"- Settings: {code(f'~/{agent.folder.usual_path}')}{moved}",
        f"- Guarded there: {', '.join(map(code, list_guarded_names(agent.name)))}",
    ]
    if agent.note:
        lines.append(f"- Note: {agent.note}")
    lines.append(f"- Events: {', '.join(_event(agent, event) for event in agent.events)}")
    return f"\n## {agent.title}\n\n" + "\n".join(lines) + "\n"


def _event(agent: Agent, event: str) -> str:
    here = agent.adapter.to_canonical(event)
    return code(event) if here == event else f"{code(event)} ({code(here)})"
