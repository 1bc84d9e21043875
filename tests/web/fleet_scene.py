"""A day with several agents, as pages show it: efforts with phases and hand-overs, refusals, a call that waits."""

import json
import time

import msgspec

from synaptic.daemon.client import new_call_id
from synaptic.model.dehydration import Dehydration
from synaptic.model.event import PreToolUse
from synaptic.model.layers import Beat, SetStatus, Skill
from synaptic.store import efforts, layers, refused, windows
from synaptic.store.agents import AgentRegistration, register_agent
from synaptic.store.db import Store
from synaptic.store.efforts import EffortRequest, PhaseStep
from synaptic.store.record import EventRecord
from synaptic.store.tasks import TaskDescription
from synaptic.store.windows import WorkerIdentity
from tests.daemon.setting import Setting

PHASES = ("0: Setup", "1: Build", "2: Check")
HANDED_OVER = Dehydration(
    summary="The form is there, validation is half done.",
    last_action="Wrote tests for empty fields.",
    next_steps=("validate the address", "run the suite"),
)
CALLS = (
    ("claude", "s-form", "Bash", {"command": "npm test -- --watch=false"}),
    ("claude", "s-form", "Edit", {"file_path": "src/form.ts", "old_string": "a", "new_string": "b"}),
    ("claude", "s-api", "Bash", {"command": "git push --force origin main"}),
    ("claude", "s-api", "Bash", {"command": "git reset --hard HEAD~3"}),
    ("claude", "s-docs", "Bash", {"command": "rm -rf ~/notes/../.config"}),
    ("claude", "s-docs", "Read", {"file_path": "docs/guide/asking.md"}),
)


def play_day(setting: Setting) -> None:
    """Write it down."""
    store = Store.open(setting.home)
    try:
        _work_on_efforts(store, str(setting.project))
    finally:
        store.close()
    for number, (agent, session, tool, given) in enumerate(CALLS):
        send(setting, session, agent=agent, tool_name=tool, tool_input=given, tool_use_id=f"d{number}")
    send(setting, "s-docs", "PermissionRequest", tool_name="Bash", tool_input={"command": "gh release create v2"})


def send(setting: Setting, session: str, event: str = "PreToolUse", agent: str = "claude", **fields: object) -> None:
    """One event of a session, decided and written in this process."""
    payload = {**setting.payload(event), "session_id": session, **fields}
    request = setting.raw(event, json.dumps(payload).encode(), agent)
    setting.answer(msgspec.structs.replace(request, id=new_call_id()))


def hold_call(store: Store, mark_of: str) -> None:
    """A refusal whose call is asked about now: it is written down again, and not decided yet."""
    (known,) = refused.find_by_code(store, mark_of)
    subject = msgspec.structs.replace(known.subject, asks=True)
    record = EventRecord(
        call=new_call_id(), at=time.time(), agent=known.agent, event=PreToolUse.__name__, session=known.session,
        refused=refused.RefusedNews(subject=subject, said="the branch is mine", reason=known.reason),
    )  # fmt: skip
    refused.put_refused(store, record)


def _work_on_efforts(store: Store, root: str) -> None:
    now = time.time()
    who = WorkerIdentity(agent="forms", host="s-form", kind="claude")
    asked = EffortRequest(
        root=root, task=TaskDescription(folder=f"{root}/.tasks/login-page", title="A login page", keywords=("login",)),
        skill=Skill(name="implement", phases=PHASES), who=who,
    )  # fmt: skip
    started = efforts.start_effort(store, asked, now - 5400)
    for age, name in ((5300, PHASES[0]), (4200, PHASES[1]), (900, PHASES[2])):
        efforts.move_phase(store, started.effort.id, PhaseStep(rule=_allow_any(name), host="s-form"), now - age)
    windows.finish_window(store, started.window.session, HANDED_OVER.to_text(), now - 600)
    window = efforts.enter_effort(store, started.effort.id, who, now - 500)
    beat = Beat(session=window.session, add=4, usage=0.62)
    layers.write_layer_effects(store, (beat,), now - 40, "s-form")
    done = efforts.start_effort(store, _ask_for(root, "fix-ci", "repair"), now - 90_000)
    efforts.finish_effort(store, done.effort.id, None, now - 80_000)
    register_agent(store, AgentRegistration(id="api", label="API", kind="claude", project=root, status="working"), now)
    stuck = SetStatus(
        agent="api", status="error", note="the turn has failed: overloaded", kind="claude", named=True, host="s-api"
    )
    layers.write_layer_effects(store, (stuck,), now)


def _ask_for(root: str, task: str, skill: str) -> EffortRequest:
    folder = TaskDescription(folder=f"{root}/.tasks/{task}")
    return EffortRequest(root=root, task=folder, skill=Skill(name=skill), who=WorkerIdentity(agent="ci", kind="codex"))


def _allow_any(name: str):
    return lambda declared, current: (name, ())
