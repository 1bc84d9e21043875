"""Which rules a call can concern, found by the words it holds: programs, names of files, machines, tools.

Of a rule with several conditions one is enough to find it by; what it finds is asked, and everything else is silent.
"""

from collections.abc import Iterable, Iterator, Sequence

from synaptic.hooks.rules.commands import GIT, name_program
from synaptic.hooks.rules.compile import Rule, is_given
from synaptic.hooks.rules.conditions import PATH_FACTS, TOOL_NAMES, compile_globs, make_command_pattern
from synaptic.hooks.rules.entry import list_items
from synaptic.hooks.rules.judged_call import JudgedCall, judge_call
from synaptic.hooks.rules.named_paths import PATH_KINDS
from synaptic.hooks.rules.paths import NamedPath, PathPattern
from synaptic.model.event import Event
from synaptic.policies.facts import Facts
from synaptic.shell.book.entries import find_program, normalize_name
from synaptic.shell.effects.flow import classify_interpreter
from synaptic.shell.globs import GLOB_SIGN
from synaptic.shell.reading import CommandReading

Places = list[int]
ANY_WORD = ""


class PathIndex:
    """Rules by a literal part of their globs: the last name, its ending, or the last folder that is named."""

    def __init__(self) -> None:
        self.all: Places = []
        self._any: Places = []
        self._by_name: dict[str, Places] = {}
        self._by_ending: dict[str, Places] = {}
        self._by_part: dict[str, Places] = {}
        self._by_folder: dict[tuple[str, ...], Places] = {}

    def add(self, place: int, patterns: Iterable[PathPattern], *, takes_folders: bool) -> None:
        self.all.append(place)
        for pattern in patterns:
            self._choose_list(pattern).append(place)
            for size in range(len(pattern.anchor) + 1) if takes_folders else ():
                self._by_folder.setdefault(pattern.anchor[:size], []).append(place)

    def find(self, path: NamedPath) -> Iterator[Places]:
        """The rules that may mean a path."""
        if path.is_pattern:
            yield self.all
            return
        yield self._any
        name = path.name
        yield from (found for found in (self._by_name.get(name), self._by_folder.get(path.parts)) if found)
        if self._by_ending and (found := self._by_ending.get(name.rpartition(".")[2])):
            yield found
        if self._by_part:
            yield from (found for part in path.parts if (found := self._by_part.get(part)))

    def _choose_list(self, pattern: PathPattern) -> Places:
        last = pattern.parts[-1]
        if GLOB_SIGN.search(last) is None:
            return self._by_name.setdefault(last, [])
        ending = last.rpartition(".")[2]
        if ending != last and GLOB_SIGN.search(ending) is None and "]" not in ending:
            return self._by_ending.setdefault(ending, [])
        part = next((part for part in reversed(pattern.parts) if GLOB_SIGN.search(part) is None), "")
        return self._by_part.setdefault(part, []) if part else self._any


