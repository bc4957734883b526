# Jobs that do the work of several of the rules above in one process, at scales whose config says `together`. Their parts are
# those rules as they are: the same scripts, files and parameters.
include: "parts.smk"


try:
    jobs = Together(trained, studied, makes).jobs()
except InputError as error:
    stop(error)


for job in jobs:

    rule:
        name:
            job.name
        input:
            needed(job.parts),
        output:
            written(job.parts),
        log:
            logs(job.parts),
        benchmark:
            f"<benchmarks>/together/{job.name}.tsv"
        conda:
            "../../envs/headwork.yaml"
        resources:
            gpu=GPU,
            mem_mb=4000,
            processes=1,
        params:
            steps=steps(job.parts),  # with their versions
            unrecorded=unrecorded(job.parts),
        message:
            job.message
        script:
            "../scripts/together.py"

    workflow.get_rule(job.name).docstring = f"{job.message}."
    workflow.ruleorder(job.name, *{name for name, _ in job.parts})
