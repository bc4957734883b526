# The tables, figures and claims of every study: one rule an item, made from config/papers/<study>.yaml.
for study in studies.values():

    rule:
        name:
            study.key
        input:
            of_job(studied.items_of, study=study.key),

    workflow.get_rule(study.key).docstring = (
        f'Every item of {study.cited} ({study.venue}), "{study.title}", and its claims.'
    )
    for item in study.items:

        rule:
            name:
                item.rule
            input:
                unpack(of_job(studied.item_tables, study=study.key, item=item.key)),
                **{name: tracked(f"config/published/{file}.csv") for name, file in item.published.items()},
            output:
                pdf=f"<results>/papers/{study.key}/{item.key}.pdf",
                csv=f"<results>/papers/{study.key}/{item.key}.csv",
                svg=report(
                    f"<results>/papers/{study.key}/{item.key}.svg",
                    caption=f"../report/{study.key}/{item.key}.rst",
                    category=study.cited,
                    labels={"item": item.title, "shows": item.shows},
                ),
            log:
                f"<logs>/papers/{study.key}/{item.key}.log",
            conda:
                "../../envs/headwork.yaml"
            params:
                item=f"{study.key}/{item.key}",  # the loop is over when the script's path is read
                runs=of_job(studied.item_runs, study=study.key, item=item.key),
                version=version(item.rule, f"workflow/figures/{study.key}/{item.key}.py"),
            message:
                f"Draw {study.key} {item.key}"
            script:
                "../figures/{params.item}.py"

        workflow.get_rule(item.rule).docstring = f"{study.cited}, {item.title}: {item.shows}."


rule claims:
    """One study's claims: the published value, this run's with its interval, and a verdict."""
    input:
        unpack(of_job(studied.claim_tables)),
        study=lambda wildcards: tracked(f"config/papers/{wildcards.study}.yaml"),
    output:
        csv="<results>/papers/{study}/claims.csv",
        pdf="<results>/papers/{study}/claims.pdf",
        svg=report(
            "<results>/papers/{study}/claims.svg",
            caption="../report/claims.rst",
            category="Claims",
            labels={
                "item": "{study}",
                "shows": "what holds here and what does not",
            },
        ),
    log:
        "<logs>/papers/{study}/claims.log",
    wildcard_constraints:
        study=one_of(studied.claiming),
    conda:
        "../../envs/headwork.yaml"
    params:
        runs=of_job(studied.claim_runs),
        version=version("claims", "workflow/scripts/claims.py"),
    message:
        "Judge the claims of {wildcards.study}"
    script:
        "../scripts/claims.py"


rule verdicts:
    """All studies' claims in one table, and as metrics that DVC compares."""
    input:
        collect("<results>/papers/{study}/claims.csv", study=studied.claiming),
    output:
        csv="<results>/papers/claims.csv",
        metrics="<results>/papers/claims.json",
    log:
        "<logs>/papers/verdicts.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        version=version("verdicts", "workflow/scripts/verdicts.py"),
    message:
        "Collect the verdicts"
    script:
        "../scripts/verdicts.py"


rule crate:
    """Pack a study as a Workflow Run RO-Crate: items, claims, settings, runs, software, hashes of what they read."""
    input:
        unpack(of_job(studied.files_by_item)),
        runs=of_job(studied.crated_runs),
        study=lambda wildcards: tracked(f"config/papers/{wildcards.study}.yaml"),
        workflow=crated_workflow,
    output:
        crate="<results>/crates/{study}.zip",
    log:
        "<logs>/papers/{study}/crate.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        names=lambda wildcards: [os.path.relpath(path, ROOT) for path in crated_workflow(wildcards)],
        study_items=lambda wildcards: list(studied.files_by_item(wildcards.study)),
        sheets=SHEETS,
        version=version("crate", "workflow/scripts/crate.py"),
    message:
        "Pack {wildcards.study}"
    script:
        "../scripts/crate.py"


rule crates:
    """Every study of the config, packed."""
    input:
        collect("<results>/crates/{study}.zip", study=studies),


rule all_papers:
    """Every item and claim of every study of the config."""
    input:
        of_job(studied.all_items),
        rules.verdicts.output,
