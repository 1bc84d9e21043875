"""Assignments, and what they make a shell run: prompts, hooks, tables of names."""

import re
from typing import TYPE_CHECKING

import msgspec

from synaptic.shell.names import split_names
from synaptic.shell.read import syntax
from synaptic.shell.read.arithmetic import follow_formula, has_substitution
from synaptic.shell.read.expand import expand_index, expand_unsplit, expand_word
from synaptic.shell.read.script import Word
from synaptic.shell.read.state import CommandCall
from synaptic.shell.read.value import VariableValue
from synaptic.shell.read.zsh import FILE_TABLE, note_mapped_file

if TYPE_CHECKING:
    from synaptic.shell.read.evaluate import Evaluation

EXPANDED_VARIABLES = split_names(
    "BASH_ENV ENV PS0 PS1 PS2 PS3 PS4 PROMPT PROMPT2 PROMPT3 PROMPT4 RPROMPT RPS1 RPS2 SPROMPT psvar"
)
"""Variables whose values shells expand once more."""
EXPORTED_FUNCTION = "BASH_FUNC_"
"""How the variables begin in which bash hands functions on."""
RUN_VARIABLES = split_names("PROMPT_COMMAND")
"""Variables whose values are commands that the shell runs by itself."""
HOOK_LISTS = split_names(
    "precmd_functions preexec_functions chpwd_functions zshexit_functions periodic_functions zshaddhistory_functions"
)
"""Arrays with the names of functions that zsh calls by itself."""
NAME_TABLES = split_names("aliases galiases saliases BASH_ALIASES functions commands nameddirs")
"""Tables of zsh and bash in which names get a meaning."""
FOLLOWED_VARIABLES = EXPANDED_VARIABLES | RUN_VARIABLES | HOOK_LISTS | NAME_TABLES | {FILE_TABLE}
"""Variables whose values lead a shell to run something."""
FUNCTION_ENTRY = re.compile(r"\$\{?functions\[(\w+)\]\}?")
INHERITED_ENDS = ("PATH", "FLAGS", "OPTS", "OPTIONS", "ARGS")
"""How names end that are likely to have a value before the script starts."""


def assign(shell: "Evaluation", item: syntax.Assignment, keep: bool) -> Word:
    """The value of an assignment; kept for later commands when it stands alone."""
    if item.index:
        item = msgspec.structs.replace(item, index=expand_index(shell, item.name, item.index))
    array = item.value.parts[0] if item.value.parts else None
    if isinstance(array, syntax.ArrayElements):
        words = [word for token in array.tokens for word in expand_element(shell, token)]
        shell.store_variable(item, words)
        if item.name in FOLLOWED_VARIABLES or shell.has_traits:
            follow_assigned(shell, item, words)
        return Word(array.source, known=all(word.known for word in words))
    if item.value.parts and not item.index and item.name not in shell.variables and _names_itself(item):
        shell.variables[item.name] = VariableValue("")
    word = expand_unsplit(shell, item.value)
    if keep:
        shell.store_variable(item, [word])
        if item.name in FOLLOWED_VARIABLES or shell.has_traits:
            follow_assigned(shell, item, [word])
    return word


def expand_element(shell: "Evaluation", token: syntax.WordToken) -> list[Word]:
    """An element of an array; `[key]=value` is not split."""
    first = token.parts[0] if token.parts else None
    keyed = isinstance(first, syntax.LiteralText) and first.text[:1] == "[" and not first.quoted
    return [expand_unsplit(shell, token)] if keyed else expand_word(shell, token)


def follow_assigned(shell: "Evaluation", item: syntax.Assignment, words: list[Word]) -> None:
    """Run what an assignment leads a shell to run: prompts, hooks, the tables of zsh."""
    name = item.name
    if name in EXPANDED_VARIABLES or name in RUN_VARIABLES:
        note_variable(shell, name, words[0].text if words else "")
    elif name in HOOK_LISTS:
        for word in words:
            shell.run_call(CommandCall([word]))
    elif name in NAME_TABLES:
        texts = [word.text for word in words]
        pairs = [(item.index, texts[0])] if item.index and texts else zip(texts[::2], texts[1::2], strict=False)
        for key, text in pairs:
            define_entry(shell, name, key, text)
    elif name == FILE_TABLE and words:
        texts = [word.text for word in words]
        pairs = [(item.index, texts[0])] if item.index else zip(texts[::2], texts[1::2], strict=False)
        for key, text in pairs:
            if item.index or "/" in key:
                note_mapped_file(shell, ">", key, text)
                shell.remember_file(key, text)
    held = shell.variables.get(name)
    if held is not None and "i" in held.traits:
        for word in words:
            follow_formula(shell, word.text)


def define_entry(shell: "Evaluation", table: str, name: str, text: str) -> None:
    """What is put into a table of zsh or bash has the name from then on: `aliases[x]=...`."""
    if table == "functions":
        copied = FUNCTION_ENTRY.fullmatch(text)
        if copied and copied[1] in shell.bodies:
            shell.define_function(msgspec.structs.replace(shell.bodies[copied[1]], name=name))
            return
        shell.run_code(f"{name}() {{\n{text}\n}}", "functions")
    elif table == "galiases":
        shell.global_aliases[name] = text
    elif table == "nameddirs":
        shell.variables[name] = VariableValue(text)
    else:
        shell.aliases[f".{name}" if table == "saliases" else name] = text


def note_variable(shell: "Evaluation", name: str, text: str) -> None:
    """Run what the value of a variable makes a shell run by itself."""
    if name in RUN_VARIABLES:
        shell.run_code(text, name)
    elif name.startswith(EXPORTED_FUNCTION):
        shell.run_code(f"{name.removeprefix(EXPORTED_FUNCTION).rstrip('%()')} {text}", "exported function")
    elif name in EXPANDED_VARIABLES and has_substitution(text):
        shell.expand_text(text, name)


def _names_itself(item: syntax.Assignment) -> bool:
    """Whether a value is made from what the variable held before: `c="$c $x"`, which begins with nothing."""
    # A loop instead of `any`: this runs for every assignment.
    for part in item.value.parts:
        if type(part) is syntax.Parameter and part.name == item.name:
            return not item.name.endswith(INHERITED_ENDS)
    return False
