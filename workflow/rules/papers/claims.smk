# The claims of every study, tested on the tables of this scale.


rule claims:
    """One study's claims: the published value, this run's with its interval, and a verdict."""
    input:
        unpack(claim_files),
        study=lambda wildcards: tracked(f"config/papers/{wildcards.study}.yaml"),
    output:
        csv="results/papers/{study}/claims.csv",
        svg=report(
            "results/papers/{study}/claims.svg",
            caption="../../report/claims.rst",
            category="Claims",
            labels={
                "item": "{study}",
                "shows": "what holds here and what does not",
            },
        ),
        pdf="results/papers/{study}/claims.pdf",
    log:
        "logs/papers/{study}/claims.log",
    wildcard_constraints:
        study=one_of(CLAIMING),
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=lambda wildcards: tables_of_claims(wildcards.study),
        code=fingerprint("workflow/scripts/claims.py"),
    message:
        "Judge the claims of {wildcards.study}"
    script:
        "../../scripts/claims.py"


rule verdicts:
    """All studies' claims in one table, and as metrics that DVC compares."""
    input:
        collect("results/papers/{study}/claims.csv", study=CLAIMING),
    output:
        csv="results/papers/claims.csv",
        metrics="results/papers/claims.json",
    log:
        "logs/papers/verdicts.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        code=fingerprint("workflow/scripts/verdicts.py"),
    message:
        "Collect the verdicts"
    script:
        "../../scripts/verdicts.py"
