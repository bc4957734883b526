# The head atlas of one's own model: snakemake atlas --config model=... text=...
from headwork.plan.asked import asked_files, atlas_name, check_paths
from headwork.settings.atlas import NOTE, AtlasRequest

ASKED = {key: config.get(key) for key in AtlasRequest.model_fields}
try:
    request = AtlasRequest.read(ASKED, "command line")
    check_paths(request)
except InputError as error:
    stop(error)
ATLAS = atlas_name(request)


rule atlas:
    """What each head of any model does: results/atlas/<name>/atlas.html, from --config model=... and text=..."""
    input:
        unpack(of_job(asked_files, asked=request, folder=Path("results/atlas", ATLAS))),
        page=all_tracked(
            "workflow/src/headwork/head_atlas/templates/*",
            "workflow/src/headwork/head_atlas/static/*",
        ),
    output:
        page=f"results/atlas/{ATLAS}/atlas.html",
        note=f"results/atlas/{ATLAS}/{NOTE}",
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
        **calls("atlas", "headwork.head_atlas.job.write_atlas"),
        asked=ASKED,
        settings=config.get("atlas", {}),
        device=device,
    message:
        f"Make the head atlas {ATLAS}"
    script:
        "../scripts/call.py"
