"""`python -m demo.hub`: a real PostgreSQL, a hub, two machines that join it, a signed bundle, what the hub knows."""

import json
import os
import subprocess  # noqa: TID251 - everything is started as a person starts it
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from synaptic.hub.server.throwaway import ThrowawayPostgres

SYNAPTIC = str(Path(sys.executable).with_name("synaptic"))
BUNDLE = """
name = "acme"
version = 1

[[rule]]
id = "npm.publish"
run = "npm publish"
then = "deny"
say = "npm publish is public: the release job does it."
stops = ["npm publish"]
passes = ["npm pack"]
"""
CALLS = ("git status", "npm test", "git push --force origin main", "git reset --hard HEAD~3", "npm publish", "ls -la")
WAIT_SECONDS = 60.0


class DemoUser:
    """A user with a home of their own, at a machine's keyboard."""

    def __init__(self, name: str, folder: Path, database: str = "") -> None:
        self.name, self.home = name, folder / name
        self.project = self.home / "work" / "shop"
        self.project.mkdir(parents=True)
        (self.home / ".claude").mkdir()
        self.env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "COLUMNS": "110"}
        self.env |= {"SYNAPTIC_HUB_DATABASE": database} if database else {}
        subprocess.run(["git", "init", "-q"], cwd=self.project, env=self.env, check=True)

    def type(self, *words: str, shows: bool = True, told: str = "") -> str:
        """What a command prints; the demonstration ends where one fails."""
        if shows:
            say(f"\n{self.name}$ synaptic {' '.join(words)}")
        line = [SYNAPTIC, *words]
        done = subprocess.run(line, input=told, cwd=self.project, env=self.env, capture_output=True, text=True)
        if shows or done.returncode:
            say((done.stdout + done.stderr).strip())
        if done.returncode:
            raise SystemExit(f"synaptic {words[0]} failed")
        return done.stdout

    def call(self, command: str, number: int) -> str:
        """One call of an agent through the real dispatcher; what is said about it."""
        payload = {
            "hook_event_name": "PreToolUse", "session_id": f"{self.name}-1", "cwd": str(self.project),
            "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"toolu_{number:04}",
        }  # fmt: skip
        # A shell is the agent, and one more is what started it: whoever calls the dispatcher through a shell of its own
        # is no person any more, and takes nothing out again.
        line = [
            "sh",
            "-c",
            """sh -c '"$0" PreToolUse; true' "$0"; true""",
            str(self.home / ".synaptic" / "bin" / "dispatch"),
        ]
        said = json.dumps(payload)
        done = subprocess.run(line, input=said, cwd=self.project, env=self.env, capture_output=True, text=True)
        answer = json.loads(done.stdout or "{}").get("hookSpecificOutput", {})
        return str(answer.get("permissionDecision", "no objection"))


def main() -> int:
    """Exit code 1 when the hub does not know what has happened."""
    with ThrowawayPostgres() as postgres, tempfile.TemporaryDirectory(prefix="synaptic-hub-") as name:
        say(f"PostgreSQL answers in {postgres.folder}")
        folder = Path(name)
        ada = DemoUser("ada", folder, postgres.url)
        machines = [DemoUser(one, folder) for one in ("laptop", "runner")]
        key = make_key(ada, folder)
        try:
            with serve_hub(ada, key) as url:
                return show_hub(ada, machines, (url, key, folder))
        finally:
            for one in (ada, *machines):
                leave(one)
            say("\nThe hub, its database and the three homes are gone.")


def make_key(ada: DemoUser, folder: Path) -> str:
    """The organisation's key, which the hub does not get."""
    made = json.loads(ada.type("bundle", "key", "new", str(folder / "acme.key"), "--json", shows=False))
    say(f"\nada$ synaptic bundle key new acme.key\n{made['public']}")
    return str(made["public"])


@contextmanager
def serve_hub(ada: DemoUser, key: str) -> Iterator[str]:
    say("\nada$ synaptic hub serve --organisation-key RW...")
    line = [SYNAPTIC, "hub", "serve", "--listen", "127.0.0.1:0", "--name", "demo", "--organisation-key", key]
    hub = subprocess.Popen(line, env=ada.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        told = hub.stdout.readline().strip() if hub.stdout else ""
        if not told:
            raise SystemExit("the hub did not start")
        say(told)
        yield told.split()[-1]
    finally:
        hub.terminate()
        hub.wait()


def show_hub(ada: DemoUser, machines: list[DemoUser], place: tuple[str, str, Path]) -> int:
    url, key, folder = place
    publish_bundle(ada, url, folder)
    for one in machines:
        code = json.loads(ada.type("hub", "invite", "--json", shows=False))["code"]
        one.type("bootstrap", "--no-profile", shows=False)
        one.type("join", url, "--code", code, "--name", one.name, "--key", key, shows=False)
        say(f"\n{one.name}$ synaptic join {url} --code ... --key RW...")
    for one in machines:
        wait_for_bundle(one)
    say("\nWhat agents try on both machines, through the real dispatcher:")
    for one in machines:
        for number, command in enumerate(CALLS):
            say(f"  {one.name:7} {command:30} {one.call(command, number)}")
    for one in machines:
        one.type("ship", "now", "--wait", "30")
    return show_answers(ada, url, len(machines) * len(CALLS))


def publish_bundle(ada: DemoUser, url: str, folder: Path) -> None:
    file = folder / "bundle.toml"
    (folder / "draft.toml").write_text(BUNDLE)
    ada.type("bundle", "build", str(folder / "draft.toml"), "--out", str(file), shows=False)
    ada.type("bundle", "sign", str(file), "--key", str(folder / "acme.key"), shows=False)
    token = json.loads(ada.type("hub", "token", "add", "ada", "--role", "admin", "--json", shows=False))["token"]
    ada.type("hub", "login", url, shows=False, told=f"{token}\n")
    say("\nada$ synaptic bundle build, sign, publish")
    say(ada.type("bundle", "publish", str(file), "--hub", url, shows=False).strip())


def wait_for_bundle(one: DemoUser) -> None:
    """Nobody does anything for it: the machine asks, and looks at the signature."""
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until:
        told = one.type("bundle", "status", "--json", shows=False)
        if '"acme' in told:
            say(f"{one.name} has the bundle in force")
            return
        time.sleep(0.5)
    raise SystemExit(f"{one.name} did not get the bundle: {told}")


def show_answers(ada: DemoUser, url: str, sent: int) -> int:
    """What the hub says; 1 where it does not know of every call."""
    ada.type("fleet", "--hub")
    ada.type("tail", "--hub", "--denied")
    ada.type("search", "npm", "--hub")
    ada.type("hub", "hosts")
    hosts = json.loads(ada.type("hub", "hosts", "--json", shows=False))
    known = sum(one["seq"] for one in hosts["hosts"])
    say(f"\n{known} events of {sent} calls are at the hub. Its pages: {url}")
    return int(known < sent)


def leave(one: DemoUser) -> None:
    """End what runs for this home."""
    with suppress(SystemExit):
        one.type("down", shows=False)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
