# The claims of every study, tested on the tables of this scale.


rule claims:
    """Every study's claims: the published value, this run's with its interval, and a verdict."""
    input:
        unpack(claim_files),
        studies=[tracked(f"config/papers/{study}.yaml") for study in studies],
    output:
        csv="results/papers/claims.csv",
        metrics="results/papers/claims.json",
        svg=report(
            "results/papers/claims.svg",
            caption="../../report/claims.rst",
            category="Claims",
            labels={"item": "Claims", "shows": "what holds here and what does not"},
        ),
        pdf="results/papers/claims.pdf",
    log:
        "logs/papers/claims.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs={study: tables_of_claims(study) for study in studies},
        code=fingerprint("workflow/scripts/claims.py"),
    message:
        "Judge the claims"
    script:
        "../../scripts/claims.py"
