"""One door to all runners."""

import threading
from http.server import HTTPServer

import pytest

from synaptic.model.decision import Kind
from synaptic.model.hook import Builtin, HttpEndpoint, PythonFunction
from synaptic.runners.execute import HookRunners
from tests.runners.making import eventually, make_call, make_hook, make_invocation, on_loop, shell_hook
from tests.runners.test_http import Handler


@pytest.fixture
def endpoint():
    server = HTTPServer(("127.0.0.1", 0), Handler)
    server.seen = []
    server.answers = {"/": (200, b'{"decision":"block","reason":"http","systemMessage":"http"}')}
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield HttpEndpoint(f"http://127.0.0.1:{server.server_port}/")
    server.shutdown()
    server.server_close()


@pytest.fixture
def hooks(tmp_path, endpoint):
    answer = '{"decision":"block","reason":"script","systemMessage":"script"}'
    (tmp_path / "hook.py").write_text(
        "def check(event):\n    print('noise')\n"
        "    return {'decision': 'block', 'reason': 'python', 'systemMessage': 'python ' + event['tool_name']}\n"
    )
    return {
        "script": shell_hook(tmp_path / "a", f"echo '{answer}'", id="script"),
        "python": make_hook(PythonFunction(str(tmp_path / "hook.py"), "check"), id="python"),
        "http": make_hook(endpoint, id="http"),
    }


def test_every_kind_of_handler_answers(tmp_path, hooks):
    async def work():
        runners = HookRunners(tmp_path / "spool")
        try:
            return {name: await runners.run(make_invocation(hook, make_call(tmp_path))) for name, hook in hooks.items()}
        finally:
            await runners.close()

    verdicts = on_loop(work())
    assert {name: verdict.reason for name, verdict in verdicts.items()} == {name: name for name in hooks}


def test_every_kind_of_handler_can_be_started_and_collected(tmp_path, hooks):
    """S0-040: advice stays, decisions are dropped."""
    runners = HookRunners(tmp_path / "spool")
    for hook in hooks.values():
        assert runners.start(make_invocation(hook, make_call(tmp_path))) is None
    assert eventually(lambda: len(runners.collect()) == 3, 15)
    found = {run.hook: run for run in runners.collect()}
    assert {run.outcome.says for run in found.values()} == {Kind.NONE}
    texts = {name: run.outcome.messages[0] for name, run in found.items()}
    assert texts == {"script": "script", "python": "python Bash", "http": "http"}
    for run in found.values():
        runners.forget(run)
    assert runners.collect() == []


def test_a_policy_is_none_of_its_business(tmp_path):
    class Fake:
        id = "git.force-push"

    runners = HookRunners(tmp_path / "spool")
    invocation = make_invocation(make_hook(Builtin(Fake())), make_call(tmp_path))
    with pytest.raises(TypeError, match="is a policy"):
        runners.start(invocation)
    with pytest.raises(TypeError, match="is a policy"):
        on_loop(runners.run(invocation))
