"""The lexicon of the miniature world: words with their forms, senses, classes and translations, read from TSV files.

One file per part of speech lies in ``lexicon/``; a row is a *lexeme*: one lemma in one sense. A lemma with several rows
is ambiguous, and its sense must follow from another word of the sentence, which `Lexicon.senses_apart` checks on
reading.
"""

import csv
import random
from collections.abc import Iterator
from pathlib import Path

from headwork.errors import InputError
from miniature_world import english
from miniature_world.words.lexemes import Form, Lexeme

LANGUAGES = ("karvan", "velder", "lorine")
ROLES = ("A0", "A1", "A2")
GENDERS = frozenset("mfn")
# Names are the rarest words: surnames, then places, then given names, each about as rare as the next one.
NAMES = {"given": 0.5, "place": 0.05, "surname": 0.005}
SAMPLED = ("noun", "verb", "adjective", "adverb", "preposition")  # by their frequency
FRAMES = frozenset(("intransitive", "transitive", "ditransitive", "clausal", "infinitive"))


class Row(dict):
    """A row of a TSV file with its location."""

    def __init__(self, cells: dict[str, str], path: Path, line: int):
        super().__init__(cells)
        self.path, self.line = path, line

    def error(self, message: str) -> InputError:
        """An error at this row."""
        return InputError.at(self.path, message, self.line)

    def number(self, column: str) -> float:
        """The cell of that column as a number; InputError where it is none."""
        try:
            return float(self[column])
        except ValueError:
            raise self.error(f"column {column!r} holds {self[column]!r}, which is not a number") from None

    def one_of(self, column: str, allowed: frozenset[str]) -> str:
        """The cell of that column; InputError where it is not among those allowed."""
        if self[column] not in allowed:
            raise self.error(f"unknown {column} {self[column]!r}; known are {', '.join(sorted(allowed))}")
        return self[column]

    def classes(self, column: str, known: frozenset[str]) -> frozenset[str]:
        """The noun classes named in that column (``any`` means all); InputError for an unknown one."""
        named = frozenset(self[column].replace(",", " ").split())
        if named == {"any"}:
            return known
        if unknown := named - known:
            raise self.error(
                f"unknown class {min(unknown)!r} in column {column!r}; nouns.tsv has {', '.join(sorted(known))}"
            )
        return named

    def genders(self) -> dict[str, str]:
        """The genders of the translations; InputError for an unknown one."""
        return {language: self.one_of(f"{language}_gender", GENDERS) for language in LANGUAGES}

    def stems(self) -> dict[str, str]:
        """The translations; InputError where one is missing (``-`` says that the language has no word for it)."""
        for language in LANGUAGES:
            if not self[language]:
                raise self.error(
                    f"{self['lemma' if 'lemma' in self else 'form']!r} has no translation into {language}"
                )
        return {language: self[language] for language in LANGUAGES if self[language] != "-"}


def read_rows(path: Path) -> Iterator[Row]:
    """Rows of a tab-separated file; `InputError` for one with too few or too many cells."""
    with path.open(encoding="utf-8", newline="") as lines:
        table = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        head = next(table, [])
        for line, cells in enumerate(table, 2):
            if len(cells) != len(head):
                raise InputError.at(path, f"{len(cells)} cells where the head has {len(head)}", line)
            yield Row(dict(zip(head, cells, strict=True)), path, line)


