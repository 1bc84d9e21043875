"""Numbers as a line of block letters."""

from collections.abc import Sequence

BAR_LETTERS = " ▁▂▃▄▅▆▇█"


def draw_spark(numbers: Sequence[int], room: int) -> str:
    """One letter a number, or several numbers together where there is less room; the highest is a full block."""
    if room < 1 or not numbers:
        return ""
    each = -(-len(numbers) // room)
    padded = [0] * (-len(numbers) % each) + list(numbers)  # the newest are whole: what is short is the oldest
    sums = [sum(padded[at : at + each]) for at in range(0, len(padded), each)]
    most = max(sums) or 1
    # Whatever there was has a mark, however little it is beside the most.
    return "".join(BAR_LETTERS[-(-number * (len(BAR_LETTERS) - 1) // most)] for number in sums)
