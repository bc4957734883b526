"""Call the function that the rule names, with the rule's files and settings as its arguments."""

from headwork.run.frame import arguments, function_at, job

with job(snakemake.log[0], snakemake.threads):
    settings = dict(snakemake.params.items())
    function, _ = function_at(settings.pop("function")), settings.pop("version")
    files = dict(snakemake.input.items()), dict(snakemake.output.items())
    function(**arguments(function, *files, settings, snakemake.threads))
