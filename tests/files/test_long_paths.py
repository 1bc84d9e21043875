from synaptic.files.long_paths import MAX_PATH_CHARS, cut_path


def test_a_path_that_can_be_named_stays_as_it_is() -> None:
    assert cut_path("/a/b") == "/a/b"


def test_of_a_longer_one_the_nearest_ancestor_that_can_be_named_is_left() -> None:
    cut = cut_path("/a" * MAX_PATH_CHARS)
    assert len(cut) <= MAX_PATH_CHARS
    assert cut.endswith("/a")
    assert cut_path("/" + "a" * MAX_PATH_CHARS) == "/"
