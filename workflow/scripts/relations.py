"""Count where dependents stand from their heads, and the persons of the subjects."""

from headwork.run.frame import job

with job(snakemake.log[0]):
    from headwork.parses.conllu import read_trees
    from headwork.parses.relations import Relations, count_offsets, count_persons
    from headwork.settings.options import options

    relations = options(Relations, snakemake.params.relations, "heads: relations")
    for count, path in ((count_offsets, "relations"), (count_persons, "persons")):
        table = count(read_trees(snakemake.input.trees), relations)
        table.to_csv(snakemake.output[path], index=False, lineterminator="\n")
