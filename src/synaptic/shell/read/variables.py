"""Variables of a shell: plain ones, arrays, references to others, and the positional parameters."""

import re
from collections.abc import Mapping

from synaptic.shell.read import syntax
from synaptic.shell.read.limits import MAX_LITERAL
from synaptic.shell.read.script import Word
from synaptic.shell.read.value import ExpansionPiece, VariableValue

DEFAULT_VARIABLES = {"IFS": " \t\n", "SHELL": "/bin/bash", "BASH": "/bin/bash", "0": "bash", "PATH": "/usr/bin:/bin"}
"""Values that hold in every shell unless the script says otherwise."""
MAX_REFERENCES = 5
KEYED_ELEMENT = re.compile(r"\[([^\]]*)\]\+?=(.*)", re.DOTALL)
"""An element that says where it goes: `[2]=x`, `[key]=x`."""
CHARACTERS = re.compile(r"(-?\d+),(-?\d+)")
"""A range in a subscript, as zsh has them."""


class ShellVariables:
    """What is known of the variables of one shell."""

    def __init__(self, cwd: str, home: str, env: Mapping[str, str]) -> None:
        self.home = home or env.get("HOME", "")
        self.cwd = cwd
        self.variables = {name: VariableValue(text) for name, text in env.items()}
        self.arguments: list[Word] | None = None
        self.counts_from_one = False
        """Whether arrays are read as zsh does: from one, and whole where no element is named."""
        self.has_arrays = False
        self.has_traits = False
        """Whether a variable was declared with letters that change what is stored."""

    def get_separators(self) -> str:
        held = self.variables.get("IFS")
        return held.text if held else " \t\n"

    def resolve_name(self, name: str) -> str:
        """The variable that a reference (`declare -n`) leads to."""
        for _ in range(MAX_REFERENCES):
            held = self.variables.get(name)
            if held is None or not held.refers:
                break
            name = held.refers
        return name

    def find_variable(self, name: str) -> VariableValue | None:
        return self.variables.get(self.resolve_name(name))

    def lookup(self, name: str, index: str) -> VariableValue | None:
        """The value of a variable or positional parameter; None when it is unknown."""
        if name.isdigit() and name != "0":
            return self.get_positional(int(name))
        held = self.variables.get(name)
        if held is not None:
            if held.refers:
                return self.lookup_reference(held.refers)
            return self.get_element(held, index)
        if name == "HOME" and self.home:
            return VariableValue(self.home)
        if name == "PWD" and self.cwd:
            return VariableValue(self.cwd)
        if name == "#" and self.arguments is not None:
            return VariableValue(str(len(self.arguments)))
        default = DEFAULT_VARIABLES.get(name)
        return VariableValue(default) if default is not None else None

    def lookup_reference(self, text: str) -> VariableValue | None:
        """The value that a name stands for which a variable holds: `x`, `x[1]`."""
        name, _, index = text.partition("[")
        target = self.resolve_name(name)
        held = self.variables.get(target)
        return None if held is not None and held.refers else self.lookup(target, index.removesuffix("]"))

    def get_positional(self, number: int) -> VariableValue | None:
        if self.arguments is None:
            return None
        if number > len(self.arguments):
            return VariableValue("")
        word = self.arguments[number - 1]
        return VariableValue(word.text, word.known, word.outputs)

    def get_element(self, held: VariableValue, index: str) -> VariableValue | None:
        if index in ("@", "*") or (held.items is None and index in ("", "0")):
            return held
        if held.items is None:
            return self.cut_text(held, index)
        if not index and self.counts_from_one:
            return VariableValue(" ".join(held.items), held.known)
        if held.keys is not None:
            wanted = index or "0"
            found = [item for key, item in zip(held.keys, held.items, strict=True) if key == wanted]
            return VariableValue(found[-1], held.known) if found else None
        place = self.find_place(index or "0", len(held.items))
        return None if place is None else VariableValue(held.items[place], held.known, held.outputs)

    def find_place(self, index: str, size: int) -> int | None:
        """Where in an array of this size an element stands."""
        if not index.lstrip("-").isdigit() or len(index) > 9:
            return None
        place = int(index)
        if self.counts_from_one and place > 0:
            place -= 1
        return place if -size <= place < size else None

    def cut_text(self, held: VariableValue, index: str) -> VariableValue | None:
        """`${x[2,4]}` of a text: some of its characters."""
        found = CHARACTERS.fullmatch(index)
        if found is None or not held.known:
            return None
        start, end = (int(number) for number in found.groups())
        return VariableValue(
            held.text[(start - 1 if start > 0 else start) : (end if end >= 0 else len(held.text) + end + 1)]
        )

    def list_items(self, name: str) -> list[ExpansionPiece] | None:
        """The elements of an array, or of `$@`."""
        if name in ("@", "*"):
            if self.arguments is None:
                return None
            return [ExpansionPiece(word.text, word.known, word.outputs) for word in self.arguments]
        held = self.find_variable(name)
        if held is None:
            return None
        if held.items is None:
            return [ExpansionPiece(held.text, held.known, held.outputs)]
        return [ExpansionPiece(item, held.known or "$" not in item, held.outputs) for item in held.items]

    def store_variable(self, item: syntax.Assignment, words: list[Word]) -> None:
        name = item.name
        held = self.variables.get(name)
        if held is not None and held.refers:
            name = self.resolve_name(name)
            held = self.variables.get(name)
        array = bool(item.value.parts) and isinstance(item.value.parts[0], syntax.ArrayElements)
        if not (array or item.index or item.append or (held is not None and held.traits)):
            self.variables[name] = VariableValue(words[0].text[:MAX_LITERAL], words[0].known, words[0].outputs)
            return
        known = all(word.known for word in words)
        outputs = tuple(place for word in words for place in word.outputs)
        if array or item.index:
            self.store_elements(name, item, words, known, outputs)
            return
        text, traits = words[0].text, held.traits if held else ""
        if item.append and held:
            if held.items is not None:
                text = held.text + text
                self.variables[name] = VariableValue(text, known, outputs, (text, *held.items[1:]))
                return
            text, known, outputs = held.text + text, known and held.known, held.outputs + outputs
        self.variables[name] = VariableValue(change_letters(text[:MAX_LITERAL], traits), known, outputs, traits=traits)

    def store_elements(
        self, name: str, item: syntax.Assignment, words: list[Word], known: bool, outputs: tuple[int, ...]
    ) -> None:
        """An array, more of it, or one element."""
        self.has_arrays = True
        held = self.variables.get(name)
        keyed = held is not None and "A" in held.traits
        before = held if held is not None and (item.append or item.index) else None
        pairs = list_pairs(before) if before is not None else []
        if item.index:
            kept = dict(pairs)
            old = kept.get(item.index, "") if item.append else ""
            kept[item.index] = old + words[0].text
            pairs = list(kept.items())
        elif keyed and len(words) > 1 and not any(KEYED_ELEMENT.fullmatch(word.text) for word in words):
            pairs += zip((word.text for word in words[::2]), (word.text for word in words[1::2]), strict=False)
        else:
            pairs += number_elements(words, len(pairs))
        self.variables[name] = make_array(
            pairs, known and (before is None or before.known), outputs, "A" if keyed else ""
        )


