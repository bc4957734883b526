# What comes over the net: files by their addresses, and models of the Hugging Face hub. Nothing else fetches anything.
from headwork.corpora.places import file_name


def download_of(wildcards):
    """The archive that a member is unpacked from; or the one file of a download."""
    return str(FETCHED.file(wildcards.download))


def addresses_in(part):
    """The addresses of the downloads that a part of the config names anywhere, by id."""
    if isinstance(part, dict):
        named = part.get("download")
        ids = named.values() if isinstance(named, dict) else [named] if named else []
        found = {name: FETCHED.urls.get(name) for name in ids}
        for value in part.values():
            found |= addresses_in(value)
        return found
    if isinstance(part, list):
        return {
            name: url for entry in part for name, url in addresses_in(entry).items()
        }
    return {}


# Parsers that stanza publishes, and that are fetched.
PUBLISHED_PARSERS = [
    parser for parser, entry in config["parsers"].items() if "published" in entry
]


# Architectures that are models of the hub, by their ids; a model may also be a folder.
FROM_HUB = [
    name
    for name, entry in config["architectures"].items()
    if "model" in entry and not Path(entry["model"]).is_dir()
]


def needed_from_the_net():
    """The downloads and models of the hub that the run sheet's runs need, the parsers of those, and what is probed for."""
    parts = [
        config[section][row["corpus"]]
        for row in SHEET
        for section in settings.TRAINED_ON[row["objective"]]
        if row["corpus"] in config[section]
    ]
    parts += [
        config["parsers"][part[key]]
        for part in parts
        for key in ("parser", "treebank")
        if part.get(key, "gold") != "gold"
    ]
    parts.append(config["representations"]["tags"])
    wanted = {name for part in parts for name in addresses_in(part)}
    wanted |= {SPLIT_HERE[name] for name in wanted & set(SPLIT_HERE)}
    parsers = {config["corpora"][corpus]["parser"] for corpus in USED}
    named = {row["architecture"] for row in SHEET} & set(FROM_HUB)
    return [
        *(str(FETCHED.file(name)) for name in sorted(wanted)),
        *(f"results/hub/{name}/model.safetensors" for name in sorted(named)),
        *(
            f"results/parses/parsers/{name}/resources.json"
            for name in sorted(parsers & set(PUBLISHED_PARSERS))
        ),
    ]


# MRPC's two splits are not in one archive: its pairs, and which of them are dev.
SPLIT_HERE = {
    entry["download"]: entry["dev_ids"]
    for entry in config["tasks"].values()
    if entry.get("dev_ids")
}


def dev_ids_of(wildcards):
    """The file that says which pairs are dev."""
    return str(FETCHED.file(SPLIT_HERE[wildcards.download]))


rule download:
    """Fetch one file of the config's `downloads`: resumed where it broke off, checked by size and SHA-256."""
    output:
        file="results/corpora/downloads/{download}/{name}",
        licence="results/corpora/downloads/{download}/{name}.licence.txt",
    log:
        "logs/corpora/download/{download}/{name}.log",
    wildcard_constraints:
        download=one_of(DOWNLOADS),
        name=one_of(map(file_name, FETCHED.urls.values())),
    retries: 2
    conda:
        "../../envs/headwork.yaml"
    params:
        address=lambda wildcards: DOWNLOADS[wildcards.download],
        code=fingerprint("workflow/scripts/download.py"),
    message:
        "Fetch {wildcards.download}"
    script:
        "../scripts/download.py"


rule unpack:
    """Unpack one file of an archive; it goes when those who need it are done."""
    input:
        archive=download_of,
    output:
        file=temp("results/corpora/unpacked/{download}/{member}"),
    log:
        "logs/corpora/unpack/{download}/{member}.log",
    wildcard_constraints:
        download=one_of(set(DOWNLOADS) - set(SPLIT_HERE)),
        member=".+",
    conda:
        "../../envs/headwork.yaml"
    params:
        code=fingerprint("workflow/scripts/unpack.py"),
    message:
        "Unpack {wildcards.member} of {wildcards.download}"
    script:
        "../scripts/unpack.py"


rule split_mrpc:
    """Part MRPC's training pairs into GLUE's train and dev."""
    input:
        pairs=download_of,
        dev_ids=dev_ids_of,
    output:
        train="results/corpora/unpacked/{download}/MRPC/train.tsv",
        dev="results/corpora/unpacked/{download}/MRPC/dev.tsv",
    log:
        "logs/corpora/unpack/{download}.log",
    wildcard_constraints:
        download=one_of(SPLIT_HERE),
    conda:
        "../../envs/headwork.yaml"
    params:
        code=fingerprint("workflow/scripts/split_mrpc.py"),
    message:
        "Part MRPC into train and dev"
    script:
        "../scripts/split_mrpc.py"


rule hub_model:
    """Fetch one model of the Hugging Face hub: its safetensors, config and tokenizer, at one revision, and no code."""
    output:
        **encoder_files("results/hub/{architecture}"),
        note="results/hub/{architecture}/hub.json",
    log:
        "logs/models/hub/{architecture}.log",
    wildcard_constraints:
        architecture=one_of(FROM_HUB),
    retries: 2
    conda:
        "../../envs/headwork.yaml"
    params:
        model=lambda wildcards: config["architectures"][wildcards.architecture],
        code=fingerprint("workflow/scripts/hub_model.py"),
    message:
        "Fetch the model {wildcards.architecture}"
    script:
        "../scripts/hub_model.py"


rule stanza_models:
    """Fetch stanza's published models of a language: tokeniser, tagger, lemmatiser and parser."""
    output:
        resources="results/parses/parsers/{parser}/resources.json",
    log:
        "logs/parses/stanza_models/{parser}.log",
    wildcard_constraints:
        parser=one_of(PUBLISHED_PARSERS),
    retries: 2
    conda:
        "../../envs/headwork.yaml"
    params:
        published=lambda wildcards: config["parsers"][wildcards.parser]["published"],
        code=fingerprint("workflow/scripts/stanza_models.py"),
    message:
        "Fetch stanza's models for '{wildcards.parser}'"
    script:
        "../scripts/stanza_models.py"


rule all_downloads:
    """Everything that the config's corpora, texts, tasks and models need from the net."""
    input:
        needed_from_the_net(),


localrules:
    download,
    hub_model,
    stanza_models,
