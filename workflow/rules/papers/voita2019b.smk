# Voita, Sennrich & Titov 2019b: one rule per item.


rule voita2019b:
    """Every item of Voita et al. 2019b (EMNLP), "The bottom-up evolution of representations", and its claims."""
    input:
        items("voita2019b"),


rule voita2019b_figure1:
    """Voita et al. 2019b, Figure 1: mutual information between a layer and the token that is read, by objective."""
    input:
        evolution=made_of(
            "results/representations/{run}.evolution.csv",
            with_untrained("voita2019b", "figure1"),
        ),
        published=tracked("config/published/voita2019b/figure1.csv"),
    output:
        **item_output("voita2019b", "figure1"),
    log:
        "logs/papers/voita2019b/figure1.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=with_untrained("voita2019b", "figure1"),
        code=fingerprint("workflow/figures/voita2019b/figure1.py"),
    message:
        "Draw voita2019b figure1"
    script:
        "../../figures/voita2019b/figure1.py"


rule voita2019b_figure2:
    """Voita et al. 2019b, Figure 2: mutual information with the token read and the token to be said, LM and MLM."""
    input:
        evolution=made_of(
            "results/representations/{run}.evolution.csv",
            runs_of("voita2019b", "figure2"),
        ),
        published=tracked("config/published/voita2019b/figure2.csv"),
    output:
        **item_output("voita2019b", "figure2"),
    log:
        "logs/papers/voita2019b/figure2.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019b", "figure2"),
        code=fingerprint("workflow/figures/voita2019b/figure2.py"),
    message:
        "Draw voita2019b figure2"
    script:
        "../../figures/voita2019b/figure2.py"


rule voita2019b_figure3:
    """Voita et al. 2019b, Figure 3: PWCCA distances between objectives, between seeds, and between layers."""
    input:
        distances=made_of(
            "results/representations/{corpus}.distances.csv",
            runs_of("voita2019b", "figure3"),
        ),
        published=tracked("config/published/voita2019b/figure3.csv"),
    output:
        **item_output("voita2019b", "figure3"),
    log:
        "logs/papers/voita2019b/figure3.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019b", "figure3"),
        code=fingerprint("workflow/figures/voita2019b/figure3.py"),
    message:
        "Draw voita2019b figure3"
    script:
        "../../figures/voita2019b/figure3.py"


rule voita2019b_figure4:
    """Voita et al. 2019b, Figure 4: how much layers change tokens, by frequency."""
    input:
        evolution=made_of(
            "results/representations/{run}.evolution.csv",
            with_untrained("voita2019b", "figure4"),
        ),
        published=tracked("config/published/voita2019b/figure4.csv"),
    output:
        **item_output("voita2019b", "figure4"),
    log:
        "logs/papers/voita2019b/figure4.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=with_untrained("voita2019b", "figure4"),
        code=fingerprint("workflow/figures/voita2019b/figure4.py"),
    message:
        "Draw voita2019b figure4"
    script:
        "../../figures/voita2019b/figure4.py"


rule voita2019b_figure5:
    """Voita et al. 2019b, Figure 5: how much tokens influence others, by frequency."""
    input:
        influence=made_of(
            "results/representations/{run}.influence.csv",
            runs_of("voita2019b", "figure5"),
        ),
        published=tracked("config/published/voita2019b/figure5.csv"),
    output:
        **item_output("voita2019b", "figure5"),
    log:
        "logs/papers/voita2019b/figure5.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019b", "figure5"),
        code=fingerprint("workflow/figures/voita2019b/figure5.py"),
    message:
        "Draw voita2019b figure5"
    script:
        "../../figures/voita2019b/figure5.py"


rule voita2019b_figure6:
    """Voita et al. 2019b, Figure 6: influence with a tenth of the tokens replaced in training."""
    input:
        influence=made_of(
            "results/representations/{run}.influence.csv",
            runs_of("voita2019b", "figure5") + runs_of("voita2019b", "figure6"),
        ),
        published=tracked("config/published/voita2019b/figure6.csv"),
    output:
        **item_output("voita2019b", "figure6"),
    log:
        "logs/papers/voita2019b/figure6.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019b", "figure5") + runs_of("voita2019b", "figure6"),
        code=fingerprint("workflow/figures/voita2019b/figure6.py"),
    message:
        "Draw voita2019b figure6"
    script:
        "../../figures/voita2019b/figure6.py"


