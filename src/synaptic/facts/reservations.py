"""What calls in flight have already taken: a place in a session's count, a text that is told once."""

ToldText = tuple[str, int]
"""Something that is told once: its kind, and the effort or session it belongs to."""


class Reservations:
    """Taken while facts are gathered, given back when the call has been written down or nobody will.

    Gathering facts about the same call again, after a rewrite, takes nothing more.
    """

    def __init__(self) -> None:
        self._sessions: dict[str, int] = {}
        """By call, in the order in which the calls came."""
        self._texts: dict[str, set[ToldText]] = {}

    def __len__(self) -> int:
        return len(self._sessions.keys() | self._texts.keys())

    def hold(self, call: str) -> "ReservationHold":
        """Around everything that happens to a call: whatever ends it, its reservations end with it."""
        return ReservationHold(self, call)

    def release(self, call: str) -> None:
        """Give back what a call has taken. Nothing is left the second time."""
        self._sessions.pop(call, None)
        self._texts.pop(call, None)

    def take_place(self, call: str, session: int) -> int:
        """A place among the calls that will move a session's heartbeat; how many are ahead of it and unwritten."""
        # In order of arrival, so that two parallel calls never get the same number.
        ahead = 0
        for other, theirs in self._sessions.items():
            if other == call:
                return ahead
            ahead += theirs == session
        self._sessions[call] = session
        return ahead

    def leave_place(self, call: str) -> None:
        """Give back the place in the count, when a rewrite has made the call one that is not counted."""
        self._sessions.pop(call, None)

    def take_text(self, call: str, text: ToldText) -> bool:
        """Whether this call tells a text; not when another one that is not written down yet does."""
        if any(text in texts for other, texts in self._texts.items() if other != call):
            return False
        self._texts.setdefault(call, set()).add(text)
        return True


class ReservationHold:
    """The context of one call. A class, since a generator costs every event a microsecond."""

    __slots__ = ("_call", "_reservations")

    def __init__(self, reservations: Reservations, call: str) -> None:
        self._reservations = reservations
        self._call = call

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        self._reservations.release(self._call)
