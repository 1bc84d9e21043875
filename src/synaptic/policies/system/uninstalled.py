"""Everything that a package manager has installed, taken away at once."""

import re

from synaptic.shell.names import split_names
from synaptic.shell.read.script import Command, Script

REMOVING = re.compile(r"uninstall|remove|purge|rm|erase|del|autoremove|-R\w*|-e|-P|-r|--remove|--purge|--erase")
LISTING = re.compile(
    r"(?:list|ls|leaves|installed|--get-selections|-l|-qa|-Qq?e?|-qe?Q)"
    r"(?: (?:--installed|--formulae?|--casks?|-1|-q|--app))*"
)
"""Words by which everything that is there is listed; what lists only some of it has more of them (`pacman -Qdtq`)."""
MANAGERS = split_names(
    "brew apt apt-get apt-mark aptitude dpkg dpkg-query pacman yay rpm dnf yum zypper apk snap flatpak port choco scoop"
)
"""Of the machine: what `pip` and `npm` list is mostly the project's."""
FORMERS = split_names("awk gawk cut tr sed tail sort uniq xargs column")
"""Programs that only give a list another form."""


def uninstalls_everything(command: Command, found: Script) -> bool:
    """Whether a package manager is told to remove whatever a package manager lists."""
    if command.name not in MANAGERS or not any(map(REMOVING.fullmatch, command.args[:2])):
        return False
    before = [one for one in found.find_upstream(command) if one.name not in FORMERS]
    return bool(before) and all(one.name in MANAGERS and LISTING.fullmatch(" ".join(one.args)) for one in before)
