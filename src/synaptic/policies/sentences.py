"""What one sentence of a prompt is: a question, a wish to be told something, small talk, or anything else."""

import re
from typing import Literal

from synaptic.policies import tongues

SentenceKind = Literal["question", "inquiry", "investigation", "statement", "social", "other"]
"""`inquiry`: wants to be told something. `statement`: says how things are. `other`: whatever is none of these."""

FENCED = re.compile(r"```.*?(?:```|\Z)|^(?:>|    )[^\n]*$", re.DOTALL | re.MULTILINE)
"""What is quoted or pasted: it is not what the person says."""
SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|(?<=[。！？؟])|\n+")
FILLERS = re.compile(
    r"(?:(?:ok(?:ay)?|so|and|but|hm+|well|hey|hi|hello|thanks|thank you|great|nice|cool|also|then|now|btw|by the way"
    r"|actually|wait|sorry|just curious|just wondering|(?:a |one |another )?(?:quick |small |last )?question"
    r"|one more thing)\b[\s,:;.!–—-]*)+"
)
"""How a sentence may begin before it says anything."""
POLITE_END = re.compile(r"[\s,]+(?:please|pls|thanks|thank you)(?=[.!?]*$)")
AUXILIARY = r"(?:is|are|was|were|am|does|do|did|has|have|had|can|could|should|would|will|shall|may|might|must)(?:n'?t)?"
SUBJECT = (
    r"(?:i|you|we|they|he|she|it|this|that|these|those|there|the|an?|any\w*|every\w*|some\w*|no(?:body|thing|ne)?|my|our|your|its|their|all"
    r"|each|both|one)\b"
)
"""Who or what a question is about: `is it done` asks, `is broken on Safari` reports."""
TELL = (
    r"explain|describe|summari[sz]e|clarify|(?:tell|show|remind) (?:me|us)|compare (?:the|these|those|both)"
    r"|list (?:me|us|all|every|any|which|what|open)|(?:walk|talk) (?:me|us) through|help me (?:to )?understand"
    r"|give (?:me|us) (?:an?|some|the) (?:overview|idea|summary|examples?|list|explanation)"
)
"""Verbs that ask for words, not for a change."""
THINK = r"see|think|know|say|recommend|suggest|prefer|rather|agree|confirm|guess|remember|show|tell|list|compare"
"""The same, of whoever is asked whether they can or do."""
INVESTIGATE = (
    r"investigate|look into|explore (?:the |this |our )?code ?base|understand how|explain how|what'?s causing"
    r"|find out (?:why|how|what|where)|research"
)
CAN_YOU = r"(?:can|could|would|will)(?:n'?t)? (?:you|u|ya) (?:please |kindly )?"
INQUIRY = re.compile(rf"(?:please |kindly )?(?:{TELL})\b|{CAN_YOU}(?:{TELL}|{THINK})\b")
INVESTIGATION = re.compile(rf"(?:please |kindly )?(?:{CAN_YOU})?(?:{INVESTIGATE})\b")
REQUEST = re.compile(
    rf"\b(?:can|could|would|will)(?:n'?t)? (?:you|u|ya|we|some(?:one|body)|any(?:one|body))\b"
    rf"(?! (?:please |kindly )?(?:{TELL}|{THINK}|{INVESTIGATE})\b)|\bplease\b(?! (?:{TELL}|{INVESTIGATE})\b)"
    r"|^why (?:not|don'?t (?:you|we))\b|^(?:what|how) about\b|^what if (?:we|you)\b|\b(?:do|would) you mind\b"
    r"|\b(?:possible for|are) you (?:able )?to\b|\bchance (?:that )?(?:you|we|to)\b"
    r"|(?:'d like|would like|want|need) you to\b"
    r"|^can\b.{1,80}? be (?:made|put|set|split|cut|written|built|hidden|shown|[a-z]{2,}ed)\b|^let'?s\b|\bgo ahead\b"
)
"""Wishes in the form of a question."""
HOW_WOULD_YOU = re.compile(r"(?:what|where|why|how|which|who|when)\b[^,;]*? (?:can|could|would|will) (?:you|we) [a-z]+")
WANTED = re.compile(
    r"\b(?:should|must|needs?|wants?|wish|would like|'d like|ha(?:ve|s) to|ought|supposed|instead|prefer)\b"
)
"""A statement with one of these says how things are to be."""
PLAIN_SUBJECT = re.compile(
    r"(?:i|we|you|it|this|that|these|those|there|they|he|she|the|my|our|your|a|an|it's|i'm|we're|that's|there's|i've"
    r"|we've|you've|some|one|both|all|every|everything|nothing|no|here|since|after|before|while)\b"
)
INVERTED = re.compile(
    rf"(?:what|where|why|how|which|who|whom|when)(?:'?s|'re|'d|'ll)? {AUXILIARY}\b|(?:what|where|who|how|when)'s\b"
)
WHO = re.compile(
    r"who(?:se|m)?\b|what (?:happen|went|chang|broke|caus)\w*"
    r"|how (?:many|much|long|often|far|big|large|fast|old|come|to|well|hard|safe)\b"
)
NAMED_THING = re.compile(
    rf"(?:which|what) (?!i\b|we\b|you\b|they\b|he\b|she\b|it\b|an?\b)(?:[^\s,]+ ){{1,4}}{AUXILIARY}\b"
)
ASKING_WORD = re.compile(r"(?:what|where|why|how|which|who|whose|whom|when)\b")
YES_OR_NO = re.compile(
    rf"(?:is|are|was|were|am|does|did|has|had|should|could|would|will|shall|may|might|(?:is|are|was|were|do|does|did|has|have"
    rf"|had|ca|could|should|would|wo)n'?t) {SUBJECT}|(?:do|have) (?:you|we|they|i|any\w*)\b"
    r"|can (?:i|it|this|that|these|those|they|the|an?|one)\b"
)
YES_OR_NO_MARKED = re.compile(rf"{AUXILIARY} (?!be\b|need|have\b|use\b|not\b|to\b|as\b)")
"""Also the beginning of an order or a report: `do the same`, `does not work`. With a question mark it is a question."""
SMALL_QUESTION = re.compile(r"any (?:idea|ideas|news|thoughts?|reason|chance|update|progress|opinions?|clue|hint)\b")
WONDERING = re.compile(r"(?:i was |i'?m |i am )?(?:just )?wondering (?:how|why|what|whether|if|where|when|who|which)\b")
ACTS_TOO = re.compile(
    r"(?:\band|\bthen|[,;])\s+(?:(?:then|also|please|just|afterwards)\s+)*"
    r"(?!(?:what|where|why|how|which|who|when|whether|if|of|in|on|at|to|for|with|by|from|about|as|or|not|is|are|was|were"
    r"|do|does|did|has|have|all|any|both|the|this|that|their|its|my|our|your|give|" + TELL + r")\b)"
    r"([a-z]+(?:-[a-z]+)?)\s+(?:it|this|that|these|those|them|the|an?|all|any|every|my|our|its|your)\b"
    r"|(?:\band|\bthen|[,;])\s+(?:(?:then|also|please|just)\s+)*"
    r"(?:fix|add|create|implement|build|refactor|update|change|modify|delete|remove|move|write|make|rewrite|rename|replace)\b"
)
"""Somebody wants to be told something, and something done."""
SOCIAL_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
MAX_SOCIAL_WORDS = 10
QUESTION_MARKS = ("?", "？", "؟", ";?", "?!")


