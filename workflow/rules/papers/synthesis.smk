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


rule synthesis_figure2:
    """Synthesis, Figure 2: score and likelihood against the share of heads removed in the order of each measure of importance."""
    input:
        curves=made_of(
            "results/pruning/measures/{run}.curves.csv",
            runs_of("synthesis", "figure2"),
        ),
    output:
        **item_output("synthesis", "figure2"),
    log:
        "logs/papers/synthesis/figure2.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("synthesis", "figure2"),
        code=fingerprint("workflow/figures/synthesis/figure2.py"),
    message:
        "Draw synthesis figure2"
    script:
        "../../figures/synthesis/figure2.py"


rule synthesis_table1:
    """Synthesis, Table 1: every measure of a head's importance against what the head is worth: rank correlation, area under the pruning curve."""
    input:
        heads=made_of(
            "results/pruning/measures/{run}.heads.csv", runs_of("synthesis", "table1")
        ),
        curves=made_of(
            "results/pruning/measures/{run}.curves.csv", runs_of("synthesis", "table1")
        ),
    output:
        **item_output("synthesis", "table1"),
    log:
        "logs/papers/synthesis/table1.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("synthesis", "table1"),
        code=fingerprint("workflow/figures/synthesis/table1.py"),
    message:
        "Draw synthesis table1"
    script:
        "../../figures/synthesis/table1.py"
