# Raganato & Tiedemann 2018: one rule per item.


rule raganato2018:
    """Every item of Raganato & Tiedemann 2018 (BlackboxNLP), an analysis of encoder representations, and its claims."""
    input:
        items("raganato2018"),


rule raganato2018_table1:
    """Raganato & Tiedemann 2018, Table 1: BLEU of the translation models."""
    input:
        scores=made_of(
            "results/models/{run}/scores.json", runs_of("raganato2018", "table1")
        ),
        facts=made_of(
            "results/models/{run}/run.json", runs_of("raganato2018", "table1")
        ),
    output:
        **item_output("raganato2018", "table1"),
    log:
        "logs/papers/raganato2018/table1.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("raganato2018", "table1"),
        code=fingerprint("workflow/figures/raganato2018/table1.py"),
    message:
        "Draw raganato2018 table1"
    script:
        "../../figures/raganato2018/table1.py"


rule raganato2018_figure1:
    """Raganato & Tiedemann 2018, Figure 1: where each head looks: itself, the previous and the next token, the last one."""
    input:
        trees=made_of(
            "results/representations/{run}.trees.parquet",
            with_untrained("raganato2018", "figure1"),
        ),
    output:
        **item_output("raganato2018", "figure1"),
    log:
        "logs/papers/raganato2018/figure1.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("raganato2018", "figure1"),
        shown=with_untrained("raganato2018", "figure1"),
        code=fingerprint("workflow/figures/raganato2018/figure1.py"),
    message:
        "Draw raganato2018 figure1"
    script:
        "../../figures/raganato2018/figure1.py"


rule raganato2018_table2:
    """Raganato & Tiedemann 2018, Table 2: trees induced from single heads against left-, right-branching and random trees."""
    input:
        trees=made_of(
            "results/representations/{run}.trees.parquet",
            with_untrained("raganato2018", "table2"),
        ),
        branching=made_of(
            "results/representations/{run}.branching.csv",
            with_untrained("raganato2018", "table2"),
        ),
    output:
        **item_output("raganato2018", "table2"),
    log:
        "logs/papers/raganato2018/table2.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("raganato2018", "table2"),
        shown=with_untrained("raganato2018", "table2"),
        code=fingerprint("workflow/figures/raganato2018/table2.py"),
    message:
        "Draw raganato2018 table2"
    script:
        "../../figures/raganato2018/table2.py"


rule raganato2018_table3:
    """Raganato & Tiedemann 2018, Table 3: parts of speech, chunks, entities and semantic tags probed for in every layer."""
    input:
        tags=made_of(
            "results/representations/{run}.tags.csv",
            with_untrained("raganato2018", "table3"),
        ),
    output:
        **item_output("raganato2018", "table3"),
    log:
        "logs/papers/raganato2018/table3.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("raganato2018", "table3"),
        shown=with_untrained("raganato2018", "table3"),
        code=fingerprint("workflow/figures/raganato2018/table3.py"),
    message:
        "Draw raganato2018 table3"
    script:
        "../../figures/raganato2018/table3.py"


rule raganato2018_table4:
    """Raganato & Tiedemann 2018, Table 4: an encoder brought to a small language pair, left as it is or trained on."""
    input:
        scores=made_of(
            "results/models/{run}/scores.json", runs_of("raganato2018", "table4")
        ),
        facts=made_of(
            "results/models/{run}/run.json", runs_of("raganato2018", "table4")
        ),
    output:
        **item_output("raganato2018", "table4"),
    log:
        "logs/papers/raganato2018/table4.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("raganato2018", "table4"),
        code=fingerprint("workflow/figures/raganato2018/table4.py"),
    message:
        "Draw raganato2018 table4"
    script:
        "../../figures/raganato2018/table4.py"
