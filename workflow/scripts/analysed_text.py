"""Choose the sentences whose tokens are looked at, and gather what is known of their words."""

from headwork.run.frame import job

with job(snakemake.log[0], snakemake.threads):
    from headwork.representations.states.analysed_text import TextSettings, write_analysed_text
    from headwork.settings.options import options

    given = snakemake.input
    write_analysed_text(
        given.source,
        [given.trees] if isinstance(given.trees, str) else given.trees,
        options(TextSettings, snakemake.params.text, "text"),
        snakemake.output.text,
        snakemake.output.words,
        annotated=snakemake.params.annotated,
        tags=given.get("tags") or None,
    )
