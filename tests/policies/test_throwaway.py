"""What says of itself that it is for tests, or on this machine."""

import pytest

from synaptic.policies.throwaway import (
    is_chained,
    is_in_local_cluster,
    is_local_host,
    is_test_address,
    is_test_name,
    names_local_service,
    runs_in_test_environment,
)
from synaptic.shell.read.reader import read_script
from synaptic.shell.read.script import Command, Script


def read_last(text: str) -> tuple[Command, Script]:
    found = read_script(text, "/p", "/h")
    return found.commands[-1], found


@pytest.mark.parametrize(
    "name", ["app_test", "test_app", "test", "e2e-7", "shop-tests", "x.test.db", "testdb1", "test2"]
)
def test_names_of_tests_are_known(name: str):
    assert is_test_name(name)


@pytest.mark.parametrize("name", ["latest", "contest", "app", "attestation", "testament", "production", ""])
def test_other_names_are_none(name: str):
    assert not is_test_name(name)


def test_an_address_is_for_tests_only_on_this_machine():
    assert is_test_address("postgres://me:x@localhost:5432/app_test?ssl=0")
    assert is_test_address("postgresql:///app_test")
    assert not is_test_address("postgres://me@db.example.com/app_test")
    assert not is_test_address("postgres://localhost/app")


def test_a_socket_and_no_host_are_this_machine():
    assert all(map(is_local_host, ("", "localhost", "127.0.0.1", "/var/run/postgresql")))
    assert not is_local_host("db.example.com")


@pytest.mark.parametrize(
    "text",
    [
        "RAILS_ENV=test rails db:drop",
        "export RAILS_ENV=test; rails db:drop",
        "env NODE_ENV=test sequelize db:drop",
        "php artisan migrate:fresh --env=testing",
        "php artisan migrate:fresh --env testing",
        "manage.py flush --settings=app.settings.test",
        "rake db:drop RAILS_ENV=test",
        "DATABASE_URL=postgres://localhost/app_test prisma migrate reset",
        "dotenv -e .env.test -- prisma migrate reset",
    ],
)
def test_the_environment_of_tests_is_known(text: str):
    assert runs_in_test_environment(*read_last(text))


@pytest.mark.parametrize(
    "text",
    [
        "RAILS_ENV=production rails db:drop",
        "rails db:drop; export RAILS_ENV=test; rails db:drop RAILS_ENV=production",
        "DATABASE_URL=postgres://db.example.com/app_test prisma migrate reset",
        "rails db:drop",
    ],
)
def test_other_environments_are_none(text: str):
    command, found = read_script(text, "/p", "/h").commands[0], read_script(text, "/p", "/h")
    assert not runs_in_test_environment(command, found)


def test_the_context_that_was_chosen_last_counts():
    assert is_in_local_cluster(*read_last("kubectl config use-context kind-dev && kubectl delete ns x"))
    assert is_in_local_cluster(*read_last("helm uninstall x --kube-context=minikube"))
    assert not is_in_local_cluster(
        *read_last("kubectl config use-context kind-dev; kubectl --context prod delete ns x")
    )
    assert not is_in_local_cluster(*read_last("kubectl delete ns kind-dev"))


def test_a_service_of_this_machine_is_named_by_its_address():
    assert names_local_service(read_last("aws --endpoint-url http://localhost:4566 s3 rb s3://b")[0])
    assert names_local_service(read_last("npm publish --registry=http://127.0.0.1:4873")[0])
    assert not names_local_service(read_last("npm publish --registry https://registry.example.org")[0])
    assert not names_local_service(read_last("gh repo delete localhost")[0])


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("createdb x && dropdb x", True),
        ("createdb x && psql -l | head && dropdb x", True),
        ("true; createdb x && dropdb x", True),
        ("createdb x; dropdb x", False),
        ("createdb x || true && dropdb x", False),
        ("createdb x\ndropdb x", False),
        ("createdb x | dropdb x", False),
        ("ls || createdb x && dropdb x", False),
        ("ssh h 'createdb x' && dropdb x", False),
    ],
)
def test_only_what_follows_a_success_is_chained(text: str, want: bool):
    last, found = read_last(text)
    first = next(one for one in found.commands if one.name == "createdb")
    assert is_chained(first, last, found) is want
