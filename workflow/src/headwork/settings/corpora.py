"""Corpora, running text, tasks, and where they come from."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from headwork.settings.base import Count, NonNegative, Positive, Settings, Several, Share, require
from headwork.settings.world import Domain

Split = Literal["train", "dev", "test"]
GlueTask = Literal["SST-2", "MRPC", "RTE", "MNLI", "QNLI", "QQP", "STS-B", "CoLA"]
Lines = Literal["sentences", "paragraphs"]
Language = Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9-]*$")]
"""A language's code, in which names of files end."""


class Download(Settings):
    """One file to be downloaded, by one job; `snakemake all_downloads` downloads those that the run sheet needs."""

    url: str
    """Address, http or https."""
    licence: str
    """Terms of use; recorded beside the file."""
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    """Expected checksum. `null`: the job downloads the file once, reports its checksum and stops."""
    bytes: Positive | None = None
    """Expected size; a file of another size is refused before it is downloaded."""

    @model_validator(mode="after")
    def _over_http(self) -> "Download":
        fetched = self.url.startswith(("http://", "https://"))
        require(fetched, "only http and https are downloaded; read a file on disk as a `local` source")
        # the config is published with the results, and its parts stand in Snakemake's records
        require(
            "@" not in urlsplit(self.url).netloc,
            "an address in the config must not contain a user or a password; put them into ~/.netrc",
        )
        return self


class DownloadedFile(Settings):
    """A file that is downloaded, or a member of an archive that is."""

    download: str
    """Id in `downloads`."""
    member: str | None = None
    """The file inside the archive."""


class Sides(Settings):
    """One file, download or member for each side."""

    source: str
    """That of the source side."""
    target: str
    """That of the target side."""


class Columns(Settings):
    """The columns of a table, by their names in its first line or by their numbers from 1."""

    source: Positive | str = 1
    """The column of the source side."""
    target: Positive | str = 2
    """The column of the target side."""


class Overlap(Settings):
    """Only pairs of subtitles whose display times overlap (`headwork.corpora.sources.subtitle_overlap`)."""

    ids: DownloadedFile
    """OPUS's sentence ids."""
    links: DownloadedFile
    """OPUS's alignment links."""
    at_least: Share
    """Least overlap, as a share of their display time."""


class Cleaning(Settings):
    """Rules of cleaning; `results/<scale>/corpora/<id>/cleaning.csv` counts what each rule dropped.

    The papers specify little of theirs. A length ratio above 3 is OpusFilter's default threshold.
    """

    min_words: Count = 1
    """Least length of a sentence in words, on either side."""
    max_words: Positive = 100
    """Largest length of a sentence in words, on either side."""
    length_ratio: NonNegative = 3
    """Largest ratio of the two lengths; 0: any."""
    control: bool = True
    """Drop pairs with control characters."""
    duplicates: bool = True
    """Keep only the first of equal pairs."""
    scripts: dict[str, str] = Field(default_factory=dict)
    """Language to Unicode script, such as `{ru: Cyrillic}`."""
    script_share: Share = 0.5
    """Least share of a side's letters in that script; a side without letters passes."""

    @model_validator(mode="after")
    def _lengths_that_there_are(self) -> "Cleaning":
        require(
            self.min_words <= self.max_words,
            f"min_words ({self.min_words}) is above max_words ({self.max_words}); lower it",
        )
        return self


class Shares(Settings):
    """Shares of the sentences, or paragraphs, of sources without a `split`.

    The choice is a hash of the source sentence: it does not depend on the order of the text, and no sentence is in two
    splits. A split that is a whole source has no share of the others, unless one is given.
    """

    dev: Share = 0.02
    """Share of dev."""
    test: Share = 0.02
    """Share of test."""
    seed: Count = 0
    """Seed of the hash."""

    @model_validator(mode="after")
    def _leave_some(self) -> "Shares":
        require(
            self.dev + self.test < 1,
            f"splits: dev ({self.dev}) and test ({self.test}) are shares and must leave some to train",
        )
        return self

    def beside(self, explicit: set[str | None]) -> "Shares":
        """The shares where these splits are whole sources: 0 for them, unless they are given."""
        none = {split: 0.0 for split in ("dev", "test") if split in explicit}
        return Shares.read(none | self.model_dump(exclude_unset=True), "splits")


