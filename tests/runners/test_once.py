"""A handler asked once, as a process."""

import subprocess

from synaptic.model.hook import HttpEndpoint, PythonFunction
from synaptic.runners.execute import ONCE_ARGV
from synaptic.runners.once import HANDLER_VARIABLE, encode_handler
from tests.runners.making import plain_env


def ask(handler) -> subprocess.CompletedProcess[bytes]:
    env = plain_env(**{HANDLER_VARIABLE: encode_handler(handler)})
    return subprocess.run(ONCE_ARGV, input=b'{"a":1}\n', env=env, capture_output=True, timeout=90, check=False)


def test_a_function_prints_its_answer_and_nothing_else(tmp_path):
    (tmp_path / "hook.py").write_text("def f(event): print('noise'); return {'systemMessage': str(event['a'])}\n")
    assert ask(PythonFunction(str(tmp_path / "hook.py"), "f")).stdout == b'{"systemMessage":"1"}'


def test_an_address_elsewhere_is_refused():
    done = ask(HttpEndpoint("http://example.com/"))
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"not on this machine" in done.stderr
