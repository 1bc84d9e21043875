"""A real PostgreSQL, one for all tests of a worker; each test has a database of its own."""

import os
import uuid
from collections.abc import Iterator

import pytest

from synaptic.hub.server.throwaway import ThrowawayPostgres
from synaptic.model.errors import SynapticError


@pytest.fixture(scope="session")
def postgres() -> Iterator[ThrowawayPostgres]:
    try:
        server = ThrowawayPostgres("synchronous_commit=off")
    except SynapticError as error:
        if os.environ.get("SYNAPTIC_TEST_ALL") == "1":
            raise
        pytest.skip(f"{error}")
    with server:
        yield server


@pytest.fixture
def database(postgres: ThrowawayPostgres) -> str:
    """The address of an empty database."""
    import psycopg

    name = f"t{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres.url_as("postgres", name)
