# Items of our own, across studies.


rule synthesis:
    """Every item of headwork's own, across studies."""
    input:
        items("synthesis"),


rule synthesis_figure1:
    """Synthesis, Figure 1: BLEU, parameters and translation speed against heads kept, with closed heads removed for good."""
    input:
        runs="results/pruning/synthesis.runs.csv",
        heads="results/pruning/synthesis.heads.csv",
    output:
        **item_output("synthesis", "figure1"),
    log:
        "logs/papers/synthesis/figure1.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("synthesis", "figure1"),
        code=fingerprint("workflow/figures/synthesis/figure1.py"),
    message:
        "Draw synthesis figure1"
    script:
        "../../figures/synthesis/figure1.py"
