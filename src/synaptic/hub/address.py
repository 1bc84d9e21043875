"""Which addresses a hub may have, and whose certificates count for one."""

import ipaddress
import ssl
from urllib.parse import urlsplit

from synaptic.model.errors import SynapticError
from synaptic.work.event_words import show_line

HINT = "it is an address such as https://hub.example.org"
MOST_SHOWN = 200


def check_url(url: str) -> str:
    """The address without a slash at its end. Raises SynapticError for one that anybody on the way could read."""
    where = show_line(url)[:MOST_SHOWN]
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise SynapticError(f"this is no address: {error}", where=where, hint=HINT) from error
    if parts.scheme not in ("http", "https") or not host or not url.isprintable() or parts.query or parts.fragment:
        raise SynapticError("this is no address of a hub", where=where, hint=HINT)
    if parts.username or parts.password:
        raise SynapticError("an address with a password is shown in many places", where=host, hint="leave it out")
    if parts.scheme == "http" and not is_loopback(host):
        raise SynapticError("http:// is for this machine alone: everybody on the way reads it", where=where, hint=HINT)
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def make_trust(certificate: str) -> ssl.SSLContext:
    """With the certificates of a file, else with those of this machine. Raises SynapticError."""
    try:
        return ssl.create_default_context(cafile=certificate or None)
    except (OSError, ssl.SSLError, ValueError) as error:
        raise SynapticError(f"these are no certificates: {error}", where=certificate) from error


def is_loopback(host: str) -> bool:
    """Whether a name is this machine's own."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
