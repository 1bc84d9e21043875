"""Lists of names."""

from synaptic.shell.names import split_names


def test_the_words_of_a_text_are_a_set():
    assert split_names(" rm  mv\nrm ") == {"rm", "mv"}
