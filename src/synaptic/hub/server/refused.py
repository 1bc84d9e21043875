"""What a request is refused with."""

import msgspec


class RequestError(Exception):
    """A status, what is wrong, and what to do; `after` seconds it may be tried again."""

    def __init__(self, status: int, message: str, *, hint: str = "", after: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.hint = hint
        self.after = after

    @property
    def body(self) -> bytes:
        said = {"error": self.message, "hint": self.hint} if self.hint else {"error": self.message}
        return msgspec.json.encode(said)