class Subwords(Settings):
    """The subword vocabulary: byte-pair encoding (Sennrich et al. 2016) or BERT's WordPiece (Devlin et al. 2019)."""

    kind: Literal["bpe", "wordpiece"] = "bpe"
    """`bpe`, for translation, or `wordpiece`, for encoders."""
    vocabulary: Positive = 8000
    """Size, special tokens included."""
    lowercase: bool = False
    """Lower-case the text first, as Voita et al. (2019) did."""
    min_frequency: Count = 2
    """Rarer pairs of tokens are not merged."""
    sample: Count | None = 500_000
    """Largest number of lines that the vocabulary is learned from, evenly spread; `null`: all."""
    alphabet: Count = 1000
    """Largest number of characters with a token of their own; rarer ones are unknown."""
    sources_of: Several[str] = ()
    """Corpora whose source sides are added to this text, so that an encoder transferred from one of them has the same
    source tokens."""


class ParallelSource(Settings):
    """A source of parallel text. Its other keys depend on its type."""

    type: Literal["embedded", "local", "download", "distilled"]
    """The miniature world (`embedded`), files below `data` (`local`), a `download`, or `distilled` text."""
    name: str | None = None
    """Name in the cleaning report."""
    domain: Domain | None = None
    """`embedded`: the domain."""
    path: str | Sides | Several[str | Sides] | None = None
    """`local`: stem or glob pattern of line-aligned files (plain, `.gz`, `.xz`), a folder, a table, or `{source: file,
    target: file}`; or a list of these."""
    download: str | Sides | None = None
    """`download`: id in `downloads`, or `{source, target}`."""
    member: str | Sides | None = None
    """`download`: the file inside the archive, or `{source, target}`."""
    text: str | None = None
    """`distilled`: id in `distilled`, of which `split` says the part."""
    overlap: Overlap | None = None
    """Keep only subtitle pairs that are shown at the same time."""
    columns: Columns = Columns()
    """Tables: which column is which side."""
    split: Split | None = None
    """Assigns the whole source to this split."""
    tokenised: bool | None = None
    """The text is tokenised already; so is that of the miniature world."""
    cleaning: bool | Mapping[str, Any] | None = None
    """Rules that differ from the corpus's; `false` for none, which is what dev and test sets have: scores are
    comparable only on all of their lines."""

    @model_validator(mode="after")
    def _what_the_type_needs(self) -> "ParallelSource":
        _need(self, embedded="domain", local="path", download="download", distilled="text split")
        return self

    @property
    def is_tokenised(self) -> bool:
        """Whether its text is in words."""
        return self.type == "embedded" if self.tokenised is None else self.tokenised


class ParallelText(Settings):
    """How the text of a parallel corpus is made."""

    source: Language
    """Code of the source language; local files end in `.<code>`."""
    target: Language
    """Code of the target language."""
    sources: Annotated[Several[ParallelSource], Field(min_length=1)]
    """Sources of text, in order."""
    tokenisation: Literal["none", "moses"]
    """`none` (the text is tokenised already) or `moses`."""
    cleaning: Cleaning = Cleaning()
    """Rules of cleaning."""
    splits: Shares = Shares()
    """Shares of dev and test."""
    limit: Positive | None = None
    """Largest number of training pairs."""

    @model_validator(mode="after")
    def _rules_of_sources(self) -> "ParallelText":
        for source in self.sources:
            self.cleaning_of(source)
        return self

    def cleaning_of(self, source: ParallelSource) -> Cleaning | None:
        """The rules of one of its sources; None if every line is kept."""
        own = source.split not in ("dev", "test") if source.cleaning is None else source.cleaning
        if own is False:
            return None
        given = {} if own is True else own
        return Cleaning.read(self.cleaning.model_dump(exclude_unset=True) | dict(given), "cleaning")


