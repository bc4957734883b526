# How inputs and settings of heads.smk are chosen.
def analysis_files(wildcards):
    """The text on which a run's heads are measured, its trees, and the frequencies of its subwords."""
    corpus, split = runs.loc[wildcards.run, "corpus"], config["heads"]["split"]
    return {
        "source": f"<results>/corpora/{corpus}/{split}.source.txt",
        "target": f"<results>/corpora/{corpus}/{split}.target.txt",
        "frequencies": f"<results>/corpora/{corpus}/frequencies.parquet",
        "trees": trees_of(corpus, split),
    }


def task_head_files(wildcards):
    """The dev set that a fine-tuned run's heads are measured on, and the run that it was fine-tuned from."""
    before = runs.loc[wildcards.run, "init_run"]
    return {
        **dev_files(wildcards.run),
        "before": f"<results>/models/{before}/model.safetensors",
    }


def pattern_files(wildcards):
    """The fine-tuned runs of a study, and the dev sets of their tasks."""
    chosen = [run["run"] for run in with_patterns(wildcards.study)]
    return {
        "weights": collect("<results>/models/{run}/model.safetensors", run=chosen),
        "tasks": [dev_files(run)["task"] for run in chosen],
    }


def word_files(wildcards):
    """Trees, and texts with mentions; of the world's, those of the paragraphs that the model was not trained on."""
    entry = config["texts"][runs.loc[wildcards.run, "corpus"]]
    mentions = [
        (
            f"<results>/corpora/world/{source['domain']}.conllu"
            if source["type"] == "embedded"
            else data_file(source["path"])
        )
        for source in entry["mentions"]
    ]
    embedded = any(source["type"] == "embedded" for source in entry["mentions"])
    return {
        "trees": treebank(wildcards.run)["dev"],
        "mentions": mentions,
        "held_out": f"{text_of(wildcards)}/test.txt" if embedded else [],
    }
