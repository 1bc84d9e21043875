"""What a sentence is; whole prompts are in tests/corpus."""

import time

import pytest

from synaptic.policies.prompt import classify_prompt
from synaptic.policies.sentences import classify_sentence, is_social, split_sentences


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("what does it do", "question"),
        ("is it broken", "question"),
        ("is broken on safari", "other"),
        ("does not work on windows", "other"),
        ("explain the cache", "inquiry"),
        ("explain the cache and rename it", "other"),
        ("explain the cache in docs/cache.md", "other"),
        ("investigate why it is slow", "investigation"),
        ("investigate the leak and fix it", "other"),
        ("the page is slow", "statement"),
        ("the page should be fast", "other"),
        ("thank you very much", "social"),
        ("ok, and why is that?", "question"),
        ("can you see why?", "inquiry"),
        ("can you see to it?", "inquiry"),
        ("can you do it?", "other"),
        ("how would you do it?", "question"),
        ("how about doing it?", "other"),
        ("when the list is empty, hide it", "other"),
    ],
)
def test_a_sentence_by_its_form(sentence: str, kind: str) -> None:
    assert classify_sentence(sentence) == kind


def test_a_colon_ends_a_sentence_and_a_dot_in_a_name_does_not() -> None:
    assert split_sentences("how to fix: replace a in utils.py. why?") == [
        "how to fix", "replace a in utils.py.", "why?",
    ]  # fmt: skip


def test_only_words_of_politeness_are_small_talk() -> None:
    assert is_social("ok thanks") and is_social("looks good to me!")
    assert not is_social("ok fix it") and not is_social("") and not is_social("?!")


@pytest.mark.parametrize(
    "piece",
    ["why is it. ", "in ", "leg ", "tell me, ", "```", "ok so ", "what x ", "a", "，", "und ", "erklär und ", "> "],
)
def test_no_prompt_takes_long(piece: str) -> None:
    started = time.process_time()
    classify_prompt(piece * 20_000)
    assert time.process_time() - started < 10
