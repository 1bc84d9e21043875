"""How templates are read: everything in them is escaped, and a name that nobody has set is an error."""

from collections.abc import Callable
from urllib.parse import quote

import jinja2


def make_templates(loader: jinja2.BaseLoader, address: Callable[[str], str]) -> jinja2.Environment:
    """Templates whose files are where `address` says. Commands, paths and prompts in them come from anywhere."""
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["asset"] = address
    environment.filters["in_path"] = quote_in_path
    return environment


def quote_in_path(text: str) -> str:
    """A text as one part of an address, its slashes too: browsers take `..` between slashes as a step up."""
    return quote(text, safe="", errors="replace")
