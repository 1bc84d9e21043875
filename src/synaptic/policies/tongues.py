"""Words of several languages that show a question, a wish to be told something, or politeness."""

import re
from typing import Literal

ForeignKind = Literal["question", "inquiry", "other", ""]

SOCIAL_TEXT = """
    y yes yep yeah n no nope ok okay sure done continue approved cancel thanks thank thx ty you very much so a lot nice
    work great good perfect awesome excellent cool fine well that's that is all for today now morning evening night
    afternoon hello hi hey there looks look lgtm to me never mind nevermind sounds works amazing love it welcome bye
    goodbye cheers see later tomorrow got understood i agree right correct exactly indeed wow haha lol hm hmm
    sorry oops wonderful brilliant job done everyone everybody again worries
    danke dir dank dank' vielen schön gut super toll prima ja nein klar genau passt alles hallo moin tschüss
    merci beaucoup oui non d'accord super bien parfait bonjour salut
    gracias muchas sí si vale perfecto hola bien genial
    grazie mille sì perfetto ciao bene va
    obrigado obrigada muito sim não perfeito olá bom
    dank je wel bedankt nee mooi prima hoi
    dzięki dziękuję tak nie świetnie cześć
    tack ja nej bra hej
    спасибо да нет хорошо отлично привет ок
    谢谢 好 好的 是 是的 不 不是 对 继续 你好 ありがとう ありがとうございます はい いいえ 了解 了解です
    감사합니다 네 아니요 좋아요
    شكرا نعم لا حسنا
"""
SOCIAL = frozenset(SOCIAL_TEXT.split())
"""`it` alone is polite in "love it"; with a verb of doing it never is, as that verb is not here."""

ASKS = re.compile(
    r"¿?\s*(?:"
    r"was|wer|wen|wem|wessen|wo|wohin|woher|wann|warum|wieso|weshalb|wofür|womit|wie(?! wäre)|wieviel|welche[rsnm]?"
    r"|gibt es|ist|sind|hat|haben|kann (?:man|ich|das|es|der|die)|soll(?:te)?n? (?:ich|wir|man|das|es)|muss|darf|läuft"
    r"|stimmt|funktioniert|weißt du|hast du|siehst du|bist du"
    r"|que|qu'|qui|quoi|où|quand|pourquoi|comment|quel(?:le)?s?|combien|est-ce|y a-t-il|est-il|est-elle|sont-|as-tu"
    r"|sais-tu|qué|quién|quiénes|dónde|cuándo|por qué|cómo|cuál|cuáles|cuánto|cuántos|cuántas|hay|es|está|están|son|has"
    r"|se puede|sabes|che|cosa|chi|dove|quando|perché|come(?! on\b)|quale|quali|quanto|quanti|quante|c'è|ci sono|è|sono"
    r"|hai|sai|o que|quem|onde|por que|porque|porquê|como|qual|quais|quanto|quantos|há|é|são|existe|você sabe"
    r"|wat|wie|waar|wanneer|waarom|hoe|welke?|hoeveel|is er|zijn er|heb je|weet je"
    r"|co|kto|gdzie|kiedy|dlaczego|czemu|jak|jaki|jaka|jakie|który|która|które|ile|czy(?! mo[żz])"
    r"|vad|vem|var|när|varför|hur|vilken|vilket|vilka|finns|är|hva|hvem|hvor|hvornår|hvorfor|hvordan|miksi|mitä|missä|miten"
    r"|что|кто|где|когда|почему|зачем|как|какой|какая|какое|какие|сколько|куда|откуда|чем|есть ли|що|де|коли|чому|як"
    r"|neden|niye|niçin|nasıl|nerede|ne zaman|kim|hangi|kaç"
    r"|لماذا|ما|ماذا|أين|متى|كيف|هل|من|كم|أي"
    r"|γιατί|πώς|πού|πότε|ποιος|क्या|क्यों|कैसे|कहाँ|कब|कौन"
    r")(?![\w])"
)
"""How questions begin; only with a question mark, since many of these words also begin an order."""
WISHES = re.compile(
    r"\b(?:kannst|könntest|würdest|können wir|könnten wir|könnt ihr|magst) |\bbitte\b|\bwie wäre\b"
    r"|\b(?:peux|pourrais|pouvez|pourriez)[- ](?:tu|vous)|\b(?:peut|pourrait)-on|s'il (?:te|vous) pla[iî]t"
    r"|\b(?:puedes|podrías|puede|podría|podemos|podríamos)\b|por favor"
    r"|\b(?:puoi|potresti|può|potrebbe|possiamo)\b|per favore"
    r"|\b(?:pode|poderia|podes|podias|podemos)\b"
    r"|\b(?:kun|kunt|kan|zou) (?:je|jij|u)\b|alsjeblieft"
    r"|\b(?:możesz|mógłbyś|mogłabyś|możemy)\b|\bproszę\b|\b(?:kan|kunde|skulle) du\b"
    r"|\b(?:можешь|можете|мог бы|могли бы|пожалуйста|можеш)\b"
    r"|请|帮|你能|您能|能不能|可以|可不可以|麻烦|把"
    r"|ください|下さい|もらえ|くれ|お願い|いただけ|頂け|주세요|해줘|해 줘|줄래|줄 수"
)
"""A wish in the form of a question."""
TELLS = re.compile(
    r"erklär|erläuter|beschreib|zeig|sag mir|expliqu|décri|montre|dis-moi|explic|descri|muéstra|muestra|dime|spieg"
    r"|mostra|dimmi|mostre|uitleg|leg .{1,60} uit|laat .{1,60} zien|wyjaśni|pokaż|opisz|förklara|visa|beskriv"
    r"|объясн|покажи|расскажи|опиши|解释|说明|讲|告诉我|列出|説明|教えて|見せて|설명|알려|보여"
)
BROAD_ASKS = re.compile(
    r"为什么|什么|怎么|如何|哪|谁|多少|几个|是否|吗|呢"
    r"|なぜ|どう|何|どこ|いつ|誰|どれ|どの|どんな|ですか|ますか|でしょうか|왜|무엇|뭐|뭘|어떻게|어디|언제|누가|누구|어느|나요|까요|습니까"
)
"""Of languages that put these words anywhere."""
AND_MORE = re.compile(
    rf"\b(?:und|et|puis|y|e|poi|luego|en|dan|i|och|и|затем)\b(?!\s+{ASKS.pattern})|[,，；](?!\s*(?:ob\b|si\b|{ASKS.pattern}))"
    r"|、|然后|并|그리고"
)
"""Something more is wanted than to be told; what goes on with a word of asking is more of the same."""
FOREIGN_MARKS = ("?", "？", "؟")
FILE_NAME = re.compile(
    r"\b(?:in|into|to|as)\s+(?:an?\s+|the\s+|our\s+)?(?:file\b|readme\b|changelog\b|docs\b|\S+\.[a-z]{1,5}\b)"
)


def classify_foreign(text: str) -> ForeignKind:
    """The kind of a sentence that is not English; nothing where it shows none of these words."""
    tells = TELLS.search(text)
    if tells and not AND_MORE.search(text, tells.end()):
        return "inquiry"
    if WISHES.search(text):
        return "other"
    if text.endswith(FOREIGN_MARKS) and ASKS.match(text):
        return "question"
    return "question" if BROAD_ASKS.search(text) and not tells else ""


def names_file(text: str) -> bool:
    """Whether somebody wants to be told something in a file: that is an edit."""
    return FILE_NAME.search(text) is not None