def number_elements(words: list[Word], start: int) -> list[tuple[str, str]]:
    """The elements with their keys: those they name, or the next number."""
    pairs: list[tuple[str, str]] = []
    for word in words:
        found = KEYED_ELEMENT.fullmatch(word.text) if word.text[:1] == "[" else None
        if found is None:
            pairs.append((str(start), word.text))
        else:
            pairs.append((found[1].strip("'\""), found[2]))
            start = int(found[1]) if found[1].isdigit() and len(found[1]) < 9 else start
        start += 1
    return pairs


def list_pairs(held: VariableValue) -> list[tuple[str, str]]:
    """The keys and the elements of an array; a plain value is the first element."""
    items = held.items if held.items is not None else (held.text,) if held.text else ()
    keys = held.keys if held.keys is not None else tuple(map(str, range(len(items))))
    return list(zip(keys, items, strict=True))


def make_array(
    pairs: list[tuple[str, str]], known: bool = True, outputs: tuple[int, ...] = (), traits: str = ""
) -> VariableValue:
    items = tuple(item for _, item in pairs)
    plain = all(key == str(place) for place, (key, _) in enumerate(pairs))
    keys = None if plain and not traits else tuple(key for key, _ in pairs)
    first = dict(pairs).get("0", "") if keys else items[0] if items else ""
    return VariableValue(first, known, outputs, items, keys=keys, traits=traits)


def change_letters(text: str, traits: str) -> str:
    """What `declare -l` and `-u` make of a value."""
    return text.lower() if "l" in traits else text.upper() if "u" in traits else text
