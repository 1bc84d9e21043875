"""What Python code reads, and what of it goes to another machine."""

import ast
import re
from collections.abc import Iterator

from synaptic.shell.languages.acts import CodeAct, Feed
from synaptic.shell.languages.python_names import PythonNames
from synaptic.shell.languages.python_value import ENVIRONMENT
from synaptic.shell.read.script import Word

OPEN_CALLS = frozenset(
    {"open", "io.open", "codecs.open", "builtins.open", "os.open", "dotenv.dotenv_values", "dotenv.load_dotenv",
     "linecache.getlines", "gzip.open"}
)  # fmt: skip
READ_METHODS = frozenset({"read_text", "read_bytes"})
CLIENTS = re.compile(r"(?:requests|httpx|urllib3|aiohttp|urllib\.request|http\.client|ftplib|smtplib|boto3)\b")
SEND_CALLS = frozenset({"get", "post", "put", "patch", "request", "urlopen", "Request", "send", "stream", "storbinary",
                   "sendmail", "send_message"})  # fmt: skip
"""Calls of an HTTP client, or of what it made, that send what they are given."""
ALWAYS_SENDING = frozenset({"post", "sendall", "sendto", "sendmail", "upload_file", "upload_fileobj", "put_object"})
"""Methods that send, whatever they are called on."""
UNSENT_ARGUMENTS = frozenset({"headers", "auth", "cert", "verify", "timeout", "cookies", "context"})
"""Arguments that are used, not sent: a key that opens a door is not given away."""
FETCHES = re.compile(
    r"(?:.*\.)?(?:urlopen|urlretrieve)|(?:requests|httpx|aiohttp|urllib3|http\.client)\..+|socket\..*recv\w*"
)
DECODE_CALLS = frozenset(
    {"b64decode", "b32decode", "b85decode", "a85decode", "urlsafe_b64decode", "decodebytes", "decompress", "fromhex",
     "unhexlify", "decrypt"}
)  # fmt: skip
SINGLE_GETTERS = frozenset({"get", "pop", "setdefault"})
MAX_LOOKED_AT = 300
UNKNOWN_ADDRESS = Word("$ADDRESS", known=False)
"""Stands for an address that is not known."""


class PythonSending(PythonNames):
    """Follows values from where they are read to where they are sent or run."""

    def find_origin(self, node: ast.expr) -> str:
        """`fetched` when a value comes from another machine, `decoded` when nobody can read it as it stands."""
        found = {
            note for one in self._iter_parts(node) if isinstance(one, ast.Call) and (note := self._classify_call(one))
        }
        return "fetched" if "fetched" in found else "decoded" if found else ""

    def _classify_call(self, node: ast.Call) -> str:
        name = self.resolve_name(node.func)
        if FETCHES.fullmatch(name):
            return "fetched"
        return "decoded" if name.rpartition(".")[2] in DECODE_CALLS or name == "marshal.loads" else ""

    def find_sent(self, node: ast.Call, name: str) -> CodeAct | None:
        """What a call sends, when it holds something that was read."""
        last = name.rpartition(".")[2]
        if last not in ALWAYS_SENDING and not (last in SEND_CALLS and CLIENTS.match(name)):
            return None
        given = [*node.args, *(item.value for item in node.keywords if item.arg not in UNSENT_ARGUMENTS)]
        feeds = tuple(dict.fromkeys(feed for item in given for feed in self._find_feeds(item)))
        if last == "upload_file" and node.args:
            feeds = ((Word("cat"), self.to_word(node.args[0])),)
        return CodeAct("send", [self._find_address(node, name)], feeds) if feeds else None

    def _find_address(self, node: ast.Call, name: str) -> Word:
        url = next((item.value for item in node.keywords if item.arg == "url"), None)
        if name.startswith("http.client") and isinstance(node.func, ast.Attribute):
            made = self.resolve_value(node.func.value)
            url = made.args[0] if isinstance(made, ast.Call) and made.args else None
        elif url is None:
            texts = (item for item in node.args[:2] if "://" in self.to_word(item).text)
            url = next(texts, None)
        word = self.to_word(url) if url is not None else UNKNOWN_ADDRESS
        return word if word.known else UNKNOWN_ADDRESS

    def _find_feeds(self, node: ast.expr) -> Iterator[Feed]:
        """The files and the environment that a value is made of."""
        for one in self._iter_parts(node):
            if isinstance(one, ast.Call) and (path := self.find_opened_file(one)) is not None:
                yield (Word("cat"), path)
            elif isinstance(one, ast.Attribute | ast.Name) and self.resolve_name(one) in ENVIRONMENT:
                yield (Word("env"),)

    def find_opened_file(self, node: ast.Call) -> Word | None:
        """The file that a call reads; None when it reads none."""
        name = self.resolve_name(node.func)
        if name in OPEN_CALLS:
            return self.to_word(node.args[0]) if node.args else Word(".env") if "dotenv" in name else None
        if not isinstance(node.func, ast.Attribute):
            return None
        if node.func.attr in READ_METHODS or (node.func.attr == "open" and self.is_path(node.func.value)):
            return self.to_word(node.func.value)
        if node.func.attr == "read" and len(node.args) == 1:  # `ConfigParser().read(path)`
            path = self.to_word(node.args[0])
            return path if "/" in path.text else None
        return None

    def is_path(self, node: ast.expr) -> bool:
        """Whether an expression is a path object: `Path(...)`, `Path(...) / x`, or one of unknown kind."""
        node = self.resolve_value(node)
        if isinstance(node, ast.Call):
            last = self.resolve_name(node.func).rpartition(".")[2]
            return last in ("Path", "PosixPath", "home", "cwd", "resolve", "joinpath", "expanduser", "absolute")
        return isinstance(node, ast.BinOp | ast.Name) or (isinstance(node, ast.Attribute) and node.attr == "parent")

    def _iter_parts(self, node: ast.AST) -> Iterator[ast.AST]:
        """The pieces of an expression, and of what its names stand for. A single variable is not the environment."""
        waiting: list[ast.AST] = [node]
        seen: set[str] = set()
        for _ in range(MAX_LOOKED_AT):
            if not waiting or self.left <= 0:
                return
            one = waiting.pop()
            self.left -= 1
            yield one
            if isinstance(one, ast.Name) and one.id not in seen:
                seen.add(one.id)
                waiting.extend(held for held in (self.values.get(one.id), self.drawn.get(one.id)) if held is not None)
            elif isinstance(one, ast.Subscript) and self.resolve_name(one.value) in ENVIRONMENT:
                waiting.append(one.slice)
            elif isinstance(one, ast.Call) and self._is_single_variable(one):
                waiting.extend(one.args[1:])
            else:
                waiting.extend(ast.iter_child_nodes(one))

    def _is_single_variable(self, node: ast.Call) -> bool:
        func = node.func
        return (
            isinstance(func, ast.Attribute)
            and func.attr in SINGLE_GETTERS
            and self.resolve_name(func.value) in ENVIRONMENT
        )
