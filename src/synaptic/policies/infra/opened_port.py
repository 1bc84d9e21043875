"""Ports for machines and databases opened to the whole internet."""

from typing import Annotated

from synaptic.model.decision import Verdict, ask, deny
from synaptic.model.event import PreToolUse
from synaptic.policies.base import ON, Policy
from synaptic.policies.facts import Facts
from synaptic.policies.infra.verbs import find_tool, is_dry_run, read_harm, sort_line
from synaptic.policies.reading import SHELL_TOOLS, get_script, select_commands
from synaptic.shell.book.entries import find_program
from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command

HARM = read_harm(
    "opening",
    "let the whole internet reach what few could reach",
    "Open it to single addresses (`<address>/32`) or through ssh (`ssh -L`), or let the user do this.",
)
PRIVATE_PORTS = split_names(
    "22 23 135 139 445 1433 1521 2375 2376 2379 3306 3389 5432 5433 5900 5984 5985 6379 6443 7474 7687 8086 9042 9200"
    " 9300 10250 11211 27017 27018"
)
"""Ports at which machines are administered and databases answer."""


class OpenedPort(Policy):
    """Opening a machine or a database to the internet.

    ## What it does
    Asks before a rule of a cloud's firewall lets every address in, other than to a web server (`aws ec2
    authorize-security-group-ingress --cidr 0.0.0.0/0`, `gcloud compute firewall-rules create`, `az network nsg rule
    create`, doctl, hcloud), before a firewall of a machine lets everybody in or to a database (`ufw allow 5432`), and
    before a tunnel publishes the port of a database or of a login (`ngrok tcp 5432`, `cloudflared tunnel --url
    tcp://localhost:5432`, `ssh -R 0.0.0.0:5432:localhost:5432 host`). Free are ports 80 and 443, single addresses,
    tunnels for a web server under development (`ngrok http 3000`), ports forwarded to this machine, and `ufw allow 22`.
    `firm` denies instead.
    ## Why
    Open databases and logins are found within minutes, and what was copied stays copied.
    ## Known gaps
    Rules in files, ports that are only named in a configuration (`ngrok start`), and servers that listen on every
    address are not looked at.
    """

    id = "infra.opened-port"
    events = (PreToolUse,)
    tools = SHELL_TOOLS
    speaks_of = HARM.tools
    priority = 26
    preset = "essentials"

    firm: Annotated[bool, ON] = False
    """Deny instead of asking."""

    def check(self, event: PreToolUse, facts: Facts) -> Verdict | None:
        found = get_script(event, facts, HARM.programs)
        if found is None:
            return None
        opening = next((one for one in select_commands(found, HARM.forms) if _opens(one)), None)
        if opening is None:
            return None
        shown = " ".join((opening.name, *opening.args[:3]))
        return (deny if self.firm else ask)(f"`{shown}` would {HARM.loss}. {HARM.instead}")


def _opens(command: Command) -> bool:
    # An address of this machine is what a tunnel is about, so it spares nothing here.
    name, words = find_tool(command, HARM.forms)
    match = HARM.forms[name].search(sort_line(find_program(name), words)) if name else None
    if match is None or is_dry_run(command, name):
        return False
    return "port" not in match.re.groupindex or match["port"] is None or match["port"] in PRIVATE_PORTS
