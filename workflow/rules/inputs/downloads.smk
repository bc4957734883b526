# How inputs and settings of downloads.smk are chosen.
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


# Architectures that are models of the hub or of a package, by their ids; a model may also be a folder.
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
        *(f"<results>/hub/{name}/model.safetensors" for name in sorted(named)),
        *(
            f"<results>/parses/parsers/{name}/resources.json"
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
