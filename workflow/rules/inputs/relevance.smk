# How inputs and settings of relevance.smk are chosen.
def relevance_files(wildcards):
    """The text on which a run's relevance is measured, and its translations if it reads these."""
    split = config["relevance"]["split"]
    corpus = f"<results>/corpora/{runs.loc[wildcards.run, 'corpus']}"
    text = {side: f"{corpus}/{split}.{side}.txt" for side in ("source", "target")}
    if config["relevance"].get("prefix") == "hypothesis":
        text["hypotheses"] = (
            f"<results>/models/{wildcards.run}/translations.{split}.txt"
        )
    return text


def relevance_of_measures(wildcards):
    """The relevance of translation models whose measures of importance are compared: one of these measures."""
    measured = [run for run in reading("measures") if run in TRANSLATING]
    return collect("<results>/relevance/{run}.parquet", run=measured)
