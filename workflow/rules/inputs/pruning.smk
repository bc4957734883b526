# How inputs and settings of pruning.smk are chosen.
def removal_files(wildcards):
    """A pruned run's gates, the model it was pruned from, and the sentences that both translate."""
    row = run_settings(wildcards)
    return {
        "gates": f"<results>/models/{row['run']}/gates.csv",
        "whole": f"<results>/models/{whole_run(row, runs.to_dict('index'))}/model.safetensors",
        "source": f"<results>/corpora/{row['corpus']}/test.source.txt",
    }


def measured_files(wildcards):
    """The sentences that measures of importance are taken on, dev, and judged on, test."""
    corpus = f"<results>/corpora/{runs.loc[wildcards.run, 'corpus']}"
    return [
        f"{corpus}/{split}.{side}.txt"
        for split in ("dev", "test")
        for side in ("source", "target")
    ]
