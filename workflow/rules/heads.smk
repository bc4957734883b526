# What each head of a run does.
include: "inputs/heads.smk"


rule heads:
    """Every head's statistics in one pass over the analysis text, the functions they amount to, and examples."""
    input:
        unpack(analysis_files),
        **checkpoint_files("<results>/models/{run}"),
    output:
        statistics="<results>/heads/{run}.parquet",
        functions="<results>/heads/{run}.functions.csv",
        examples="<results>/heads/{run}.examples.json",
    log:
        "<logs>/heads/{run}.log",
    benchmark:
        "<benchmarks>/heads/{run}.tsv"
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        heads=config["heads"],
        device=config["device"],
        code=fingerprint("workflow/scripts/heads.py"),
    message:
        "Measure the heads of {wildcards.run}"
    script:
        "../scripts/heads.py"


rule segment_heads:
    """Every head of an encoder on segments of running text: surface, entropy, distances, norms, in one pass."""
    input:
        **encoder_files("<results>/models/{run}"),
        text=lambda wildcards: f"{text_of(wildcards)}/test.txt",
        frequencies="<results>/models/{run}/frequencies.parquet",
    output:
        statistics="<results>/heads/{run}.segments.parquet",
        chance="<results>/heads/{run}.chance.csv",
        correlations="<results>/heads/{run}.correlations.csv",
        tokens="<results>/heads/{run}.tokens.parquet",
        pairs="<results>/heads/{run}.pairs.csv",
        examples="<results>/heads/{run}.segments.json",
    log:
        "<logs>/heads/segments/{run}.log",
    benchmark:
        "<benchmarks>/heads/segments/{run}.tsv"
    wildcard_constraints:
        run=one_of(MASKED),
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        segments=config["segments"],
        device=config["device"],
        code=fingerprint("workflow/scripts/segment_heads.py"),
    message:
        "Measure the heads of {wildcards.run} on segments"
    script:
        "../scripts/segment_heads.py"


rule word_heads:
    """Every head of an encoder between words: syntactic heads and antecedents found, with examples."""
    input:
        unpack(word_files),
        **encoder_files("<results>/models/{run}"),
    output:
        statistics="<results>/heads/{run}.words.parquet",
        offsets="<results>/heads/{run}.offsets.csv",
        rules="<results>/heads/{run}.rules.csv",
        examples="<results>/heads/{run}.words.json",
    log:
        "<logs>/heads/words/{run}.log",
    benchmark:
        "<benchmarks>/heads/words/{run}.tsv"
    wildcard_constraints:
        run=one_of(MASKED),
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        words=config["words"],
        device=config["device"],
        code=fingerprint("workflow/scripts/word_heads.py"),
    message:
        "Measure the heads of {wildcards.run} between words"
    script:
        "../scripts/word_heads.py"


rule task_heads:
    """Every head of a fine-tuned run on its task's dev set: patterns, features, and what fine-tuning changed."""
    input:
        unpack(task_head_files),
        **encoder_files("<results>/models/{run}"),
    output:
        statistics="<results>/heads/{run}.task.parquet",
        examples="<results>/heads/{run}.task.json",
    log:
        "<logs>/heads/task/{run}.log",
    benchmark:
        "<benchmarks>/heads/task/{run}.tsv"
    wildcard_constraints:
        run=one_of(CLASSIFYING),
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        task=lambda wildcards: task_settings(wildcards.run),
        heads=config["task_heads"],
        device=config["device"],
        code=fingerprint("workflow/scripts/task_heads.py"),
    message:
        "Measure the heads of {wildcards.run} on its task"
    script:
        "../scripts/task_heads.py"


rule patterns:
    """Two classifiers of attention patterns, rules and a network, on maps of all fine-tuned runs of a study."""
    input:
        unpack(pattern_files),
        by_hand=config["patterns"].get("by_hand") or [],
    output:
        table="<results>/heads/{study}.patterns.csv",
        facts="<results>/heads/{study}.patterns.json",
    log:
        "<logs>/heads/patterns/{study}.log",
    benchmark:
        "<benchmarks>/heads/patterns/{study}.tsv"
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        runs=lambda wildcards: with_patterns(wildcards.study),
        patterns=config["patterns"],
        device=config["device"],
        code=fingerprint("workflow/scripts/patterns.py"),
    message:
        "Tell the patterns of attention maps of {wildcards.study} apart"
    script:
        "../scripts/patterns.py"


rule alignments:
    """A translation model's word alignments, by weights and by norms, and the norms of all its heads."""
    input:
        unpack(lambda wildcards: alignment_files(runs.loc[wildcards.run, "corpus"])),
        **checkpoint_files("<results>/models/{run}"),
    output:
        alignments="<results>/heads/{run}.alignments.parquet",
        norms="<results>/heads/{run}.norms.parquet",
        example="<results>/heads/{run}.alignment.json",
    log:
        "<logs>/heads/alignments/{run}.log",
    benchmark:
        "<benchmarks>/heads/alignments/{run}.tsv"
    wildcard_constraints:
        run=one_of(TRANSLATING),
    conda:
        "../../envs/headwork.yaml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        gold=lambda wildcards: config["corpora"][runs.loc[wildcards.run, "corpus"]][
            "alignments"
        ],
        alignments=config["alignments"],
        device=config["device"],
        code=fingerprint("workflow/scripts/alignments.py"),
    message:
        "Align with {wildcards.run}"
    script:
        "../scripts/alignments.py"


rule all_heads:
    """What items and claims read of every head."""
    input:
        read_from("heads"),
