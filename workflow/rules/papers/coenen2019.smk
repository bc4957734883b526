# Coenen et al. 2019: one rule per item.


rule coenen2019:
    """Every item of Coenen et al. 2019 (NeurIPS), "Visualizing and measuring the geometry of BERT", and its claims."""
    input:
        items("coenen2019"),


rule coenen2019_table0:
    """Coenen et al. 2019, Attention probe: whether two words depend on each other, and how, with controls."""
    input:
        attention=made_of(
            "results/representations/{run}.attention-probe.csv",
            with_controls("coenen2019", "table0"),
        ),
        published=tracked("config/published/coenen2019/table0.csv"),
    output:
        **item_output("coenen2019", "table0"),
    log:
        "logs/papers/coenen2019/table0.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=with_controls("coenen2019", "table0"),
        code=fingerprint("workflow/figures/coenen2019/table0.py"),
    message:
        "Draw coenen2019 table0"
    script:
        "../../figures/coenen2019/table0.py"


rule coenen2019_figure2:
    """Coenen et al. 2019, Figure 2: trees drawn by the squared distances of words, beside the true ones."""
    input:
        trees=made_of(
            "results/representations/{run}.trees.json",
            runs_of("coenen2019", "figure2"),
        ),
        embeddings=made_of(
            "results/representations/{run}.embeddings.csv",
            runs_of("coenen2019", "figure2"),
        ),
    output:
        **item_output("coenen2019", "figure2"),
    log:
        "logs/papers/coenen2019/figure2.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("coenen2019", "figure2"),
        code=fingerprint("workflow/figures/coenen2019/figure2.py"),
    message:
        "Draw coenen2019 figure2"
    script:
        "../../figures/coenen2019/figure2.py"


rule coenen2019_figure3:
    """Coenen et al. 2019, Figure 3: mean squared length of the arcs of each dependency relation."""
    input:
        edges=made_of(
            "results/representations/{run}.edges.csv",
            runs_of("coenen2019", "figure3"),
        ),
        published=tracked("config/published/coenen2019/figure3.csv"),
    output:
        **item_output("coenen2019", "figure3"),
    log:
        "logs/papers/coenen2019/figure3.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("coenen2019", "figure3"),
        code=fingerprint("workflow/figures/coenen2019/figure3.py"),
    message:
        "Draw coenen2019 figure3"
    script:
        "../../figures/coenen2019/figure3.py"


rule coenen2019_figure4:
    """Coenen et al. 2019, Figure 4: contexts of an ambiguous word on a plane."""
    input:
        contexts=made_of(
            "results/representations/{run}.contexts.csv",
            with_controls("coenen2019", "figure4"),
        ),
    output:
        **item_output("coenen2019", "figure4"),
    log:
        "logs/papers/coenen2019/figure4.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=with_controls("coenen2019", "figure4"),
        code=fingerprint("workflow/figures/coenen2019/figure4.py"),
    message:
        "Draw coenen2019 figure4"
    script:
        "../../figures/coenen2019/figure4.py"


rule coenen2019_figure5:
    """Coenen et al. 2019, Figure 5: similarity to the own and to the other sense, alone and in joined sentences, by layer."""
    input:
        concatenation=made_of(
            "results/representations/{run}.concatenation.csv",
            runs_of("coenen2019", "figure5"),
        ),
        published=tracked("config/published/coenen2019/figure5.csv"),
    output:
        **item_output("coenen2019", "figure5"),
    log:
        "logs/papers/coenen2019/figure5.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("coenen2019", "figure5"),
        code=fingerprint("workflow/figures/coenen2019/figure5.py"),
    message:
        "Draw coenen2019 figure5"
    script:
        "../../figures/coenen2019/figure5.py"


rule coenen2019_table1:
    """Coenen et al. 2019, Table 1: word senses by nearest centroid in every layer, and after a semantic probe of every dimension."""
    input:
        senses=made_of(
            "results/representations/{run}.senses.csv",
            with_controls("coenen2019", "table1"),
        ),
        semantic=made_of(
            "results/representations/{run}.semantic.csv",
            with_controls("coenen2019", "table1"),
        ),
        published=tracked("config/published/coenen2019/table1.csv"),
    output:
        **item_output("coenen2019", "table1"),
    log:
        "logs/papers/coenen2019/table1.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=with_controls("coenen2019", "table1"),
        code=fingerprint("workflow/figures/coenen2019/table1.py"),
    message:
        "Draw coenen2019 table1"
    script:
        "../../figures/coenen2019/table1.py"


rule coenen2019_table2:
    """Coenen et al. 2019, Table 2: precision and recall of the attention probe for each dependency relation."""
    input:
        relations=made_of(
            "results/representations/{run}.attention-relations.csv",
            runs_of("coenen2019", "table2"),
        ),
    output:
        **item_output("coenen2019", "table2"),
    log:
        "logs/papers/coenen2019/table2.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("coenen2019", "table2"),
        code=fingerprint("workflow/figures/coenen2019/table2.py"),
    message:
        "Draw coenen2019 table2"
    script:
        "../../figures/coenen2019/table2.py"
