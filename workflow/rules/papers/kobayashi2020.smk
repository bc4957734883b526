# Kobayashi et al. 2020: one rule per item.


rule kobayashi2020:
    """Every item of Kobayashi et al. 2020 (EMNLP), "Attention is not only a weight", and its claims."""
    input:
        items("kobayashi2020"),


rule kobayashi2020_table1:
    """Kobayashi et al. 2020, Table 1: how far the norms of x and of f(x) spread."""
    input:
        statistics=made_of(
            "results/heads/{run}.segments.parquet", runs_of("kobayashi2020", "table1")
        ),
    output:
        **item_output("kobayashi2020", "table1"),
    log:
        "logs/papers/kobayashi2020/table1.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kobayashi2020", "table1"),
        code=fingerprint("workflow/figures/kobayashi2020/table1.py"),
    message:
        "Draw kobayashi2020 table1"
    script:
        "../../figures/kobayashi2020/table1.py"


rule kobayashi2020_figure3:
    """Kobayashi et al. 2020, Figure 3: attention weights against norms of the weighted vectors, by class of token and layer."""
    input:
        statistics=made_of(
            "results/heads/{run}.segments.parquet", runs_of("kobayashi2020", "figure3")
        ),
        published=tracked("config/published/clark2019/figure2.csv"),
    output:
        **item_output("kobayashi2020", "figure3"),
    log:
        "logs/papers/kobayashi2020/figure3.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kobayashi2020", "figure3"),
        code=fingerprint("workflow/figures/kobayashi2020/figure3.py"),
    message:
        "Draw kobayashi2020 figure3"
    script:
        "../../figures/kobayashi2020/figure3.py"


rule kobayashi2020_figure4:
    """Kobayashi et al. 2020, Figure 4: weights and norms cancel: means of layers for [SEP], and pairs of every class."""
    input:
        statistics=made_of(
            "results/heads/{run}.segments.parquet", runs_of("kobayashi2020", "figure4")
        ),
        pairs=made_of(
            "results/heads/{run}.pairs.csv", runs_of("kobayashi2020", "figure4")
        ),
        correlations=made_of(
            "results/heads/{run}.correlations.csv", runs_of("kobayashi2020", "figure4")
        ),
    output:
        **item_output("kobayashi2020", "figure4"),
    log:
        "logs/papers/kobayashi2020/figure4.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kobayashi2020", "figure4"),
        code=fingerprint("workflow/figures/kobayashi2020/figure4.py"),
    message:
        "Draw kobayashi2020 figure4"
    script:
        "../../figures/kobayashi2020/figure4.py"


rule kobayashi2020_figure5:
    """Kobayashi et al. 2020, Figure 5: frequency rank of a token against the norm of its vectors, and against its weight."""
    input:
        tokens=made_of(
            "results/heads/{run}.tokens.parquet", runs_of("kobayashi2020", "figure5")
        ),
        correlations=made_of(
            "results/heads/{run}.correlations.csv", runs_of("kobayashi2020", "figure5")
        ),
        published=tracked("config/published/kobayashi2020/figure5.csv"),
    output:
        **item_output("kobayashi2020", "figure5"),
    log:
        "logs/papers/kobayashi2020/figure5.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kobayashi2020", "figure5"),
        code=fingerprint("workflow/figures/kobayashi2020/figure5.py"),
    message:
        "Draw kobayashi2020 figure5"
    script:
        "../../figures/kobayashi2020/figure5.py"


rule kobayashi2020_figure6:
    """Kobayashi et al. 2020, Figure 6: alignment error rate of every layer and head, from weights and from norms."""
    input:
        alignments=made_of(
            "results/heads/{run}.alignments.parquet",
            runs_of("kobayashi2020", "figure6"),
        ),
        published=tracked("config/published/kobayashi2020/figure6.csv"),
    output:
        **item_output("kobayashi2020", "figure6"),
    log:
        "logs/papers/kobayashi2020/figure6.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kobayashi2020", "figure6"),
        code=fingerprint("workflow/figures/kobayashi2020/figure6.py"),
    message:
        "Draw kobayashi2020 figure6"
    script:
        "../../figures/kobayashi2020/figure6.py"


rule kobayashi2020_figure7:
    """Kobayashi et al. 2020, Figure 7: the alignment of one sentence by weights and by norms."""
    input:
        example=made_of(
            "results/heads/{run}.alignment.json", runs_of("kobayashi2020", "figure7")
        ),
    output:
        **item_output("kobayashi2020", "figure7"),
    log:
        "logs/papers/kobayashi2020/figure7.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kobayashi2020", "figure7"),
        code=fingerprint("workflow/figures/kobayashi2020/figure7.py"),
    message:
        "Draw kobayashi2020 figure7"
    script:
        "../../figures/kobayashi2020/figure7.py"


rule kobayashi2020_table2:
    """Kobayashi et al. 2020, Table 2: alignment error rates from weights and norms against statistical aligners."""
    input:
        alignments=made_of(
            "results/heads/{run}.alignments.parquet",
            runs_of("kobayashi2020", "table2"),
        ),
        aligners=made_of(
            "results/corpora/{corpus}/aligners.csv", runs_of("kobayashi2020", "table2")
        ),
        published=tracked("config/published/kobayashi2020/table2.csv"),
    output:
        **item_output("kobayashi2020", "table2"),
    log:
        "logs/papers/kobayashi2020/table2.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kobayashi2020", "table2"),
        code=fingerprint("workflow/figures/kobayashi2020/table2.py"),
    message:
        "Draw kobayashi2020 table2"
    script:
        "../../figures/kobayashi2020/table2.py"