rule voita2019b_figure7:
    """Voita et al. 2019b, Figure 7: change and influence by part of speech."""
    input:
        evolution=made_of(
            "results/representations/{run}.evolution.csv",
            runs_of("voita2019b", "figure7"),
        ),
        influence=made_of(
            "results/representations/{run}.influence.csv",
            runs_of("voita2019b", "figure7"),
        ),
    output:
        **item_output("voita2019b", "figure7"),
    log:
        "logs/papers/voita2019b/figure7.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019b", "figure7"),
        code=fingerprint("workflow/figures/voita2019b/figure7.py"),
    message:
        "Draw voita2019b figure7"
    script:
        "../../figures/voita2019b/figure7.py"


rule voita2019b_figure8:
    """Voita et al. 2019b, Figure 8: token identity among nearest neighbours, and forms of to be on a plane."""
    input:
        evolution=made_of(
            "results/representations/{run}.evolution.csv",
            with_untrained("voita2019b", "figure8"),
        ),
        points=made_of(
            "results/representations/{run}.points.csv",
            with_untrained("voita2019b", "figure8"),
        ),
        published=tracked("config/published/voita2019b/figure8.csv"),
    output:
        **item_output("voita2019b", "figure8"),
    log:
        "logs/papers/voita2019b/figure8.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=with_untrained("voita2019b", "figure8"),
        code=fingerprint("workflow/figures/voita2019b/figure8.py"),
    message:
        "Draw voita2019b figure8"
    script:
        "../../figures/voita2019b/figure8.py"


rule voita2019b_figure9:
    """Voita et al. 2019b, Figure 9: positions of nearest neighbours, and one word by its position."""
    input:
        evolution=made_of(
            "results/representations/{run}.evolution.csv",
            with_untrained("voita2019b", "figure9"),
        ),
        points=made_of(
            "results/representations/{run}.points.csv",
            with_untrained("voita2019b", "figure9"),
        ),
        published=tracked("config/published/voita2019b/figure9.csv"),
    output:
        **item_output("voita2019b", "figure9"),
    log:
        "logs/papers/voita2019b/figure9.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=with_untrained("voita2019b", "figure9"),
        code=fingerprint("workflow/figures/voita2019b/figure9.py"),
    message:
        "Draw voita2019b figure9"
    script:
        "../../figures/voita2019b/figure9.py"


rule voita2019b_figure10:
    """Voita et al. 2019b, Figure 10: same left and right neighbour among nearest neighbours."""
    input:
        evolution=made_of(
            "results/representations/{run}.evolution.csv",
            with_untrained("voita2019b", "figure10"),
        ),
        published=tracked("config/published/voita2019b/figure10.csv"),
    output:
        **item_output("voita2019b", "figure10"),
    log:
        "logs/papers/voita2019b/figure10.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=with_untrained("voita2019b", "figure10"),
        code=fingerprint("workflow/figures/voita2019b/figure10.py"),
    message:
        "Draw voita2019b figure10"
    script:
        "../../figures/voita2019b/figure10.py"


rule voita2019b_figure11:
    """Voita et al. 2019b, Figure 11: same CCG tag, and parts of it, among nearest neighbours."""
    input:
        evolution=made_of(
            "results/representations/{run}.evolution.csv",
            with_untrained("voita2019b", "figure11"),
        ),
        published=tracked("config/published/voita2019b/figure11.csv"),
    output:
        **item_output("voita2019b", "figure11"),
    log:
        "logs/papers/voita2019b/figure11.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=with_untrained("voita2019b", "figure11"),
        code=fingerprint("workflow/figures/voita2019b/figure11.py"),
    message:
        "Draw voita2019b figure11"
    script:
        "../../figures/voita2019b/figure11.py"


rule voita2019b_figure12:
    """Voita et al. 2019b, Figure 12: one word on a plane by its CCG tag."""
    input:
        points=made_of(
            "results/representations/{run}.points.csv",
            runs_of("voita2019b", "figure12"),
        ),
    output:
        **item_output("voita2019b", "figure12"),
    log:
        "logs/papers/voita2019b/figure12.log",
    conda:
        "../../../envs/headwork.yaml"
    params:
        runs=runs_of("voita2019b", "figure12"),
        code=fingerprint("workflow/figures/voita2019b/figure12.py"),
    message:
        "Draw voita2019b figure12"
    script:
        "../../figures/voita2019b/figure12.py"
