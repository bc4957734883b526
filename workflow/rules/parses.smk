# Dependency trees of the source side: gold where the world gives them, stanza's everywhere else.


rule treebank:
    """The trees that heads and probes are measured on."""
    input:
        unpack(of_job(annotated.treebank_files)),
    output:
        train="<results>/parses/treebanks/{parser}/train.conllu",
        dev="<results>/parses/treebanks/{parser}/dev.conllu",
    log:
        "<logs>/parses/treebank/{parser}.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("treebank", "headwork.parses.treebank.write_treebank"),
        treebank=setting("parsers", "treebank"),
    message:
        "Gather the treebank '{wildcards.parser}'"
    script:
        "../scripts/call.py"


use rule treebank as parser_treebank with:
    input:
        unpack(of_job(annotated.treebank_files)),
        held_out=of_job(annotated.parsed_texts),  # a parser must not have seen what it will parse
    output:
        train="<results>/parses/parsers/{parser}/train.conllu",
        dev="<results>/parses/parsers/{parser}/dev.conllu",
    log:
        "<logs>/parses/parser_treebank/{parser}.log",
    priority: 1  # many jobs wait for the parser, and none of them for long
    params:
        **calls("parser_treebank", "headwork.parses.treebank.write_treebank"),


rule parser:
    """Train stanza's tagger and parser on a treebank, and score them on its dev part."""
    input:
        train="<results>/parses/parsers/{parser}/train.conllu",
        dev="<results>/parses/parsers/{parser}/dev.conllu",
    output:
        tagger="<results>/parses/parsers/{parser}/tagger.pt",
        parser="<results>/parses/parsers/{parser}/parser.pt",
        training="<results>/parses/parsers/{parser}/training.json",
    log:
        "<logs>/parses/parser/{parser}.log",
    benchmark:
        "<benchmarks>/parses/parser/{parser}.tsv"
    priority: 1
    conda:
        "../../envs/headwork.yaml"
    resources:
        gpu=GPU,
    params:
        **calls("parser", "headwork.parses.stanza.training.train_parser"),
        parser=setting("parsers"),
        device=device,
    message:
        "Train the parser '{wildcards.parser}'"
    script:
        "../scripts/call.py"


rule gold_parses:
    """The gold trees of sentences of the miniature world."""
    input:
        text="<results>/corpora/{corpus}/{split}.source.txt",
        annotated=of_job(annotated.world_trees),
    output:
        trees="<results>/parses/{corpus}/{split}.gold.conllu",
    log:
        "<logs>/parses/gold/{corpus}.{split}.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("gold_parses", "headwork.parses.gold.write_gold"),
    message:
        "Look up the gold trees of {wildcards.corpus} {wildcards.split}"
    script:
        "../scripts/call.py"


rule stanza_parses:
    """Parse the source side with stanza."""
    input:
        models=of_job(annotated.parser_files),
        lines="<results>/corpora/{corpus}/{split}.source.txt",
    output:
        trees="<results>/parses/{corpus}/{split}.stanza.conllu",
    log:
        "<logs>/parses/stanza/{corpus}.{split}.log",
    benchmark:
        "<benchmarks>/parses/stanza/{corpus}.{split}.tsv"
    conda:
        "../../envs/headwork.yaml"
    resources:
        gpu=GPU,
    params:
        **calls("stanza_parses", "headwork.parses.stanza.parsing.parse_text"),
        language=setting("corpora", "source"),
        device=device,
    message:
        "Parse {wildcards.corpus} {wildcards.split} with stanza"
    script:
        "../scripts/call.py"


rule parser_scores:
    """Score stanza's trees of a corpus against the gold ones: UPOS, UAS, LAS."""
    input:
        gold="<results>/parses/{corpus}/{split}.gold.conllu",
        parsed="<results>/parses/{corpus}/{split}.stanza.conllu",
    output:
        scores="<results>/parses/{corpus}/{split}.scores.json",
    log:
        "<logs>/parses/scores/{corpus}.{split}.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("parser_scores", "headwork.parses.scores.score_files"),
    message:
        "Score the parser on {wildcards.corpus} {wildcards.split}"
    script:
        "../scripts/call.py"


rule relations:
    """Distances of dependents from their heads, and the grammatical persons of subjects."""
    input:
        trees=of_job(annotated.trees),
    output:
        relations="<results>/parses/{corpus}/{split}.relations.csv",
        persons="<results>/parses/{corpus}/{split}.persons.csv",
    log:
        "<logs>/parses/relations/{corpus}.{split}.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("relations", "headwork.parses.relations.count_relations"),
        relations=config["heads"]["relations"],
    message:
        "Count the relations of {wildcards.corpus} {wildcards.split}"
    script:
        "../scripts/call.py"


rule all_parses:
    """Tables of trees that items and claims read, the parsers' scores where gold trees exist, and treebanks of probes."""
    input:
        of_job(studied.read_of, phase="parses"),
        collect(
            "<results>/parses/{corpus}/{split}.scores.json",
            corpus=annotated.scored(),
            split=config["heads"]["split"],
        ),
        of_job(studied.probed_treebanks),
