# Hao et al. 2021: one rule per item.


rule hao2021:
    """Every item of Hao et al. 2021 (AAAI), "Self-Attention Attribution", and its claims."""
    input:
        items("hao2021"),


rule hao2021_figure1:
    """Hao et al. 2021, Figure 1: attention and attribution map of one head for one example; how complete each quadrature is."""
    input:
        maps=made_of("results/relevance/{run}.maps.json", runs_of("hao2021", "figure1")),
        quadrature=made_of(
            "results/relevance/{run}.quadrature.csv", runs_of("hao2021", "figure1")
        ),
        completeness=made_of(
            "results/relevance/{run}.completeness.parquet",
            runs_of("hao2021", "figure1"),
        ),
    output:
        **item_output("hao2021", "figure1"),
    log:
        "logs/papers/hao2021/figure1.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("hao2021", "figure1"),
        code=fingerprint("workflow/figures/hao2021/figure1.py"),
    message:
        "Draw hao2021 figure1"
    script:
        "../../figures/hao2021/figure1.py"


rule hao2021_figure2:
    """Hao et al. 2021, Figure 2: accuracy when the most or least attributed, or attended, heads of every layer are removed."""
    input:
        effect=made_of(
            "results/pruning/ranking/{run}.effect.csv", runs_of("hao2021", "figure2")
        ),
    output:
        **item_output("hao2021", "figure2"),
    log:
        "logs/papers/hao2021/figure2.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("hao2021", "figure2"),
        code=fingerprint("workflow/figures/hao2021/figure2.py"),
    message:
        "Draw hao2021 figure2"
    script:
        "../../figures/hao2021/figure2.py"


rule hao2021_figure3:
    """Hao et al. 2021, Figure 3: accuracy against the share of heads removed: attribution, Taylor, accuracy difference, attention, random."""
    input:
        curves=made_of(
            "results/pruning/ranking/{run}.curves.csv", runs_of("hao2021", "figure3")
        ),
        published=tracked("config/published/hao2021/figure3.csv"),
    output:
        **item_output("hao2021", "figure3"),
    log:
        "logs/papers/hao2021/figure3.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("hao2021", "figure3"),
        code=fingerprint("workflow/figures/hao2021/figure3.py"),
    message:
        "Draw hao2021 figure3"
    script:
        "../../figures/hao2021/figure3.py"


rule hao2021_figure4:
    """Hao et al. 2021, Figure 4: importance of heads across pairs of tasks, with correlations."""
    input:
        importance=made_of(
            "results/relevance/{run}.importance.parquet", runs_of("hao2021", "figure4")
        ),
    output:
        **item_output("hao2021", "figure4"),
    log:
        "logs/papers/hao2021/figure4.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("hao2021", "figure4"),
        code=fingerprint("workflow/figures/hao2021/figure4.py"),
    message:
        "Draw hao2021 figure4"
    script:
        "../../figures/hao2021/figure4.py"


rule hao2021_figure5:
    """Hao et al. 2021, Figure 5: attribution trees, and how often their edges alone keep the answer."""
    input:
        trees=made_of(
            "results/relevance/{run}.trees.json", runs_of("hao2021", "figure5")
        ),
        kept=made_of("results/relevance/{run}.kept.csv", runs_of("hao2021", "figure5")),
    output:
        **item_output("hao2021", "figure5"),
    log:
        "logs/papers/hao2021/figure5.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("hao2021", "figure5"),
        code=fingerprint("workflow/figures/hao2021/figure5.py"),
    message:
        "Draw hao2021 figure5"
    script:
        "../../figures/hao2021/figure5.py"


rule hao2021_figure6:
    """Hao et al. 2021, Figure 6: receptive field of every layer."""
    input:
        edges=made_of(
            "results/relevance/{run}.edges.csv", runs_of("hao2021", "figure6")
        ),
    output:
        **item_output("hao2021", "figure6"),
    log:
        "logs/papers/hao2021/figure6.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("hao2021", "figure6"),
        code=fingerprint("workflow/figures/hao2021/figure6.py"),
    message:
        "Draw hao2021 figure6"
    script:
        "../../figures/hao2021/figure6.py"


rule hao2021_table1:
    """Hao et al. 2021, Table 1: accuracy of every class with adversarial triggers, beside triggers by attention and random pieces."""
    input:
        triggers=made_of(
            "results/relevance/{run}.triggers.csv", runs_of("hao2021", "table1")
        ),
        published=tracked("config/published/hao2021/table1.csv"),
    output:
        **item_output("hao2021", "table1"),
    log:
        "logs/papers/hao2021/table1.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("hao2021", "table1"),
        code=fingerprint("workflow/figures/hao2021/table1.py"),
    message:
        "Draw hao2021 table1"
    script:
        "../../figures/hao2021/table1.py"