class RuleIndex:
    """The rules of one selection, by their places in it."""

    def __init__(self, rules: Iterable[tuple[int, Rule]]) -> None:
        self._all: Places = []
        self._always: Places = []
        self._programs: dict[str, dict[str, Places]] = {}
        self._scripts: Places = []
        self._paths: dict[str, PathIndex] = {}
        self._hosts: dict[str, Places] = {}
        self._any_host: Places = []
        self._tools: dict[str, Places] = {}
        self._tool_starts: dict[str, Places] = {}
        self._start_sizes: set[int] = set()
        self._writing: Places = []
        for place, rule in rules:
            self._all.append(place)
            self._add(place, rule)
        self.needs: frozenset[str] = frozenset(PATH_FACTS) if self._paths else frozenset()
        """Facts that it takes to find rules by their paths."""

    def find(self, event: Event, facts: Facts) -> Sequence[int]:
        """The places of rules that may have something to say; more rather than fewer."""
        try:
            return sorted({place for places in self._iter_found(judge_call(event, facts)) for place in places})
        except Exception:  # noqa: BLE001 - a reader that fails on this text: each rule meets it itself, and is a question
            return self._all

    def _iter_found(self, call: JudgedCall) -> Iterator[Sequence[int]]:
        yield self._always
        command = call.facts.command
        if command is not None and (self._programs or self._scripts):
            yield from self._iter_of_programs(command)
        if self._tools or self._tool_starts:
            for name in (call.tool.name, *call.tool.roles):
                yield self._tools.get(TOOL_NAMES.get(name, name), ())
                yield from (self._tool_starts.get(name[:size], ()) for size in self._start_sizes)
        if self._hosts or self._any_host:
            yield from self._iter_of_hosts(call.hosts)
        for kind, index in self._paths.items():
            if any(need in call.facts.failed for need in PATH_FACTS):
                yield index.all  # where links lead is not known: any of them may be meant
                continue
            yield from (places for path in call.paths.list_paths(kind) for places in index.find(path))
        if self._writing and (call.tool.may_write or (command is not None and _may_write_text(command))):
            yield self._writing

    def _iter_of_programs(self, command: CommandReading) -> Iterator[Sequence[int]]:
        for name, commands in command.script.by_name.items():
            program = normalize_name(name)
            if program.startswith("git"):
                program = GIT if program.startswith("git-") else program
            if self._scripts and classify_interpreter(name):
                yield self._scripts
            words = self._programs.get(program)
            if words is None:
                continue
            yield words.get(ANY_WORD, ())
            if program == GIT:
                yield from (words[verb] for verb in command.git_verbs if verb in words)
            for text in (
                {text for one in commands for text in one.args} if len(words) > 1 or ANY_WORD not in words else ()
            ):
                yield words.get(text, ())

    def _iter_of_hosts(self, hosts: Iterable[str]) -> Iterator[Sequence[int]]:
        for host in hosts:
            yield self._any_host
            yield self._hosts.get(_name_domain(host), ())

    def _add(self, place: int, rule: Rule) -> None:
        """File a rule under the condition that says most."""
        entry = rule.entry
        if is_given(entry, "run"):
            for words in make_command_pattern(entry).runs:
                self._add_run(place, words)
        elif is_given(entry, "host"):
            for glob in list_items(entry.host):
                self._add_host(place, glob.lower())
        elif kind := next((kind for kind in PATH_KINDS if is_given(entry, kind)), ""):
            patterns = compile_globs(kind, entry, rule.base)
            self._paths.setdefault(kind, PathIndex()).add(place, patterns, takes_folders=kind == "delete")
        elif is_given(entry, "tool"):
            for name in list_items(entry.tool):
                self._add_tool(place, name)
        elif is_given(entry, "content"):
            self._writing.append(place)
        else:
            self._always.append(place)

    def _add_run(self, place: int, words: tuple[str, ...]) -> None:
        name = name_program(words[0])
        if "." in words[0]:
            self._scripts.append(place)
        program = normalize_name(name)
        known = self._programs.setdefault(GIT if program.startswith("git-") else program, {})
        for word in _list_spellings(program, words[1]) if len(words) > 1 and "." not in words[0] else (ANY_WORD,):
            known.setdefault(word, []).append(place)

    def _add_tool(self, place: int, name: str) -> None:
        sign = GLOB_SIGN.search(name)
        if sign is None:
            self._tools.setdefault(TOOL_NAMES.get(name, name), []).append(place)
        else:
            self._start_sizes.add(sign.start())
            self._tool_starts.setdefault(name[: sign.start()], []).append(place)

    def _add_host(self, place: int, glob: str) -> None:
        domain = _name_domain(glob)
        if GLOB_SIGN.search(domain) or not domain:
            self._any_host.append(place)
        else:
            self._hosts.setdefault(domain, []).append(place)


def _may_write_text(command: CommandReading) -> bool:
    return bool(command.script.redirects) or "tee" in command.programs


def _list_spellings(program: str, verb: str) -> tuple[str, ...]:
    """A verb and its other names, where the book knows them."""
    entry = find_program(program)
    known = entry.find_verb(verb)
    if known is None:
        return (verb,)
    return tuple({verb, *(name for name in _list_verbs(program) if entry.find_verb(name) is known)})


def _list_verbs(program: str) -> tuple[str, ...]:
    verbs = find_program(program).verbs
    return tuple(name for first, verb in verbs.items() for name in (first, *verb.also))


def _name_domain(host: str) -> str:
    """The last two labels of a machine's name."""
    return ".".join(host.rsplit(".", 2)[-2:])
