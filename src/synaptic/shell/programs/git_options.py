"""How git reads the options of its verbs: clusters, values, abbreviations, `--no-`, and the last one wins."""

from collections.abc import Mapping, Sequence

import msgspec

from synaptic.shell.read.script import Word

DECLARED = {
    "reset": "quiet|q refresh mixed soft hard merge keep recurse-submodules? patch|p intent-to-add|N"
    " pathspec-from-file= pathspec-file-nul",
    "clean": "quiet|q dry-run|n force|f interactive|i |d exclude|e= |x |X",
    "checkout": "quiet|q progress guess overlay detach|d track|t? force|f orphan= overwrite-ignore merge|m conflict="
    " ours|2 theirs|3 patch|p ignore-skip-worktree-bits ignore-other-worktrees recurse-submodules? unified|U?"
    " pathspec-from-file= pathspec-file-nul |b= |B= |l",
    "switch": "create|c= force-create|C= guess discard-changes detach|d force|f merge|m conflict= quiet|q progress"
    " track|t? orphan= overwrite-ignore ignore-other-worktrees recurse-submodules?",
    "restore": "source|s= staged|S worktree|W ignore-unmerged overlay quiet|q recurse-submodules? progress merge|m"
    " conflict= ours|2 theirs|3 patch|p unified|U? ignore-skip-worktree-bits pathspec-from-file= pathspec-file-nul",
    "branch": "verbose|v quiet|q track|t? set-upstream-to|u= unset-upstream color? remotes|r contains= no-contains="
    " abbrev? all|a delete|d |D move|m |M copy|c |C omit-empty list|l show-current create-reflog edit-description"
    " force|f merged= no-merged= column? sort= points-at= ignore-case|i recurse-submodules format=",
    "push": "verbose|v quiet|q repo= all branches mirror delete|d tags dry-run|n porcelain force|f force-with-lease?"
    " force-if-includes recurse-submodules= thin receive-pack= exec= set-upstream|u progress prune verify follow-tags"
    " signed? atomic push-option|o= ipv4|4 ipv6|6",
    "stash": "quiet|q index patch|p keep-index|k include-untracked|u all|a message|m= staged|S pathspec-from-file=",
    "gc": "quiet|q prune? aggressive auto detach force keep-largest-pack cruft cruft-expiration= max-cruft-size=",
    "prune": "dry-run|n verbose|v progress expire= exclude-promisor-objects",
    "reflog": "expire= expire-unreachable= updateref rewrite verbose dry-run|n stale-fix all single-worktree",
    "update-ref": "|m= |d deref |z stdin create-reflog",
    "symbolic-ref": "|m= delete|d quiet|q short recurse",
    "worktree": "force|f |b= |B= detach|d checkout lock reason= quiet|q track guess-remote orphan porcelain dry-run|n"
    " verbose|v expire=",
    "commit": "all|a patch|p reuse-message|C= reedit-message|c= fixup= squash= reset-author short branch porcelain long"
    " null|z file|F= author= date= message|m= template|t= signoff|s verify |n allow-empty allow-empty-message cleanup="
    " edit|e amend post-rewrite include|i only|o pathspec-from-file= pathspec-file-nul untracked-files|u? verbose|v"
    " quiet|q dry-run status gpg-sign|S? trailer=",
    "merge": "|n stat summary log? squash commit edit|e cleanup= ff ff-only rerere-autoupdate verify-signatures"
    " strategy|s= strategy-option|X= message|m= file|F= into-name= verbose|v quiet|q abort quit continue"
    " allow-unrelated-histories progress gpg-sign|S? autostash overwrite-ignore signoff verify",
    "rm": "dry-run|n quiet|q cached force|f |r ignore-unmatch sparse pathspec-from-file= pathspec-file-nul",
    "filter-branch": "setup= subdirectory-filter= env-filter= tree-filter= index-filter= parent-filter= msg-filter="
    " commit-filter= tag-name-filter= prune-empty original= |d= state-branch= force|f",
    "difftool": "extcmd|x= tool|t= gui|g dir-diff|d prompt|y no-prompt",
    "clone": "verbose|v quiet|q progress reject-shallow no-checkout|n bare mirror local|l no-hardlinks shared|s"
    " recurse-submodules? recursive? jobs|j= template= reference= reference-if-able= dissociate origin|o= branch|b="
    " revision= upload-pack|u= depth= shallow-since= shallow-exclude= single-branch tags shallow-submodules"
    " separate-git-dir= ref-format= config|c= server-option= ipv4|4 ipv6|6 filter= also-filter-submodules"
    " remote-submodules sparse bundle-uri=",
    "init": "template= bare shared? quiet|q separate-git-dir= object-format= ref-format= initial-branch|b=",
    "lfs": "include|I= exclude|X= include-ref= exclude-ref= everything above= fixup no-rewrite message|m= object-map="
    " remote= skip-fetch verbose yes",
    "rebase": "onto= keep-base exec|x= interactive|i strategy|s= strategy-option|X= abort continue skip quit",
}
"""`long|short`; `=` takes the next word as its value, `?` only what is attached to it."""


