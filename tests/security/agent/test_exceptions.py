"""An exception covers what was said yes to and nothing beside it: verb, daemon and dispatcher as installed."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.setting import Setting
from tests.security.agent.processes import Machine
from tests.security.agent.terminals import Window

PIN = "480216"
RESET = "git reset --hard"
PUSH = "git push --force-with-lease origin feature/{}"
ENV = {"PATH": "/usr/bin:/bin"}


class Shop:
    """A repository with a change that nobody has committed, a person's terminal, and an agent's calls."""

    def __init__(self, folder: Path, name: str = "xterm") -> None:
        self.setting = Setting(folder)
        self.setting.install()
        self.setting.start()
        self.make_repository(self.setting.project)
        self.window = Window(self.setting, name)
        self.machine = Machine(self.setting)

    def make_repository(self, place: Path) -> None:
        place.mkdir(exist_ok=True)
        script = "git init -q && git config user.email a@b.c && git config user.name a && echo x > a && git add a"
        self.run(f"{script} && git commit -qm a && echo y >> a", place)

    def run(self, command: str, place: Path | None = None) -> None:
        env = {**ENV, "HOME": str(self.setting.user)}
        subprocess.run(command, shell=True, cwd=place or self.setting.project, env=env, check=True)

    def call(self, command: str, **fields: object) -> str:
        """What the agent is told about a command; "" when it may run."""
        payload = self.setting.payload(tool_input={"command": command}, **fields)
        # By a process that ends: whoever calls the dispatcher is an agent, and so is all that it starts.
        done = self.machine.run_agent(("hook", "PreToolUse", payload))[-1]
        said = json.loads(done.out or "{}").get("hookSpecificOutput", {})
        if said.get("permissionDecision") not in ("deny", "ask"):
            return ""
        return str(said["permissionDecisionReason"])

    def refuse(self, command: str, **fields: object) -> str:
        """The handle of its refusal."""
        found = re.search(r"synaptic allow (\w{5})\b", self.call(command, **fields))
        assert found, command
        return found[1]

    def allow(self, words: str, *answers: str) -> str:
        ended, said = self.window.synaptic(f"allow {words}", *answers)
        assert ended == 0, said
        return said

    def close(self) -> None:
        self.window.close()
        self.setting.close()


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    made = Shop(tmp_path)
    yield made
    made.close()


def test_once_is_once_and_says_what_it_is_and_how_it_goes(shop: Shop) -> None:
    said = shop.allow(shop.refuse(RESET))
    for part in ("allowed once, until", RESET, "git.reset-hard will let it through"):
        assert part in said, said
    assert str(shop.setting.project) in "".join(said.split()), said  # a long path goes on in the next line
    assert re.search(r"take it back: synaptic grants revoke \w{8}", said)
    assert all(len(line) <= 80 for line in said.splitlines() if str(shop.setting.project) not in line), said
    assert shop.call(RESET) == ""
    assert "git.reset-hard" in shop.call(RESET)
    assert "used up" in shop.window.synaptic("grants list --all")[1]


def test_one_more_character_another_folder_and_another_loss_are_refused(shop: Shop) -> None:
    other = shop.setting.project / "other"
    shop.make_repository(other)
    shop.allow(f"{shop.refuse(RESET)} --session")
    for command, fields in ((f"{RESET} ", {}), (f"{RESET} HEAD", {}), (RESET, {"cwd": str(other)})):
        assert shop.call(command, **fields), command
    assert shop.call(RESET, session_id="s2"), "another session"
    assert shop.call(RESET) == ""
    shop.run("echo z >> a")
    assert shop.call(RESET), "more would be lost than was shown"


def test_what_lasts_holds_whatever_is_lost_and_says_so_before(shop: Shop) -> None:
    code = shop.refuse(RESET)
    ended, said = shop.window.synaptic(f"allow {code} --here", "n")
    assert ended == 1 and "later calls pass without that check" in " ".join(said.split())
    assert shop.call(RESET), "no was said"
    shop.allow(f"{code} --here", "y")
    shop.run("echo z >> a")
    assert shop.call(RESET) == "" == shop.call(RESET)


def test_a_changed_option_ends_it(shop: Shop) -> None:
    command = PUSH.format("a").replace("feature/a", "main")
    shop.run("git branch -M main")
    code = shop.refuse("git push --force origin main")
    shop.allow(f"{code} --here --yes")
    assert shop.call("git push --force origin main") == ""
    shop.setting.config('trust = "all"\n[policies."git.force-push"]\nprotected = ["main", "master", "next"]\n')
    assert shop.call("git push --force origin main"), command


def test_one_that_is_over_or_taken_back_lets_nothing_through(shop: Shop) -> None:
    code = shop.refuse(RESET)
    shop.allow(f"{code} --for 2s --yes")
    assert shop.call(RESET) == ""
    assert shop.setting.wait_for(lambda: bool(shop.call(RESET)), 10)
    said = shop.allow(f"{code} --for 1h --yes")
    assert shop.call(RESET) == ""
    name = said.rpartition("grants revoke ")[2].strip()
    ended, told = shop.window.synaptic(f"grants revoke {name[:4]}")
    assert ended == 0 and "taken back" in told
    assert shop.call(RESET)
    assert "taken back already" in shop.window.synaptic(f"grants revoke {name}")[1]


def test_what_another_policy_says_in_the_same_line_stands(shop: Shop) -> None:
    shop.allow(f"{shop.refuse(RESET)} --here --yes")
    assert "/etc" in shop.call(f"{RESET} && echo x > /etc/passwd")
    both = shop.call("git reset --hard; rm -rf ~")
    assert both


def test_allowed_twice_runs_once(shop: Shop) -> None:
    code = shop.refuse(RESET)
    shop.allow(code)
    shop.allow(code)
    assert shop.call(RESET) == ""
    assert shop.call(RESET)


def test_a_pattern_is_shown_before_it_counts_and_covers_its_own(shop: Shop) -> None:
    shop.run("git branch -M main")
    shop.setting.config('trust = "all"\n[[rule]]\nid = "no.push"\nrun = "git push"\nthen = "deny"\nsay = "Not now."\n')
    codes = [shop.refuse(PUSH.format(name)) for name in ("a", "b")]
    for command in (PUSH.format("a").replace("feature/a", "main"), "git push origin next"):
        assert shop.call(command)
    assert "--like 'git push --force-with-lease origin feature/*'" in shop.allow(codes[0])
    like = f"--here --like '{PUSH.format('*')}'"
    ended, said = shop.window.synaptic(f"allow {codes[1]} {like}", "n")
    flat = " ".join(said.split())
    assert ended == 1 and "refused lately, and covered: 2" in flat and "and not covered: 2" in flat, said
    shop.allow(f"{codes[1]} {like}", "y")
    assert [shop.call(PUSH.format(name)) for name in ("a", "b", "c")] == ["", "", ""]
    for command in ("git push --force-with-lease origin main", PUSH.format("a:main"), PUSH.format("../x"),
                    PUSH.format("a; git push origin main"), "git push --force-with-lease origin feature/a b",
                    "git push --force origin feature/a"):  # fmt: skip
        assert shop.call(command), command


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("--like 'git *'", "does not cover the very call"),
        ("--like '* reset --hard'", "its first word is the program"),
        ("--like 'git reset --hard; rm *'", "plain words"),
        ("--once --always", "give one of"),
        ("--for soon", "is no time"),
        ("--for 0s", "between a second and a year"),
    ],
)
def test_what_cannot_be_allowed_so_is_said_and_writes_nothing(shop: Shop, words: str, why: str) -> None:
    ended, said = shop.window.synaptic(f"allow {shop.refuse(RESET)} {words} --yes")
    assert ended and why in " ".join(said.split()), said
    assert "no exceptions" in shop.window.synaptic("grants list --all")[1]


def test_nobody_excepts_the_guard_itself_nor_what_the_user_names(shop: Shop) -> None:
    assert "nobody can make an exception" in shop.call("synaptic down")
    number = shop.setting.last().id
    ended, said = shop.window.synaptic(f"allow {number}")
    assert ended == 1 and "nobody can make an exception to what self.daemon says" in " ".join(said.split())
    code = shop.refuse(RESET)
    shop.setting.config('trust = "all"\n[grants]\nnever = ["git.*"]\n')
    ended, said = shop.window.synaptic(f"allow {code}")
    assert ended == 1 and "your config says so" in " ".join(said.split())
    shop.setting.config('trust = "all"\n[grants]\nnevr = ["git.*"]\n')
    ended, said = shop.window.synaptic(f"allow {code}")
    assert ended == 1 and "nobody knows what you have forbidden" in " ".join(said.split())


def test_an_event_number_names_its_refusal_too(shop: Shop) -> None:
    shop.call("ls")
    number = shop.setting.last().id
    assert f"event {number} was not refused" in shop.window.synaptic(f"allow {number}")[1]
    shop.refuse(RESET)
    shop.allow(str(shop.setting.last().id))
    assert shop.call(RESET) == ""


def test_a_mistyped_code_names_the_nearest(shop: Shop) -> None:
    code = shop.refuse(RESET)
    typed = code[:3] + ("a" if code[3] != "a" else "b")
    ended, said = shop.window.synaptic(f"allow {typed}")
    assert ended == 1 and f"did you mean `{code}`?" in " ".join(said.split())


def test_where_it_is_not_sure_who_asks_the_pin_is_and_leaves_no_trace(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    try:
        unsure = Window(shop.setting, "odd")
        code = shop.refuse(RESET)
        ended, said = unsure.synaptic(f"allow {code}")
        assert ended == 1 and "synaptic pin set" in said, said
        ended, said = unsure.synaptic("pin set", PIN, PIN)
        assert ended == 1 and "the first PIN is set where it can be seen" in " ".join(said.split()), said
        ended, said = shop.window.synaptic("pin set", PIN, PIN)
        assert ended == 0 and PIN not in said, said
        ended, said = unsure.synaptic(f"allow {code}", "0000")
        assert ended == 1 and "this is not the PIN" in said, said
        ended, said = unsure.synaptic(f"allow {code}", PIN)
        assert ended == 0 and "allowed once" in said and PIN not in said, said
        assert "made" in (shown := shop.window.synaptic(f"grants show {said.split()[-1]}")[1]) and "the PIN" in shown
        assert shop.call(RESET) == ""
        assert "has to be" not in shop.window.synaptic("pin remove", "1111")[1]
        assert shop.window.synaptic("pin remove", PIN)[0] == 0
        unsure.close()
    finally:
        shop.close()
    kept = [path for path in shop.setting.home.root.rglob("*") if path.is_file() and PIN.encode() in path.read_bytes()]
    assert kept == []


def test_a_user_may_want_the_pin_every_time(shop: Shop) -> None:
    code = shop.refuse(RESET)
    shop.setting.config('trust = "all"\n[grants]\npin = "always"\n')
    ended, said = shop.window.synaptic(f"allow {code}")
    assert ended == 1 and "synaptic pin set" in said
    assert shop.window.synaptic("pin set", PIN, PIN)[0] == 0
    assert shop.window.synaptic(f"allow {code}", PIN)[0] == 0
    assert shop.call(RESET) == ""


def test_without_a_daemon_the_same_look_is_taken(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    try:
        code = shop.refuse(RESET)
        shop.setting.stop()
        shop.setting.without_daemon()
        unsure = Window(shop.setting, "odd")
        ended, said = unsure.synaptic(f"allow {code}")
        unsure.close()
        assert ended == 1 and "it cannot be seen that a person asks" in " ".join(said.split()), said
        shop.allow(code)
        assert shop.call(RESET) == ""
        assert shop.call(RESET)
    finally:
        shop.close()
