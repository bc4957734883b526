# Voita et al. 2019: one rule per item.


rule voita2019:
    """Every item of Voita et al. 2019 (ACL), "Analyzing multi-head self-attention", and its claims."""
    input:
        items("voita2019"),


rule voita2019_figure1:
    """Voita et al. 2019, Figure 1: relevance, confidence and functions of every encoder head, subtitles EN-RU."""
    input:
        functions=made_of(
            "results/heads/{run}.functions.csv", runs_of("voita2019", "figure1")
        ),
        statistics=made_of(
            "results/heads/{run}.parquet", runs_of("voita2019", "figure1")
        ),
        relevance=made_of(
            "results/relevance/{run}.parquet", runs_of("voita2019", "figure1")
        ),
        published=tracked("config/published/voita2019/figure1.csv"),
    output:
        **item_output("voita2019", "figure1"),
    log:
        "logs/papers/voita2019/figure1.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019", "figure1"),
        code=fingerprint("workflow/figures/voita2019/figure1.py"),
    message:
        "Draw voita2019 figure1"
    script:
        "../../figures/voita2019/figure1.py"


rule voita2019_figure2:
    """Voita et al. 2019, Figure 2: relevance and functions of the encoder heads, EN-DE and EN-FR."""
    input:
        functions=made_of(
            "results/heads/{run}.functions.csv", runs_of("voita2019", "figure2")
        ),
        relevance=made_of(
            "results/relevance/{run}.parquet", runs_of("voita2019", "figure2")
        ),
        published=tracked("config/published/voita2019/figure2.csv"),
    output:
        **item_output("voita2019", "figure2"),
    log:
        "logs/papers/voita2019/figure2.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019", "figure2"),
        code=fingerprint("workflow/figures/voita2019/figure2.py"),
    message:
        "Draw voita2019 figure2"
    script:
        "../../figures/voita2019/figure2.py"


rule voita2019_figure3:
    """Voita et al. 2019, Figure 3: where the dependent of each relation stands relative to its head."""
    input:
        relations=made_of(
            "results/parses/{corpus}/{split}.relations.csv",
            runs_of("voita2019", "figure3"),
        ),
        published=tracked("config/published/voita2019/table1.csv"),
    output:
        **item_output("voita2019", "figure3"),
    log:
        "logs/papers/voita2019/figure3.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019", "figure3"),
        code=fingerprint("workflow/figures/voita2019/figure3.py"),
    message:
        "Draw voita2019 figure3"
    script:
        "../../figures/voita2019/figure3.py"


rule voita2019_table1:
    """Voita et al. 2019, Table 1: best head for each relation and direction against the positional baseline."""
    input:
        functions=made_of(
            "results/heads/{run}.functions.csv", runs_of("voita2019", "table1")
        ),
        persons=made_of(
            "results/parses/{corpus}/{split}.persons.csv",
            runs_of("voita2019", "table1"),
        ),
        scores=made_of(
            "results/models/{run}/scores.json", runs_of("voita2019", "table1")
        ),
        published=tracked("config/published/voita2019/table1.csv"),
    output:
        **item_output("voita2019", "table1"),
    log:
        "logs/papers/voita2019/table1.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019", "table1"),
        code=fingerprint("workflow/figures/voita2019/table1.py"),
    message:
        "Draw voita2019 table1"
    script:
        "../../figures/voita2019/table1.py"


rule voita2019_figure4:
    """Voita et al. 2019, Figure 4: the same accuracies for every language pair."""
    input:
        functions=made_of(
            "results/heads/{run}.functions.csv", runs_of("voita2019", "figure4")
        ),
        published=tracked("config/published/voita2019/table1.csv"),
    output:
        **item_output("voita2019", "figure4"),
    log:
        "logs/papers/voita2019/figure4.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019", "figure4"),
        code=fingerprint("workflow/figures/voita2019/figure4.py"),
    message:
        "Draw voita2019 figure4"
    script:
        "../../figures/voita2019/figure4.py"


