# How inputs and settings of parses.smk are chosen.
def world_trees(wildcards):
    """The gold trees of the corpus's part of the miniature world."""
    return collect(
        "<results>/corpora/world/{domain}.conllu", domain=domains(wildcards.corpus)
    )


def trees(wildcards):
    """The same, as an input function."""
    return trees_of(wildcards.corpus, wildcards.split)


def parser_files(wildcards):
    """The tagger and parser that the corpus's config names: trained here, published, or models that lie in a folder."""
    parser = config["corpora"][wildcards.corpus]["parser"]
    if parser in PUBLISHED_PARSERS:
        return f"<results>/parses/parsers/{parser}/resources.json"
    folder = config["parsers"][parser].get(
        "folder", f"<results>/parses/parsers/{parser}"
    )
    trained = [f"{folder}/tagger.pt", f"{folder}/parser.pt"]
    return (
        f"{folder}/resources.json"
        if Path(folder, "resources.json").is_file()
        else trained
    )


def treebank_files(wildcards):
    """The CoNLL-U files of a treebank: the world's trees, or files of the data folder."""
    source = config["parsers"][wildcards.parser]["treebank"]
    if source["type"] == "embedded":
        world = collect(
            "<results>/corpora/world/{domain}.conllu",
            domain=config["world"]["sentences"],
        )
        return {"train": world, "dev": []}
    return {part: [data_file(source[part])] for part in ("train", "dev")}


def parsed_texts(wildcards):
    """The texts that a parser will parse."""
    parsed = [
        corpus
        for corpus in USED
        if config["corpora"][corpus]["parser"] == wildcards.parser
    ]
    split = config["heads"]["split"]
    return collect(f"<results>/corpora/{{corpus}}/{split}.source.txt", corpus=parsed)


def scored():
    """The corpora of which there are both gold trees and a parser's."""
    return [
        corpus
        for corpus in USED
        if domains(corpus) and config["corpora"][corpus]["parser"] != "gold"
    ]


def probed_treebanks(wildcards):
    """The treebanks that heads and probes of runs are measured on."""
    tables = ("trees", "tags", "words", "probes", "attention_probe", "structural")
    tables += ("structural_probes", "edge_probes")
    probed = sorted({run for table in tables for run in reading(table)})
    return [path for run in probed for path in treebank(run).values()]
