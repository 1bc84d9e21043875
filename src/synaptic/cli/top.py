"""`synaptic top`: who is at work, what waits for you, what was stopped: live, on a whole terminal."""

from contextlib import closing

from synaptic.cli import screen
from synaptic.cli.full_screen import may_fill_screen
from synaptic.cli.place import find_place
from synaptic.cli.verbs import Json, format_examples, make_verb_app

app = make_verb_app()
FRAME_LINES = 60
EXAMPLES = """
synaptic top          live, until q; enter explains, i opens the inbox
synaptic top | cat    one picture
"""


@app.command(epilog=format_examples(EXAMPLES))
def top(as_json: Json = False) -> None:
    """Who is at work and with what, what waits for your answer, what was stopped: live. It only looks.

    Without a terminal it prints one picture and ends.
    """
    from synaptic.cli.top_screen import read_facts, show_top  # noqa: PLC0415  a verb's help needs nothing of it
    from synaptic.cli.top_view import describe_facts, draw_frame  # noqa: PLC0415
    from synaptic.store.reader import JournalReader  # noqa: PLC0415

    place = find_place()
    with closing(JournalReader.open(place.home)) as reader:
        if as_json:
            screen.print_json(describe_facts(read_facts(reader)))
        elif may_fill_screen(place.home):
            show_top(place, reader)
        else:
            for line in draw_frame(read_facts(reader), (screen.find_width() + 1, FRAME_LINES)):
                print(line)
