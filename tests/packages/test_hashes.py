from hypothesis import given
from hypothesis import strategies as st

from synaptic.packages.hashes import find_corrupt, hash_pairs, hash_text
from synaptic.packages.rows import Bundle, Package, PackageFile

PAIRS = st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1)), unique_by=lambda pair: pair[0])


def test_the_aggregate_of_two_known_files_is_the_known_hash():
    """S0-140"""
    whole = hash_pairs([("b.txt", "bbb"), ("a.txt", "aaa")])
    assert whole == "e1913340ea015b31cb13bf39393232f5f8432d9813e7bd269fccc703406ea83b"


def test_no_files_have_the_hash_of_an_empty_text():
    """S0-140"""
    assert hash_pairs([]) == hash_text("")


@given(PAIRS, st.randoms())
def test_the_order_of_files_makes_no_difference_and_the_input_stays_as_it_was(pairs, random):
    """S0-140"""
    shuffled = random.sample(pairs, len(pairs))
    before = list(shuffled)
    assert hash_pairs(shuffled) == hash_pairs(pairs)
    assert shuffled == before


def bundle(**changed):
    file = PackageFile(package_id="p", dest_path="a.md", content="text", sha256=hash_text("text"))
    package = Package(id="p", name="p", version="1", sha256=hash_pairs([("a.md", hash_text("text"))]))
    return Bundle(package=package, files=(file,)) if not changed else Bundle(package=package, **changed)


def test_a_bundle_as_it_was_published_has_nothing_corrupt():
    """S0-185"""
    assert find_corrupt(bundle()) == ()


def test_changed_content_and_a_file_that_was_added_are_named():
    """S0-185"""
    changed = PackageFile(package_id="p", dest_path="a.md", content="other", sha256=hash_text("text"))
    added = PackageFile(package_id="p", dest_path="b.md", content="b", sha256=hash_text("b"))
    assert find_corrupt(bundle(files=(changed, added))) == ("a.md", "(aggregate)")
