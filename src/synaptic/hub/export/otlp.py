"""The destination `otlp`: a collector of OpenTelemetry, over HTTP with protobuf."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from synaptic.files.home import find_home
from synaptic.hub.export.otlp_address import read_address
from synaptic.hub.export.source import find_source
from synaptic.hub.export.threaded import ThreadedDestination
from synaptic.hub.extra import require_extra
from synaptic.hub.shipping.destination import Destination

_environment = Lock()


def open_destination(address: str) -> Destination:
    """The collector at an address. Raises SynapticError."""
    collector = read_address(address, find_home(os.environ))
    with require_extra("otlp"), without_otel_variables():
        from synaptic.hub.export.otlp_send import OtlpSender  # noqa: PLC0415 - only with the extra

        return ThreadedDestination(OtlpSender(collector, find_source()))


@contextmanager
def without_otel_variables() -> Iterator[None]:
    """While the SDK is loaded and set up: it would take endpoint, headers and even code from variables."""
    with _environment:
        hidden = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("OTEL_")}
        try:
            yield
        finally:
            os.environ.update(hidden)