class GoldAlignments(Settings):
    """Gold word alignments of the test set."""

    type: Literal["embedded", "local"]
    """The world's (`embedded`), or a file below `data` (`local`)."""
    domain: Domain | None = None
    """`embedded`: the domain."""
    links: str | DownloadedFile | None = None
    """`local`: the file of links, or `{download, member}`."""
    text: str | DownloadedFile | None = None
    """`local`: the aligned sentences, one <code>sentence &#124;&#124;&#124; translation</code> a line, if they are not
    the test set."""
    layout: Literal["pharaoh", "naacl"] = "pharaoh"
    """`local`: how links are written (`headwork.corpora.annotated.alignments`)."""
    first: Annotated[int, Field(ge=0, le=1)] = 0
    """`local`, pharaoh: number of a first word."""

    @model_validator(mode="after")
    def _what_the_type_needs(self) -> "GoldAlignments":
        _need(self, embedded="domain", local="links")
        return self


class Corpus(ParallelText):
    """A parallel corpus. The values of the paper scale are those of Voita et al. (2019), section 2."""

    stands_for: str | None = None
    """The published corpus that it replaces."""
    subwords: Subwords
    """The subword vocabulary, shared by both sides."""
    parser: str
    """`gold` or an id of `parsers`: trees of the source side."""
    treebank: str | None = None
    """Id of `parsers` whose treebank is used for probes, if it is not that of `parser`."""
    alignments: GoldAlignments | None = None
    """Gold word alignments of the test set."""


class ParagraphSource(Settings):
    """A source of running text, in which an empty line ends a paragraph, or of CoNLL-U with paragraph marks."""

    type: Literal["embedded", "local", "download", "task"]
    """The miniature world (`embedded`), files below `data` (`local`), a `download`, or the training sentences of a GLUE
    `task`, without labels."""
    name: str | None = None
    """Name in `paragraphs.csv`."""
    domain: Domain | None = None
    """`embedded`: the domain."""
    task: GlueTask | None = None
    """`task`: its name."""
    path: str | Several[str] | None = None
    """`local`: files below `data`; `task`: its folder there, if it is not a generated task."""
    download: str | None = None
    """`download`: id in `downloads`."""
    member: str | None = None
    """`download`: the file inside the archive."""
    lines: Lines = "sentences"
    """`paragraphs` if every line is one paragraph, else `sentences`."""
    words: Positive = 1
    """Paragraphs with fewer words are left out."""
    split: Split | None = None
    """Assigns the whole source to this split."""

    @model_validator(mode="after")
    def _what_the_type_needs(self) -> "ParagraphSource":
        _need(self, embedded="domain", local="path", download="download", task="task")
        return self


class Mentions(Settings):
    """A text with gold coreference mentions."""

    type: Literal["embedded", "local"]
    """The world's, of paragraphs of the test split (`embedded`), or a file (`local`)."""
    domain: Domain | None = None
    """`embedded`: the domain."""
    path: str | DownloadedFile | None = None
    """`local`: below `data`, or `{download, member}`: GAP tables, or CoNLL-U with `Coref=` in MISC."""

    @model_validator(mode="after")
    def _what_the_type_needs(self) -> "Mentions":
        _need(self, embedded="domain", local="path")
        return self


class Senses(Mentions):
    """A text with gold word senses."""

    path: str | DownloadedFile | None = None
    """`local`: below `data`, or `{download, member}`: SemCor in any of its forms, or CoNLL-U."""
    keys: str | DownloadedFile | None = None
    """`local`: the file of senses, if it is a separate one and does not lie beside the text."""
    split: Literal["train", "test"] | None = None
    """The part that it is for; without it, a hash assigns the sentences."""


