"""Pairs of texts about similar kernels: the prose of a row, and a text that others have written."""

import collections
import math
import re

# Families whose answers explain kernels.
EXPLAINING = ("analyze", "knowledge", "optimize", "translate")
FEWEST_WORDS = 60  # Of a text, without its code.
HAN = re.compile(r"[\u4e00-\u9fff]")
FENCED = re.compile(r"^ {0,3}(```+|~~~+)[^\n]*\n.*?(?:^ {0,3}\1[ \t]*$|\Z)", re.M | re.S)
WORD = re.compile(r"[A-Za-z][A-Za-z0-9]{2,}|[\u4e00-\u9fff]{2}")


class Text:
    """A text of ours or of others. `subject` is all that says what it is about."""

    def __init__(self, text, subject, source, task=None, family=None):
        self.text, self.source, self.task, self.family = text.strip(), source, task, family
        self.prose = FENCED.sub("[code]", self.text)
        # A Chinese character counts as half a word.
        characters = len(HAN.findall(self.prose))
        self.length = len(re.findall(r"[A-Za-z0-9_.]+", self.prose)) + characters // 2
        self.is_chinese = characters > len(self.prose) / 10
        self.words = collections.Counter(word.lower() for word in WORD.findall(subject))


def texts_of_rows(rows):
    return [Text(row["messages"][-1]["content"],
                 "\n".join(message["content"] for message in row["messages"]), row["content_id"],
                 row["task_id"] or row["content_id"], row["family"])
            for row in rows if row["family"] in EXPLAINING]


def texts_in(folder):
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    if not paths:
        raise ValueError(f"{folder} has no files")
    contents = [(path.name, path.read_text("utf-8")) for path in paths]
    return [Text(content, f"{name}\n{content}", name) for name, content in contents]


def set_vectors(texts):
    """Weights of words by how few texts have them, as vectors of length 1."""
    having = collections.Counter(word for text in texts for word in text.words)
    for text in texts:
        weights = {word: (1 + math.log(count)) * math.log(len(texts) / having[word])
                   for word, count in text.words.items()}
        norm = math.sqrt(sum(weight * weight for weight in weights.values())) or 1
        text.vector = {word: weight / norm for word, weight in weights.items()}


def similarity(one, other):
    """Of what they are about, lowered where one is much longer than the other."""
    about = sum(weight * other.vector.get(word, 0) for word, weight in one.vector.items())
    return about * math.sqrt(min(one.length, other.length) / max(one.length, other.length))


class Pair:
    def __init__(self, ours, real, ours_is, likeness, with_code):
        shown = (ours, real) if ours_is == "A" else (real, ours)
        self.shown = [one.text if with_code else one.prose for one in shown]
        self.key = {"ours": ours_is, "row": ours.source, "family": ours.family,
                    "text": real.source, "similarity": round(likeness, 3)}

    def text(self, number):
        first, second = self.shown
        return (f"# {number:02}\n\n---------- A ----------\n\n{first}\n\n"
                f"---------- B ----------\n\n{second}\n")


def drawn_pairs(rows, given, draw):
    """The most similar pairs in one language: a task and a text once, at most half of a family."""
    ours, real = texts_of_rows(rows), texts_in(given.pairs)
    set_vectors(ours + real)
    ours, real = ([text for text in texts if text.length >= FEWEST_WORDS]
                  for texts in (ours, real))
    draw.shuffle(ours)
    found = sorted(((similarity(one, other), number, one, other) for number, one in enumerate(ours)
                    for other in real if one.is_chinese == other.is_chinese),
                   key=lambda pair: (-pair[0], pair[1]))
    used, families, chosen = set(), collections.Counter(), []
    for likeness, _, one, other in found:
        if (len(chosen) < given.pair_count and one.task not in used and other.source not in used
                and 2 * families[one.family] < given.pair_count):
            used.update((one.task, other.source))
            families[one.family] += 1
            chosen.append((likeness, one, other))
    draw.shuffle(chosen)
    sides = ["AB"[number % 2] for number in range(len(chosen))]
    draw.shuffle(sides)
    return [Pair(one, other, side, likeness, given.with_code)
            for (likeness, one, other), side in zip(chosen, sides)]
