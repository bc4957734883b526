# The tables, figures and claims of every study: one rule an item of workflow/studies/<study>/study.yaml, <study>_<item>.
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
                **{
                    name: tracked(f"{STUDIES}/{study.key}/published/{file}.csv")
                    for name, file in item.published.items()
                },
            output:
                pdf=f"<results>/studies/{study.key}/{item.key}.pdf",
                csv=f"<results>/studies/{study.key}/{item.key}.csv",
                svg=report(
                    f"<results>/studies/{study.key}/{item.key}.svg",
                    caption="../report/item.rst",
                    category=study.cited,
                    labels={"item": item.title, "shows": item.shows},
                ),
            log:
                f"<logs>/studies/{study.key}/{item.key}.log",
            conda:
                "../../envs/headwork.yaml"
            params:
                **calls(item.rule, "headwork.studies.jobs.draw_item", f"{STUDIES}/{study.key}/{item.key}.py"),
                runs=of_job(studied.item_runs, study=study.key, item=item.key),
                folder=not_recorded(tracked(STUDIES)),
                item=not_recorded(item),
                caption=captioned(item),
            message:
                f"Draw {study.key} {item.key}"
            script:
                "../scripts/call.py"

        workflow.get_rule(item.rule).docstring = f"{study.cited}, {item.title}: {item.shows}."


for study in map(studies.get, studied.claiming):

    rule:
        name:
            f"{study.key}_claims"
        input:
            unpack(of_job(studied.claim_tables, study=study.key)),
        output:
            csv=f"<results>/studies/{study.key}/claims.csv",
            pdf=f"<results>/studies/{study.key}/claims.pdf",
            svg=report(
                f"<results>/studies/{study.key}/claims.svg",
                caption="../report/claims.rst",
                category="Claims",
                labels={"item": study.key, "shows": "what holds here and what does not"},
            ),
        log:
            f"<logs>/studies/{study.key}/claims.log",
        conda:
            "../../envs/headwork.yaml"
        params:
            **calls(
                f"{study.key}_claims",
                "headwork.studies.jobs.judge_claims",
                f"{STUDIES}/{study.key}/claims.py",
            ),
            claims=list(study.claims),
            runs=of_job(studied.claim_runs, study=study.key),
            study=not_recorded(study.key),
            folder=not_recorded(tracked(STUDIES)),
        message:
            f"Judge the claims of {study.key}"
        script:
            "../scripts/call.py"

    workflow.get_rule(f"{study.key}_claims").docstring = f"The claims of {study.cited}, with a verdict each."


rule verdicts:
    """All studies' claims in one table, and as metrics that DVC compares."""
    input:
        claims=collect("<results>/studies/{study}/claims.csv", study=studied.claiming),
    output:
        csv="<results>/studies/claims.csv",
        metrics="<results>/studies/claims.json",
    log:
        "<logs>/studies/verdicts.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("verdicts", "headwork.studies.jobs.collect_verdicts"),
    message:
        "Collect the verdicts"
    script:
        "../scripts/call.py"


rule crate:
    """Pack a study as a Workflow Run RO-Crate: items, claims, settings, runs, software, hashes of what they read."""
    input:
        unpack(of_job(studied.files_by_item)),
        runs=of_job(studied.crated_runs),
        study=lambda wildcards: tracked(f"{STUDIES}/{wildcards.study}/study.yaml"),
        workflow=crated_workflow,
    output:
        crate="<results>/crates/{study}.zip",
    log:
        "<logs>/studies/{study}/crate.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("crate", "headwork.studies.crate.pack_study"),
        names=lambda wildcards: [os.path.relpath(path, ROOT) for path in crated_workflow(wildcards)],
        study_items=lambda wildcards: list(studied.files_by_item(wildcards.study)),
        sheets=SHEETS,
        config=not_recorded(config),
    message:
        "Pack {wildcards.study}"
    script:
        "../scripts/call.py"


rule crates:
    """Every study of the config, packed."""
    input:
        collect("<results>/crates/{study}.zip", study=studies),


rule all_studies:
    """Every item and claim of every study of the config."""
    input:
        of_job(studied.all_items),
        rules.verdicts.output,
