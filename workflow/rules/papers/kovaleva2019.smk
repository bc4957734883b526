# Kovaleva et al. 2019: one rule per item.


rule kovaleva2019:
    """Every item of Kovaleva et al. 2019 (EMNLP), "Revealing the dark secrets of BERT", and its claims."""
    input:
        items("kovaleva2019"),


rule kovaleva2019_figure1:
    """Kovaleva et al. 2019, Figure 1: an example of each of five patterns of attention maps."""
    input:
        examples=made_of(
            "results/heads/{run}.task.json", runs_of("kovaleva2019", "figure1")
        ),
    output:
        **item_output("kovaleva2019", "figure1"),
    log:
        "logs/papers/kovaleva2019/figure1.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kovaleva2019", "figure1"),
        code=fingerprint("workflow/figures/kovaleva2019/figure1.py"),
    message:
        "Draw kovaleva2019 figure1"
    script:
        "../../figures/kovaleva2019/figure1.py"


rule kovaleva2019_figure2:
    """Kovaleva et al. 2019, Figure 2: the share of maps of each pattern, task by task."""
    input:
        statistics=made_of(
            "results/heads/{run}.task.parquet", runs_of("kovaleva2019", "figure2")
        ),
        shares="results/heads/kovaleva2019.patterns.csv",
        facts="results/heads/kovaleva2019.patterns.json",
        published=tracked("config/published/kovaleva2019/figure2.csv"),
    output:
        **item_output("kovaleva2019", "figure2"),
    log:
        "logs/papers/kovaleva2019/figure2.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kovaleva2019", "figure2"),
        code=fingerprint("workflow/figures/kovaleva2019/figure2.py"),
    message:
        "Draw kovaleva2019 figure2"
    script:
        "../../figures/kovaleva2019/figure2.py"


rule kovaleva2019_figure3:
    """Kovaleva et al. 2019, Figure 3: how strongly each head links a predicate with what takes part in it."""
    input:
        statistics=made_of(
            "results/heads/{run}.words.parquet", runs_of("kovaleva2019", "figure3")
        ),
        examples=made_of(
            "results/heads/{run}.words.json", runs_of("kovaleva2019", "figure3")
        ),
        published=tracked("config/published/kovaleva2019/figure3.csv"),
    output:
        **item_output("kovaleva2019", "figure3"),
    log:
        "logs/papers/kovaleva2019/figure3.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kovaleva2019", "figure3"),
        code=fingerprint("workflow/figures/kovaleva2019/figure3.py"),
    message:
        "Draw kovaleva2019 figure3"
    script:
        "../../figures/kovaleva2019/figure3.py"


rule kovaleva2019_figure5:
    """Kovaleva et al. 2019, Figure 5: how much fine-tuning changes the maps of each head, task by task."""
    input:
        statistics=made_of(
            "results/heads/{run}.task.parquet", runs_of("kovaleva2019", "figure5")
        ),
        published=tracked("config/published/kovaleva2019/figure5.csv"),
    output:
        **item_output("kovaleva2019", "figure5"),
    log:
        "logs/papers/kovaleva2019/figure5.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kovaleva2019", "figure5"),
        code=fingerprint("workflow/figures/kovaleva2019/figure5.py"),
    message:
        "Draw kovaleva2019 figure5"
    script:
        "../../figures/kovaleva2019/figure5.py"


rule kovaleva2019_figure6:
    """Kovaleva et al. 2019, Figure 6: attention of each head to [SEP] and to [CLS], task by task."""
    input:
        statistics=made_of(
            "results/heads/{run}.task.parquet", runs_of("kovaleva2019", "figure6")
        ),
        published=tracked("config/published/kovaleva2019/figure6.csv"),
    output:
        **item_output("kovaleva2019", "figure6"),
    log:
        "logs/papers/kovaleva2019/figure6.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kovaleva2019", "figure6"),
        code=fingerprint("workflow/figures/kovaleva2019/figure6.py"),
    message:
        "Draw kovaleva2019 figure6"
    script:
        "../../figures/kovaleva2019/figure6.py"


rule kovaleva2019_figure7:
    """Kovaleva et al. 2019, Figure 7: what [CLS] attends to in the last layer, task by task."""
    input:
        statistics=made_of(
            "results/heads/{run}.task.parquet", runs_of("kovaleva2019", "figure7")
        ),
    output:
        **item_output("kovaleva2019", "figure7"),
    log:
        "logs/papers/kovaleva2019/figure7.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kovaleva2019", "figure7"),
        code=fingerprint("workflow/figures/kovaleva2019/figure7.py"),
    message:
        "Draw kovaleva2019 figure7"
    script:
        "../../figures/kovaleva2019/figure7.py"


rule kovaleva2019_figure8:
    """Kovaleva et al. 2019, Figure 8: scores with one head disabled, task by task."""
    input:
        disabling=made_of(
            "results/pruning/disabling/{run}.csv", runs_of("kovaleva2019", "figure8")
        ),
        published=tracked("config/published/kovaleva2019/figure8.csv"),
    output:
        **item_output("kovaleva2019", "figure8"),
    log:
        "logs/papers/kovaleva2019/figure8.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kovaleva2019", "figure8"),
        code=fingerprint("workflow/figures/kovaleva2019/figure8.py"),
    message:
        "Draw kovaleva2019 figure8"
    script:
        "../../figures/kovaleva2019/figure8.py"


rule kovaleva2019_figure9:
    """Kovaleva et al. 2019, Figure 9: scores with one layer disabled, task by task."""
    input:
        disabling=made_of(
            "results/pruning/disabling/{run}.csv", runs_of("kovaleva2019", "figure9")
        ),
        published=tracked("config/published/kovaleva2019/figure9.csv"),
        heads=tracked("config/published/kovaleva2019/figure8.csv"),
    output:
        **item_output("kovaleva2019", "figure9"),
    log:
        "logs/papers/kovaleva2019/figure9.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kovaleva2019", "figure9"),
        code=fingerprint("workflow/figures/kovaleva2019/figure9.py"),
    message:
        "Draw kovaleva2019 figure9"
    script:
        "../../figures/kovaleva2019/figure9.py"


rule kovaleva2019_figure10:
    """Kovaleva et al. 2019, Figure 10: the maps of all heads for one example of four tasks."""
    input:
        examples=made_of(
            "results/heads/{run}.task.json", runs_of("kovaleva2019", "figure10")
        ),
    output:
        **item_output("kovaleva2019", "figure10"),
    log:
        "logs/papers/kovaleva2019/figure10.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kovaleva2019", "figure10"),
        code=fingerprint("workflow/figures/kovaleva2019/figure10.py"),
    message:
        "Draw kovaleva2019 figure10"
    script:
        "../../figures/kovaleva2019/figure10.py"


rule kovaleva2019_table1:
    """Kovaleva et al. 2019, Table 1: scores without fine-tuning, fine-tuned from random weights, and fine-tuned."""
    input:
        scores=made_of("results/models/{run}/scores.json", scored_runs("kovaleva2019")),
        published=tracked("config/published/kovaleva2019/table1.csv"),
    output:
        **item_output("kovaleva2019", "table1"),
    log:
        "logs/papers/kovaleva2019/table1.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("kovaleva2019", "table1"),
        scored=scored_runs("kovaleva2019"),
        code=fingerprint("workflow/figures/kovaleva2019/table1.py"),
    message:
        "Draw kovaleva2019 table1"
    script:
        "../../figures/kovaleva2019/table1.py"
