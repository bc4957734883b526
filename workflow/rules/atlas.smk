# The head atlas of one's own model: snakemake atlas --config model=... text=...
from headwork.plan.asked import ASKED, asked_files, atlas_name

ATLAS = atlas_name(config)


rule atlas:
    """What each head of any model does: results/atlas/<name>/atlas.html, from --config model=... and text=..."""
    input:
        unpack(of_job(asked_files, config=config)),
    output:
        page=f"results/atlas/{ATLAS}/atlas.html",
    log:
        f"logs/atlas/{ATLAS}.log",
    benchmark:
        f"benchmarks/atlas/{ATLAS}.tsv"
    conda:
        "../../envs/headwork.yaml"
    threads: 2
    resources:
        gpu=GPU,
    params:
        **calls_by_name("atlas", "headwork.head_atlas.job.write_atlas"),
        asked={key: config.get(key) for key in ASKED},
        settings=config.get("atlas", {}),
        device=device,
    message:
        f"Make the head atlas {ATLAS}"
    script:
        "../scripts/job.py"
