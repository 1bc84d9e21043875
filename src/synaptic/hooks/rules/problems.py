"""What is wrong with a rule, in words: file, number, id, key, and what was probably meant."""

import msgspec


class RuleProblem(msgspec.Struct, frozen=True, kw_only=True):
    """One problem of one rule, or of its whole file."""

    where: str
    """The file."""
    number: int = 0
    """The rule's place in the file, from 1; 0 for the file as a whole."""
    id: str = ""
    key: str = ""
    what: str
    hint: str = ""
    is_off: bool = False
    """The rule is switched off by it; otherwise it goes on as it is."""

    def __str__(self) -> str:
        place = f"{self.where}: rule {self.number}" if self.number else self.where
        name = f" `{self.id}`" if self.id else ""
        key = f": `{self.key}`" if self.key else ""
        end = "; this rule is off" if self.is_off else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}{name}{key}: {self.what}{hint}{end}"
