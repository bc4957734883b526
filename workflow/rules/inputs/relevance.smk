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
