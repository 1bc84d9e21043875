"""Libraries that only those need who go beyond one machine: where they are missing, it is said how to get them."""

from collections.abc import Iterator
from contextlib import contextmanager

from synaptic.model.errors import SynapticError


@contextmanager
def require_extra(name: str) -> Iterator[None]:
    """Around the import of what an extra brings. Raises SynapticError."""
    try:
        yield
    except ModuleNotFoundError as error:
        hint = f"type: pip install 'synaptic-hooks[{name}]'"
        raise SynapticError(f"this needs the extra `{name}`: {error.name} is not installed", hint=hint) from error
