"""Call the function that the rule names: ``function(input, output, **params)``, with the rule's own names."""

from headwork.run.frame import Files, call, function_at, job

with job(snakemake.log[0], snakemake.threads):
    params = dict(snakemake.params.items())
    function, _ = function_at(params.pop("function")), params.pop("version")
    call(function, Files(**dict(snakemake.input.items())), Files(**dict(snakemake.output.items())), params)