class Lexicon:
    """All lexemes of a folder of TSV files, by kind and group; `InputError`, with file and line, for a mistake."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.lexemes: dict[str, list[Lexeme]] = {}
        nouns = list(read_rows(folder / "nouns.tsv"))
        self.classes = frozenset(row["class"] for row in nouns)
        for row in nouns:
            self._add(row, self._noun(row))
        for row in read_rows(folder / "verbs.tsv"):
            self._add(row, self._verb(row))
        for row in read_rows(folder / "adjectives.tsv"):
            lexeme = self._lexeme(row, "adjective", "adjective", sense=int(row.number("sense")))
            lexeme.asks["A1"] = row.classes("classes", self.classes)
            lexeme.forms["base"] = Form(lexeme.lemma, "ADJ", "JJ", "Degree=Pos", lexeme)
            self._add(row, lexeme)
        for row in read_rows(folder / "adverbs.tsv"):
            lexeme = self._lexeme(row, "adverb", row["kind"])
            upos, feats = ("PART", "Polarity=Neg") if row["kind"] == "negation" else ("ADV", "")
            lexeme.forms["base"] = Form(lexeme.lemma, upos, "RB", feats, lexeme)
            self._add(row, lexeme)
        for row in read_rows(folder / "determiners.tsv"):
            weights = row.number("news"), row.number("subtitles")
            lexeme = self._lexeme(row, "determiner", row["kind"], weights=weights)
            lexeme.definite = row["definite"] == "yes"
            lexeme.forms["base"] = english.determiner(row["form"], row["number"], lexeme)
            if row["form"] == "a":
                lexeme.forms["an"] = english.determiner("an", row["number"], lexeme)
            self._add(row, lexeme)
        for row in read_rows(folder / "pronouns.tsv"):
            weights = row.number("news"), row.number("subtitles")
            lexeme = self._lexeme(row, "pronoun", row["refers"], weights=weights)
            lexeme.natural, lexeme.definite = {"male": "m", "female": "f"}.get(row["refers"], "-"), True
            person = int(row.number("person"))
            for case in ("subject", "object"):
                lexeme.forms[case] = english.pronoun(row[case], case, person, row["number"], lexeme)
            self._add(row, lexeme)
        for row in read_rows(folder / "prepositions.tsv"):
            lexeme = self._lexeme(row, "preposition", row["use"])
            lexeme.asks["object"] = row.classes("classes", self.classes)
            lexeme.cases = {language: row[f"{language}_case"] for language in LANGUAGES}
            lexeme.forms["base"] = Form(lexeme.lemma, "ADP", "IN", "", lexeme)
            self._add(row, lexeme)
        for row in read_rows(folder / "auxiliaries.tsv"):
            lexeme = self._lexeme(row, "auxiliary", row["key"])
            lexeme.forms = english.auxiliary(row, lexeme)
            self._add(row, lexeme)
        for row in read_rows(folder / "particles.tsv"):
            lexeme = self._lexeme(row, "particle", row["upos"])
            lexeme.forms["base"] = Form(row["form"], row["upos"], row["xpos"], "", lexeme)
            self._add(row, lexeme)
        self._no_idle_class(nouns)
        self._names(list(read_rows(folder / "names.tsv")))
        self._mark_senses()

    def of(self, kind: str, group: str | None = None) -> list[Lexeme]:
        """The lexemes of a kind, or of one group of it, in the order of the file."""
        return [lexeme for lexeme in self.lexemes.get(kind, ()) if group is None or lexeme.group == group]

    def _lexeme(self, row: Row, kind: str, group: str, **more) -> Lexeme:
        stems = row.stems()
        frequency = row.number("frequency") if kind in SAMPLED else 1.0
        place = f"{row.path.name}:{row.line}"
        return Lexeme(row["lemma"], kind, group, frequency=frequency, stems=stems, place=place, **more)

    def _add(self, row: Row, lexeme: Lexeme) -> None:
        self.lexemes.setdefault(lexeme.kind, []).append(lexeme)

    def _noun(self, row: Row) -> Lexeme:
        lexeme = self._lexeme(row, "noun", row["class"], sense=int(row.number("sense")))
        lexeme.natural = row.one_of("natural", frozenset(("m", "f", "c", "-")))
        lexeme.genders = row.genders()
        lexeme.forms = english.noun(lexeme, row["plural"])
        return lexeme

    def _verb(self, row: Row) -> Lexeme:
        lexeme = self._lexeme(row, "verb", row.one_of("frame", FRAMES), sense=int(row.number("sense")))
        lexeme.asks = {role: row.classes(role, self.classes) for role in ROLES if row[role]}
        wanted = {"transitive": 2, "ditransitive": 3}.get(lexeme.group, 1)
        if len(lexeme.asks) != wanted:
            raise row.error(
                f"a {lexeme.group} verb fills {wanted} of the columns A0, A1, A2, not {len(lexeme.asks)}"
            )
        lexeme.forms = english.verb(lexeme, row["past"], row["participle"])
        return lexeme

    def _names(self, rows: list[Row]) -> None:
        """Given names as they stand; surnames and places put together from their parts, in a fixed shuffled order."""
        parts: dict[str, list[Row]] = {}
        for row in rows:
            parts.setdefault(row["kind"], []).append(row)
        built: dict[str, list[tuple[str, Row]]] = {
            "given": [(row["part"], row) for row in parts.get("given", ())]
        }
        for group in ("surname", "place"):
            middles = [row["part"].strip("-") for row in parts.get(f"{group}-middle", ())] or [""]
            built[group] = [
                (begin["part"] + middle + end["part"], end)
                for begin in parts.get(f"{group}-beginning", ())
                for middle in middles
                for end in parts.get(f"{group}-ending", ())
            ]
            random.Random(0).shuffle(built[group])
        for group, names in built.items():
            for rank, (text, row) in enumerate(names):
                frequency = NAMES[group] / (rank + 100)
                lexeme = Lexeme(text, "name", group, natural=row["natural"], frequency=frequency)
                lexeme.genders = row.genders()
                lexeme.stems = dict.fromkeys(LANGUAGES, text)
                lexeme.forms["sg"] = Form(text, "PROPN", "NNP", "Number=Sing", lexeme)
                self._add(row, lexeme)

    def _no_idle_class(self, nouns: list[Row]) -> None:
        """Raises InputError for a class that no word requires, which is probably misspelt."""
        asking = [*self.lexemes["verb"], *self.lexemes["preposition"]]
        asked = frozenset().union(*(classes for lexeme in asking for classes in lexeme.asks.values()))
        for row in nouns:
            if row["class"] not in asked:
                known = ", ".join(sorted(asked))
                raise row.error(
                    f"no verb or preposition asks for the class {row['class']!r}; asked for are {known}"
                )

    def _mark_senses(self) -> None:
        """Finds ambiguous lemmas and checks that a verb's or adjective's senses can be told apart by one argument."""
        for kind in ("noun", "verb", "adjective"):
            lemmas: dict[str, list[Lexeme]] = {}
            for lexeme in self.lexemes[kind]:
                lemmas.setdefault(lexeme.lemma, []).append(lexeme)
            for senses in lemmas.values():
                for lexeme in senses:
                    rivals = [rival for rival in senses if rival is not lexeme]
                    lexeme.ambiguous = bool(rivals)
                    if any(rival.sense == lexeme.sense for rival in rivals):
                        raise InputError.at(self.folder, f"{lexeme.place}: {lexeme.sense_key} is in two rows")
                    same_frame = [rival for rival in rivals if rival.group == lexeme.group]
                    if kind == "noun" or not same_frame:
                        continue
                    lexeme.decided_by = self._deciding_role(lexeme, same_frame)

    def _deciding_role(self, lexeme: Lexeme, rivals: list[Lexeme]) -> str:
        for role in ("A1", "A0", "A2"):
            if role in lexeme.asks and all(
                lexeme.asks[role].isdisjoint(rival.asks.get(role, ())) for rival in rivals
            ):
                return role
        raise InputError.at(
            self.folder,
            f"{lexeme.place}: nothing distinguishes {lexeme.sense_key} from its other senses; "
            "give their A1 (or classes) no class in common",
        )
