"""What may be thrown away: test databases, test environments, clusters and services of this machine."""

import re
from collections.abc import Iterator

from synaptic.shell.effects.addresses import LOCAL_ADDRESS
from synaptic.shell.paths import MAX_PATH
from synaptic.shell.read.script import Command, Script

TEST_NAME = re.compile(r"(?:[\w.-]*[-_.])?(?:tests?\d*|testing|e2e)(?:[-_.][\w-]+)*|testdb\w*", re.IGNORECASE)
"""Names that say of themselves that they are for tests: `app_test`, `test-1`, `e2e`."""
LOCAL_CLUSTER = re.compile(
    r"(?:kind|k3d|k3s|vcluster)-[\w.-]+|minikube[\w.-]*|docker-(?:for-)?desktop|rancher-desktop|colima[\w.-]*|orbstack"
    r"|microk8s"
)
"""Contexts of clusters that run on this machine, as the programs that make them name them."""
CONTEXT_OPTIONS = ("--context", "--kube-context")
ENVIRONMENT_OPTIONS = frozenset({"--env", "--environment", "-e", "--settings", "--profile", "--stage"})
ENVIRONMENT_LOADERS = frozenset({"dotenv", "dotenvx", "env-cmd"})
TEST_VALUE = re.compile(r"(?:[\w.-]*[._-])?test(?:s|ing|_settings)?", re.IGNORECASE)
ENVIRONMENT_NAME = re.compile(r"\w*(?:ENV|ENVIRONMENT|SETTINGS_MODULE)")
DATABASE_NAME = re.compile(r"\w*(?:DATABASE|DB|PG|POSTGRES|MYSQL|MONGO|SQLITE)\w*")
STATEMENT_END = re.compile(r"\|\||;|\n")
"""What stands between commands of which the second runs even when the first has failed."""
URL = re.compile(r"[a-z][a-z0-9+.-]*:(?://(?P<host>[^/?#]*)/?)?(?P<name>[^?#]*)(?:[?#].*)?", re.IGNORECASE)
"""An address of a database: `postgres://me@host:5432/app_test?ssl=1`, `sqlite:///app.db`, `file:./dev.db`."""


def is_test_name(text: str) -> bool:
    """Whether a name says that what it names is for tests."""
    return len(text) <= MAX_PATH and TEST_NAME.fullmatch(text) is not None


def is_test_address(text: str) -> bool:
    """Whether an address names a test database that is on this machine."""
    found = URL.fullmatch(text) if len(text) <= MAX_PATH else None
    if found is None or not is_test_name(found["name"].rpartition("/")[2]):
        return False
    return is_local_host((found["host"] or "").rpartition("@")[2])


def is_local_host(text: str) -> bool:
    """Whether the host of a database is this machine; without any it is."""
    return not text or text[0] in "/%" or LOCAL_ADDRESS.match(text) is not None


def runs_in_test_environment(command: Command, found: Script) -> bool:
    """Whether a variable or an option says that it is about the environment of tests."""
    for before, text in zip(("", *command.args), command.args, strict=False):
        name, equals, value = text.partition("=")
        if equals and (name in ENVIRONMENT_OPTIONS or ENVIRONMENT_NAME.fullmatch(name)) and _is_test_value(value):
            return True
        if before in ENVIRONMENT_OPTIONS and _is_test_value(text):
            return True
    return any(_says_test(name, value) for name, value in iter_variables(command, found))


def is_chained(first: Command, second: Command, found: Script) -> bool:
    """Whether the second command runs only when the first has succeeded: nothing but `&&` can stand between them."""
    if first.span is None or second.span is None or first.via != second.via:
        return False
    between = found.text[first.span[1] : second.span[0]]
    return "&&" in between and STATEMENT_END.search(between) is None and is_unconditional(first, found)


def is_unconditional(command: Command, found: Script) -> bool:
    """Whether nothing before it may keep a command from running and let the line go on: `up || docker run`."""
    if command.span is None:
        return False
    start = command.span[0]
    ended = max(found.text.rfind(sign, 0, start) for sign in (";", "\n"))
    return found.text.rfind("||", ended + 1, start) < 0


def names_local_service(command: Command) -> bool:
    """Whether a word is an address of this machine: `--endpoint-url http://localhost:4566`."""
    values = (text.rpartition("=")[2] for text in command.args if "l" in text or "1" in text)
    return any("/" in text and len(text) <= MAX_PATH and LOCAL_ADDRESS.match(text) is not None for text in values)


def is_in_local_cluster(command: Command, found: Script) -> bool:
    """Whether the context that is named, here or by a command before, is one of a cluster on this machine."""
    own = [text for name, text in iter_option_values(command) if name in CONTEXT_OPTIONS]
    chosen = own or [text for one in found.commands[: command.index] for text in _find_chosen_context(one)]
    return bool(chosen) and LOCAL_CLUSTER.fullmatch(chosen[-1]) is not None


def iter_option_values(command: Command) -> Iterator[tuple[str, str]]:
    args = command.args
    for place, text in enumerate(args):
        name, equals, value = text.partition("=")
        yield name, value if equals else next(iter(args[place + 1 : place + 2]), "")


def _find_chosen_context(command: Command) -> tuple[str, ...]:
    """`kubectl config use-context kind-x`, `kubectx minikube`."""
    args = command.args
    if command.name == "kubectl" and args[:2] == ("config", "use-context"):
        return args[2:3]
    return args[:1] if command.name == "kubectx" else ()


def _says_test(name: str, value: str) -> bool:
    if ENVIRONMENT_NAME.fullmatch(name):
        return _is_test_value(value)
    return DATABASE_NAME.fullmatch(name) is not None and (is_test_address(value) or is_test_name(value))


def _is_test_value(text: str) -> bool:
    return len(text) <= MAX_PATH and TEST_VALUE.fullmatch(text) is not None


def iter_variables(command: Command, found: Script) -> Iterator[tuple[str, str]]:
    """The variables that it is started with, those exported before it, and those of `env`."""
    yield from ((name, word.text) for name, word in command.assignments)
    for one in found.commands[: command.index]:
        if one.name in ("export", "env"):
            for text in one.args:
                name, equals, value = text.partition("=")
                if equals:
                    yield name, value
        # `dotenv -e .env.test -- rails db:drop`: the variables are in a file that is named after tests.
        elif one.name in ENVIRONMENT_LOADERS:
            yield from (("ENV", "test") for text in one.args if ".env.test" in text)