class Grammar(msgspec.Struct, frozen=True):
    """The options of one verb."""

    names: Mapping[str, str]
    """Each option and whether it takes a value: `=`, `?` or nothing."""
    letters: Mapping[str, str]
    """The option that a letter stands for."""

    def named(self, text: str) -> str:
        """The option that an abbreviation means: the only one, or the one that all the others begin with."""
        if text in self.names:
            return text
        fitting = sorted((name for name in self.names if name.startswith(text)), key=len)
        if fitting and all(name.startswith(fitting[0]) for name in fitting):
            return fitting[0]
        return ""


class Flag(msgspec.Struct, frozen=True):
    """One option as it was given."""

    name: str
    word: Word
    value: str = ""
    on: bool = True


class Given(msgspec.Struct, frozen=True):
    """The arguments of a verb, sorted."""

    flags: tuple[Flag, ...] = ()
    words: tuple[Word, ...] = ()
    """Arguments that are no options, in front of `--`."""
    paths: tuple[Word, ...] = ()
    """What stands behind `--`."""
    dashes: bool = False
    helps: bool = False
    """Only the manual or the usage is shown."""

    def has(self, *names: str) -> bool:
        """Whether one of them is on: of several mentions of the same option the last one counts."""
        return any(flag.on for flag in {flag.name: flag for flag in self.flags if flag.name in names}.values())

    def last(self, *names: str) -> str:
        """Which of several modes counts: the one that was given last."""
        return next((flag.name for flag in reversed(self.flags) if flag.name in names and flag.on), "")

    def value(self, name: str) -> str:
        return next((flag.value for flag in reversed(self.flags) if flag.name == name), "")


def _declared(text: str) -> Grammar:
    names, letters = {}, {}
    for entry in text.split():
        kind = entry[-1] if entry[-1] in "=?" else ""
        name, _, letter = entry.removesuffix(kind).partition("|")
        names[name or letter] = kind
        if letter:
            letters[letter] = name or letter
    return Grammar(names, letters)


GRAMMARS: Mapping[str, Grammar] = {verb: _declared(text) for verb, text in DECLARED.items()}
PLAIN = Grammar({}, {})


def read_options(verb: str, args: Sequence[Word]) -> Given:
    """The arguments of a verb as git sorts them; an option that is not known is kept under its own name."""
    grammar = GRAMMARS.get(verb, PLAIN)
    flags: list[Flag] = []
    words: list[Word] = []
    place = 0
    while place < len(args):
        word = args[place]
        place += 1
        if word.text == "--":
            return Given(tuple(flags), tuple(words), tuple(args[place:]), True, _helps(flags))
        if word.text[:1] != "-" or word.text == "-":
            words.append(word)
            continue
        found = _long(grammar, word) if word.text[:2] == "--" else _cluster(grammar, word)
        if found and _wants_value(grammar, found[-1]) and place < len(args):
            found[-1] = msgspec.structs.replace(found[-1], value=args[place].text)
            place += 1
        flags += found
    return Given(tuple(flags), tuple(words), (), False, _helps(flags))


def _helps(flags: list[Flag]) -> bool:
    return any(flag.name in ("help", "h") for flag in flags)


def _wants_value(grammar: Grammar, flag: Flag) -> bool:
    attached = flag.value or (flag.word.text[:2] == "--" and "=" in flag.word.text)
    return flag.on and not attached and grammar.names.get(flag.name) == "="


def _long(grammar: Grammar, word: Word) -> list[Flag]:
    text, _, value = word.text[2:].partition("=")
    name = grammar.named(text)
    if not name and text.startswith("no-"):
        return [Flag(grammar.named(text[3:]) or text[3:], word, value, on=False)]
    return [Flag(name or text, word, value)]


def _cluster(grammar: Grammar, word: Word) -> list[Flag]:
    found: list[Flag] = []
    for place, letter in enumerate(word.text[1:], 2):
        name = grammar.letters.get(letter, letter)
        if grammar.names.get(name):
            return [*found, Flag(name, word, word.text[place:])]
        found.append(Flag(name, word))
    return found