rule voita2019_figure5:
    """Voita et al. 2019, Figure 5: attention maps of the rare-token head in every language pair."""
    input:
        functions=made_of(
            "results/heads/{run}.functions.csv", runs_of("voita2019", "figure5")
        ),
        examples=made_of(
            "results/heads/{run}.examples.json", runs_of("voita2019", "figure5")
        ),
    output:
        **item_output("voita2019", "figure5"),
    log:
        "logs/papers/voita2019/figure5.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019", "figure5"),
        code=fingerprint("workflow/figures/voita2019/figure5.py"),
    message:
        "Draw voita2019 figure5"
    script:
        "../../figures/voita2019/figure5.py"


rule voita2019_figure6:
    """Voita et al. 2019, Figure 6: densities of the Concrete and the Hard Concrete distribution."""
    input:
        published=tracked("config/published/voita2019/figure6.csv"),
    output:
        **item_output("voita2019", "figure6"),
    log:
        "logs/papers/voita2019/figure6.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        code=fingerprint("workflow/figures/voita2019/figure6.py"),
    message:
        "Draw voita2019 figure6"
    script:
        "../../figures/voita2019/figure6.py"


rule voita2019_figure7:
    """Voita et al. 2019, Figure 7: BLEU against the encoder heads that pruning keeps, news and subtitles."""
    input:
        runs="results/pruning/voita2019.runs.csv",
        heads="results/pruning/voita2019.heads.csv",
        published=tracked("config/published/voita2019/figure7.csv"),
    output:
        **item_output("voita2019", "figure7"),
    log:
        "logs/papers/voita2019/figure7.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019", "figure7"),
        code=fingerprint("workflow/figures/voita2019/figure7.py"),
    message:
        "Draw voita2019 figure7"
    script:
        "../../figures/voita2019/figure7.py"


rule voita2019_figure8:
    """Voita et al. 2019, Figure 8: functions of the encoder heads that pruning keeps, subtitles EN-RU."""
    input:
        functions=made_of(
            "results/heads/{run}.functions.csv", sweep_of("voita2019", "figure8")
        ),
        gates=made_of(
            "results/models/{run}/gates.csv",
            sweep_of("voita2019", "figure8", ["gates"]),
        ),
        published=tracked("config/published/voita2019/figure8.csv"),
    output:
        **item_output("voita2019", "figure8"),
    log:
        "logs/papers/voita2019/figure8.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        sweep=sweep_of("voita2019", "figure8"),
        code=fingerprint("workflow/figures/voita2019/figure8.py"),
    message:
        "Draw voita2019 figure8"
    script:
        "../../figures/voita2019/figure8.py"


rule voita2019_table2:
    """Voita et al. 2019, Table 2: BLEU of models pruned in all attentions, from the trained model and from scratch with the same heads."""
    input:
        runs="results/pruning/voita2019.runs.csv",
        heads="results/pruning/voita2019.heads.csv",
        published=tracked("config/published/voita2019/table2.csv"),
    output:
        **item_output("voita2019", "table2"),
    log:
        "logs/papers/voita2019/table2.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019", "table2"),
        code=fingerprint("workflow/figures/voita2019/table2.py"),
    message:
        "Draw voita2019 table2"
    script:
        "../../figures/voita2019/table2.py"


rule voita2019_figure9:
    """Voita et al. 2019, Figure 9: heads kept of each kind of attention against heads pruned, news and subtitles."""
    input:
        runs="results/pruning/voita2019.runs.csv",
        heads="results/pruning/voita2019.heads.csv",
        published=tracked("config/published/voita2019/figure9.csv"),
    output:
        **item_output("voita2019", "figure9"),
    log:
        "logs/papers/voita2019/figure9.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019", "figure9"),
        code=fingerprint("workflow/figures/voita2019/figure9.py"),
    message:
        "Draw voita2019 figure9"
    script:
        "../../figures/voita2019/figure9.py"


rule voita2019_figure10:
    """Voita et al. 2019, Figure 10: decoder heads kept in each pair of layers against heads pruned, news EN-RU."""
    input:
        runs="results/pruning/voita2019.runs.csv",
        heads="results/pruning/voita2019.heads.csv",
        published=tracked("config/published/voita2019/figure10.csv"),
    output:
        **item_output("voita2019", "figure10"),
    log:
        "logs/papers/voita2019/figure10.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019", "figure10"),
        code=fingerprint("workflow/figures/voita2019/figure10.py"),
    message:
        "Draw voita2019 figure10"
    script:
        "../../figures/voita2019/figure10.py"
