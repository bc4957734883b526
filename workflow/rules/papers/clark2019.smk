# Clark et al. 2019: one rule per item.


rule clark2019:
    """Every item of Clark et al. 2019 (BlackboxNLP), "What does BERT look at?", and its claims."""
    input:
        items("clark2019"),


rule clark2019_figure1:
    """Clark et al. 2019, Figure 1: four example maps: broad, next token, [SEP], full stops and commas."""
    input:
        statistics=made_of(
            "results/heads/{run}.segments.parquet", runs_of("clark2019", "figure1")
        ),
        examples=made_of(
            "results/heads/{run}.segments.json", runs_of("clark2019", "figure1")
        ),
    output:
        **item_output("clark2019", "figure1"),
    log:
        "logs/papers/clark2019/figure1.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("clark2019", "figure1"),
        code=fingerprint("workflow/figures/clark2019/figure1.py"),
    message:
        "Draw clark2019 figure1"
    script:
        "../../figures/clark2019/figure1.py"


rule clark2019_figure2:
    """Clark et al. 2019, Figure 2: attention to [CLS], [SEP] and punctuation in every layer; from [SEP] to [SEP] against from others."""
    input:
        statistics=made_of(
            "results/heads/{run}.segments.parquet", runs_of("clark2019", "figure2")
        ),
        chance=made_of(
            "results/heads/{run}.chance.csv", runs_of("clark2019", "figure2")
        ),
        published=tracked("config/published/clark2019/figure2.csv"),
    output:
        **item_output("clark2019", "figure2"),
    log:
        "logs/papers/clark2019/figure2.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("clark2019", "figure2"),
        code=fingerprint("workflow/figures/clark2019/figure2.py"),
    message:
        "Draw clark2019 figure2"
    script:
        "../../figures/clark2019/figure2.py"


rule clark2019_figure3:
    """Clark et al. 2019, Figure 3: how much the loss depends on attention to [SEP], punctuation and all tokens, layer by layer."""
    input:
        sensitivity=made_of(
            "results/relevance/{run}.sensitivity.parquet",
            runs_of("clark2019", "figure3"),
        ),
        published=tracked("config/published/clark2019/figure3.csv"),
    output:
        **item_output("clark2019", "figure3"),
    log:
        "logs/papers/clark2019/figure3.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("clark2019", "figure3"),
        code=fingerprint("workflow/figures/clark2019/figure3.py"),
    message:
        "Draw clark2019 figure3"
    script:
        "../../figures/clark2019/figure3.py"


rule clark2019_figure4:
    """Clark et al. 2019, Figure 4: entropy of every head, of all tokens and of [CLS]."""
    input:
        statistics=made_of(
            "results/heads/{run}.segments.parquet", runs_of("clark2019", "figure4")
        ),
        chance=made_of(
            "results/heads/{run}.chance.csv", runs_of("clark2019", "figure4")
        ),
        published=tracked("config/published/clark2019/figure4.csv"),
    output:
        **item_output("clark2019", "figure4"),
    log:
        "logs/papers/clark2019/figure4.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("clark2019", "figure4"),
        code=fingerprint("workflow/figures/clark2019/figure4.py"),
    message:
        "Draw clark2019 figure4"
    script:
        "../../figures/clark2019/figure4.py"


rule clark2019_figure5:
    """Clark et al. 2019, Figure 5: maps of the heads that find syntactic heads and antecedents best."""
    input:
        examples=made_of(
            "results/heads/{run}.words.json", runs_of("clark2019", "figure5")
        ),
    output:
        **item_output("clark2019", "figure5"),
    log:
        "logs/papers/clark2019/figure5.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("clark2019", "figure5"),
        code=fingerprint("workflow/figures/clark2019/figure5.py"),
    message:
        "Draw clark2019 figure5"
    script:
        "../../figures/clark2019/figure5.py"


rule clark2019_figure6:
    """Clark et al. 2019, Figure 6: heads on a plane by how differently they attend, coloured by behaviour and by layer."""
    input:
        points=made_of(
            "results/representations/{run}.plane.csv", runs_of("clark2019", "figure6")
        ),
        facts=made_of(
            "results/representations/{run}.plane.json", runs_of("clark2019", "figure6")
        ),
        statistics=made_of(
            "results/heads/{run}.segments.parquet", runs_of("clark2019", "figure6")
        ),
        chance=made_of(
            "results/heads/{run}.chance.csv", runs_of("clark2019", "figure6")
        ),
        words=made_of(
            "results/heads/{run}.words.parquet", runs_of("clark2019", "figure6")
        ),
    output:
        **item_output("clark2019", "figure6"),
    log:
        "logs/papers/clark2019/figure6.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("clark2019", "figure6"),
        code=fingerprint("workflow/figures/clark2019/figure6.py"),
    message:
        "Draw clark2019 figure6"
    script:
        "../../figures/clark2019/figure6.py"


rule clark2019_table1:
    """Clark et al. 2019, Table 1: best head of each dependency relation against the best fixed offset."""
    input:
        words=made_of(
            "results/heads/{run}.words.parquet", runs_of("clark2019", "table1")
        ),
        offsets=made_of(
            "results/heads/{run}.offsets.csv", runs_of("clark2019", "table1")
        ),
        published=tracked("config/published/clark2019/table1.csv"),
    output:
        **item_output("clark2019", "table1"),
    log:
        "logs/papers/clark2019/table1.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("clark2019", "table1"),
        code=fingerprint("workflow/figures/clark2019/table1.py"),
    message:
        "Draw clark2019 table1"
    script:
        "../../figures/clark2019/table1.py"


rule clark2019_table2:
    """Clark et al. 2019, Table 2: antecedents found by the best head against nearest mention, same head word and rules."""
    input:
        words=made_of(
            "results/heads/{run}.words.parquet", runs_of("clark2019", "table2")
        ),
        rules=made_of("results/heads/{run}.rules.csv", runs_of("clark2019", "table2")),
        published=tracked("config/published/clark2019/table2.csv"),
    output:
        **item_output("clark2019", "table2"),
    log:
        "logs/papers/clark2019/table2.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("clark2019", "table2"),
        code=fingerprint("workflow/figures/clark2019/table2.py"),
    message:
        "Draw clark2019 table2"
    script:
        "../../figures/clark2019/table2.py"


rule clark2019_table3:
    """Clark et al. 2019, Table 3: trees read off attention by probes, against probes without it."""
    input:
        probes=made_of(
            "results/representations/{run}.probes.csv", runs_of("clark2019", "table3")
        ),
        published=tracked("config/published/clark2019/table3.csv"),
    output:
        **item_output("clark2019", "table3"),
    log:
        "logs/papers/clark2019/table3.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("clark2019", "table3"),
        code=fingerprint("workflow/figures/clark2019/table3.py"),
    message:
        "Draw clark2019 table3"
    script:
        "../../figures/clark2019/table3.py"