class Text(Settings):
    """Running text in paragraphs, for masked language models (Devlin et al. 2019; Clark et al. 2019, section 2)."""

    stands_for: str | None = None
    """The published text that it replaces."""
    source: Language
    """Language code."""
    sources: Annotated[Several[ParagraphSource], Field(min_length=1)]
    """Sources of text, in order."""
    splits: Shares = Shares()
    """Shares of dev and test, of the paragraphs."""
    limit: Positive | None = None
    """Largest number of training paragraphs."""
    subwords: Subwords | None = None
    """The subword vocabulary; BERT's have `kind: wordpiece`. None: nothing is trained on this text, and all of it is
    measured, as its test split."""
    treebank: str | None = None
    """Id of `parsers`: heads and probes are measured on its treebank."""
    mentions: Several[Mentions] = ()
    """Texts with gold coreference mentions."""
    senses: Several[Senses] = ()
    """Texts with gold word senses."""

    @model_validator(mode="after")
    def _parted_only_for_training(self) -> "Text":
        parted = "splits" in self.model_fields_set or any(source.split for source in self.sources)
        require(
            self.subwords is not None or not parted,
            "without `subwords` nothing is trained on it, and all of it is measured; leave out `splits` and `split`",
        )
        return self


class SegmentSettings(Settings):
    """Segments of two consecutive parts of running text, as in BERT's pretraining."""

    pieces: Annotated[int, Field(ge=5)] = 128
    """Segment length in subword tokens, special tokens included: [CLS], two [SEP], and one of each part."""
    lone: Literal["halve", "skip", "stop"] = "halve"
    """A sentence that fills a segment alone has no boundary: `halve` it, `skip` it, or `stop` reading its paragraph, as
    the code of Clark et al. (2019) does."""


class TaskFiles(Settings):
    """Where the files of a GLUE task lie. Without `path` and `download` it is the generated task of that name."""

    path: str | None = None
    """Folder below `data`, in the official file formats."""
    trees: str | None = None
    """CoNLL-U of its first dev set, below `data`, for features of words; `sent_id` ends in `-<example>-<sentence>`."""
    download: str | None = None
    """Id in `downloads`."""
    folder: str | None = None
    """Folder inside the archive, if it is not the task's name."""
    dev_ids: str | None = None
    """MRPC: id in `downloads` of the list of dev pairs."""


class TextSource(Settings):
    """Files from which sentences are selected."""

    path: str
    """File, folder or glob pattern below `data`."""
    lines: Lines = "paragraphs"
    """What a line is: `paragraphs`, which are split, or `sentences`."""
    document: Positive = 1
    """Bound on the length of a document (an article, a novel), in lines. Lines nearer than that to held-out text are
    left out."""
    dev: Count = 0
    """Sentences held out for dev."""
    test: Count = 0
    """Sentences held out for test."""
    from_each: Positive = 1
    """Largest number of them from one stretch of `document` lines."""


class Selection(Settings):
    """Which English sentences a model is to translate; each once, compared by its lower-cased letters and digits.

    Letters must be Latin; typographic quotation marks and dashes become plain ones.
    """

    sources: Annotated[Several[TextSource], Field(min_length=1)]
    """Sources, in order."""
    test_sets: Several[str] = ()
    """Files below `data` of which no sentence is taken: text, tables, CoNLL, trees, XML."""
    shortest: Positive = 3
    """Least length of a sentence in words."""
    longest: Positive = 60
    """Largest length of a sentence in words."""
    sentences: Positive | None = None
    """Largest number of training sentences: the first of a random order; `null`: all."""
    seed: Count = 1
    """Seed of order and held-out text."""

    @model_validator(mode="after")
    def _lengths_that_there_are(self) -> "Selection":
        require(
            self.shortest <= self.longest,
            f"no sentence has {self.shortest} to {self.longest} words; correct shortest and longest",
        )
        return self


def _need(settings: Any, **keys: str) -> None:
    """Require of settings with a `type` the keys that this type needs."""
    for key in keys[settings.type].split():
        require(getattr(settings, key) is not None, f"the type {settings.type} needs '{key}'; add it")
