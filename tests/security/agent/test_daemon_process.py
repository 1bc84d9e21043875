"""The daemon's process by its number: signals, debuggers and limits; and those on the agent itself."""

import msgspec
import pytest

from synaptic.model.decision import Kind
from tests.security.agent.judging import PLACES, judge_as, list_commands

RUNNING = msgspec.structs.replace(PLACES, processes=("4242",))
ATTEMPTS = list_commands(r"""
kill -9 4242
kill 4242
kill -STOP 4242
kill -s STOP 4242
kill -9 -4242
kill -9 17 4242
kill -9 -1
/bin/kill -KILL 4242
P=4242; kill -9 $P
echo 4242 | xargs kill -9
sudo kill -9 4242
nohup sh -c 'sleep 1; kill -9 4242' &
python3 -c 'import os; os.kill(4242, 9)'
python3 -c 'import os, signal; os.kill(4242, signal.SIGSTOP)'
prlimit --pid 4242 --nofile=1
prlimit --pid=4242 --nofile=1
gdb -p 4242
strace -p4242
prlimit --pid $PPID --nofile=1
strace -p $PPID
gdb -p $PPID -batch -ex 'call exit(0)'
mount --bind /bin/true ~/.synaptic/bin/dispatch
""")
HARMLESS = list_commands(r"""
kill -9 4243
kill -1 4243
kill -0 4242
kill %1
ps -p 4242
strace -p 4243
strace -f ./a.out
prlimit --nofile=1024 ./server
gdb ./a.out
synaptic rpc rpc.methods
""")


@pytest.mark.parametrize("command", ATTEMPTS)
def test_reaching_for_the_daemon_is_noticed(command: str) -> None:
    assert judge_as(command, engine_places=RUNNING) in (Kind.ASK, Kind.DENY)


@pytest.mark.parametrize("command", HARMLESS)
def test_other_processes_are_free(command: str) -> None:
    assert judge_as(command, engine_places=RUNNING) is Kind.NONE
