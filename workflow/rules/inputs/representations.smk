# How inputs and settings of representations.smk are chosen.
from headwork.parses.senses import keys_beside


def is_control(run):
    """Whether the run is a study's control, which was never trained."""
    return any(
        entry["run"] == run and not entry["trained"]
        for study in studies
        for entry in study_runs(config["papers"][study])
    )


def tag_settings(wildcards):
    """How a run is probed for tags; controls by other probes than the rest."""
    settings_of_tags = dict(config["representations"]["tags"])
    of_controls = settings_of_tags.pop("untrained_probes", settings_of_tags["probes"])
    if is_control(wildcards.run):
        settings_of_tags["probes"] = of_controls
    return settings_of_tags


# What is probed for in the layers of encoders; a scale may leave out what it has no tags for.
TAGGED = [
    task for task, entry in config["representations"]["tags"]["tasks"].items() if entry
]


def tag_files(wildcards):
    """For each task the file that probes learn from, and that on which they are scored."""
    tasks = config["representations"]["tags"]["tasks"]
    trees = treebank(wildcards.run)
    return {
        part: [
            data_file(tasks[task][part]) if tasks[task].get("train") else trees[own]
            for task in TAGGED
        ]
        for part, own in (("train", "train"), ("test", "dev"))
    }


EDGE_TASKS = [
    task
    for task, entry in config["representations"]["edge_probes"]["tasks"].items()
    if entry is not None
]


def edge_files(wildcards):
    """For each task of edge probing the file that probes learn from, and that on which they are scored."""
    tasks = config["representations"]["edge_probes"]["tasks"]
    trees = treebank(wildcards.run)
    return {
        part: [
            data_file(tasks[task][part]) if tasks[task].get("train") else trees[own]
            for task in EDGE_TASKS
        ]
        for part, own in (("train", "train"), ("test", "dev"))
    }


def analysed_files(wildcards):
    """The text whose tokens are looked at, its trees (the world's own, if it is the world's), and a file of tags."""
    corpus, settings_of_text = wildcards.corpus, config["representations"]["text"]
    split = settings_of_text["split"]
    files = {
        "source": f"<results>/corpora/{corpus}/{split}.source.txt",
        "trees": world_trees(wildcards) or trees_of(corpus, split),
    }
    if settings_of_text.get("tags"):
        files["tags"] = data_file(settings_of_text["tags"])
    return files


def states_of(wildcards):
    """A run's states on that text, and those of a masked language model on the text with pieces masked."""
    files = {"states": f"<results>/states/{wildcards.run}.whole"}
    if wildcards.run in LANGUAGE and runs.loc[wildcards.run, "objective"] == "mlm":
        files["masked"] = f"<results>/states/{wildcards.run}.masked"
    return files


def sense_sources(run):
    """The annotated texts of a run's text: path, and for local ones the keys and the part that they are for."""
    text = runs.loc[run, "corpus"]
    found = []
    for source in config["texts"][text].get("senses") or []:
        if source["type"] == "embedded":
            found.append({"path": f"<results>/corpora/world/{source['domain']}.conllu"})
            continue
        path = data_file(source["path"])
        beside = keys_beside(Path(path))
        keys = data_file(source["keys"]) if "keys" in source else beside and str(beside)
        found.append({"path": path, "keys": keys, "split": source.get("split")})
    if not found:
        stop(
            f"text '{text}' has no `senses`; name annotated text, or no run for the items that need it"
        )
    return found


def sense_settings(wildcards):
    """Of each of these texts, whether it has keys, and the part that it is for; the files are inputs."""
    return [
        {"keys": bool(source.get("keys")), "split": source.get("split")}
        for source in sense_sources(wildcards.run)
    ]


def sense_files(wildcards):
    """Texts with senses and their keys; of the world's, the paragraphs that the model was not trained on count."""
    entry = config["texts"][runs.loc[wildcards.run, "corpus"]]
    found = sense_sources(wildcards.run)
    embedded = any(source["type"] == "embedded" for source in entry["senses"])
    return {
        "senses": [source["path"] for source in found],
        "gold": [source["keys"] for source in found if source.get("keys")],
        "held_out": f"{text_of(wildcards)}/test.txt" if embedded else [],
    }
