"""What some hosts might have sent in an evening: for tests that look at pages with everything in it."""

import time

from synaptic.hub.wire import HookRun, HostAgent, HostGrant
from tests.hub.pages.site import HubProcess, ShippingHost

COMMANDS = (
    "git status",
    "pytest -q tests/api",
    "git push --force origin main",
    "rm -rf build",
    "cat src/main.py",
    "npm ci",
)


def tell(site: HubProcess) -> list[ShippingHost]:
    """A laptop that ships all, runners that ship the structure only, one that is behind and one that is troubled."""
    hosts = [ShippingHost(site, name) for name in ("Ada's laptop", "CI runner 1", "CI runner 2", "build box")]
    laptop, first, second, box = hosts
    now = time.time()
    laptop.ships(*(_make(at, now - 3000 + at * 20, True) for at in range(140)))
    for host in (first, second, box):
        host.ships(*(_make(at, now - 2000 + at * 9, False) for at in range(60)))
    laptop.says(
        version="1.4.0", bundle="acme 7", contents="full", is_managed=True,
        witness={"obeyed": 931, "not observable": 12},
        agents=(HostAgent("a1", "claude", "working", "~/work/app", "api"),
                HostAgent("a2", "codex", "attention", "~/work/shop")),
        grants=(
            HostGrant(id="g1", at=now - 900, policy="git.force-push", scope="once", granted_by="ada", uses=1,
                      last_used=now - 800, project="~/work/app", shown="git push --force origin main"),
            HostGrant(id="g2", at=now - 90000, policy="shell.loss", scope="here", granted_by="ada", uses=14,
                      last_used=now - 300, expires=now + 86400, project="~/work/app"),
        ),
    )  # fmt: skip
    first.says(version="1.4.0", bundle="acme 7", witness={"obeyed": 212, "disobeyed": 1, "unseen": 3},
               agents=(HostAgent("r1", "claude", "working", "~/ci/app"),))  # fmt: skip
    second.says(version="1.3.2", bundle="acme 6", newest=second.seq + 12_345, witness={"obeyed": 90})
    box.says(version="1.4.0", bundle="acme 6", bundle_trouble="the signature is of an unknown key",
             problems=("the disk is nearly full: 212 MB",))  # fmt: skip
    laptop.asks({"is_held": True, "project": "~/work/app", "shown": "git push --force origin main", "at": now - 42,
                 "reason": "a forced push discards commits that others may build on"})  # fmt: skip
    first.asks(
        {"is_held": True, "project": "~/ci/app", "at": now - 12},
        {"is_grantable": False, "policies": ("shell.loss",), "at": now - 4000},
    )
    return hosts


def _make(at: int, when: float, is_full: bool) -> dict[str, object]:
    command = COMMANDS[at % len(COMMANDS)]
    kind, by = {2: ("deny", "git.force-push"), 3: ("ask", "shell.loss"), 5: ("rewrite", "node.clean-install")}.get(
        at % 23, ("none", "")
    )
    runs = tuple(HookRun(name, kind if name == by else "none", 40 + at % 7 * 130)
                 for name in ("git.force-push", "shell.loss", "node.clean-install", "./hooks/lint.sh"))  # fmt: skip
    words = {"subject": command, "reason": "it would discard what others build on"} if is_full else {}
    return {"at": when, "kind": kind, "by": by, "runs": runs,
            "session": f"5e55{at // 30}-{'ab' if is_full else 'cd'}", "size": 300 + at,
            "micros": 700 + at % 11 * 300, "code": "k7qmd" if by else "", "quiet": 28,
            "agent": ("claude", "codex")[at % 5 == 0],
            "project": ("~/work/app", "~/work/shop")[at % 3 == 0],
            "tool": "Bash" if at % 4 else "Edit", **words}  # fmt: skip