def split_sentences(text: str) -> list[str]:
    """The sentences of a prompt in lower case, without what is quoted in it."""
    plain = FENCED.sub("\n", text).replace("’", "'")
    return [sentence for part in SENTENCE_END.split(plain) if (sentence := part.strip(" \t-*•\"'():"))]


def classify_sentence(sentence: str) -> SentenceKind:
    """The kind of one sentence; whatever is not clearly something is `other`."""
    if is_social(sentence):
        return "social"
    text = FILLERS.sub("", sentence, count=1) if FILLERS.match(sentence) else sentence
    text = POLITE_END.sub("", text)
    if not text:
        return "social"
    if not text.isascii() and (foreign := tongues.classify_foreign(text)):
        return foreign
    marked = text.endswith(QUESTION_MARKS)
    if _is_wish(text):
        return "other"
    if INVESTIGATION.match(text):
        return "other" if ACTS_TOO.search(text) else "investigation"
    if INQUIRY.match(text):
        return "other" if ACTS_TOO.search(text) or tongues.names_file(text) else "inquiry"
    if _is_question(text, marked):
        return "question"
    if marked and (foreign := tongues.classify_foreign(text)):
        return foreign
    if PLAIN_SUBJECT.match(text) and not WANTED.search(text):
        return "question" if marked else "statement"
    return tongues.classify_foreign(text) or "other"


def is_social(sentence: str) -> bool:
    """Whether every word of it is one of those that people are polite with."""
    words = SOCIAL_WORD.findall(sentence)
    return 0 < len(words) <= MAX_SOCIAL_WORDS and tongues.SOCIAL.issuperset(words)


def _is_wish(text: str) -> bool:
    if not REQUEST.search(text):
        return False
    # "How would you test this?" asks; "why is it broken and can you fix it?" wants it done.
    return not HOW_WOULD_YOU.fullmatch(text.rstrip("?! ")) if " and " in text else not HOW_WOULD_YOU.match(text)


def _is_question(text: str, marked: bool) -> bool:
    if INVERTED.match(text) or WHO.match(text) or YES_OR_NO.match(text) or WONDERING.match(text):
        return True
    if NAMED_THING.match(text) or SMALL_QUESTION.match(text):
        return True
    return marked and bool(ASKING_WORD.match(text) or YES_OR_NO_MARKED.match(text))
