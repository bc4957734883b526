# Jobs that do the work of several of the rules above in one process, at scales whose config says `together`. Their parts are
# those rules as they are: the same scripts, files and parameters.
include: "inputs/together.smk"


for name, message, parts in jobs_together():

    rule:
        name:
            name
        input:
            needed(parts),
        output:
            written(parts),
        log:
            logs(parts),
        benchmark:
            f"<benchmarks>/together/{name}.tsv"
        conda:
            "../../envs/headwork.yaml"
        resources:
            gpu=GPU,
            mem_mb=4000,
            processes=1,
        params:
            steps=steps(parts),  # with the fingerprints of those that measure
        message:
            message
        script:
            "../scripts/together.py"

    workflow.get_rule(name).docstring = f"{message}."
    workflow.ruleorder(name, *{rule.name for rule, _ in parts})
