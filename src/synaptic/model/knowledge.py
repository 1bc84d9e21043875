"""Knowledge of a repository: which documents help with which topic at which stage."""

import msgspec


class RouteIndex(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a ROUTING.md: a topic, and the file that lists its documents."""

    scope: str = ""
    topic: str = ""
    summary: str = ""
    route_file: str = ""
    source: str = ""
    """The ROUTING.md it is in, relative to the repository."""


class RelatedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document, when it is useful, and what it is used for."""

    path: str
    stages: tuple[str, ...] = ()
    """None means at any stage."""
    usage: str = ""
    when: str = ""
    """`when_to_use` of its route."""
    source: str = ""
    """The route file it is in."""
