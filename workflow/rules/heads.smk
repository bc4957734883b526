# What each head of a run does. Rules that measure a run are made from `heads`: on the config's device, by one function.
# Each names the place of its log and its benchmark, `<job>`.


rule heads:
    """Every head's statistics in one pass over the analysis text, each head's functions, and examples."""
    input:
        unpack(of_job(trained.analysis_files)),
        model=TRANSLATOR,
    output:
        statistics="<results>/heads/{run}.parquet",
        functions="<results>/heads/{run}.functions.csv",
        examples="<results>/heads/{run}.examples.json",
    log:
        "<logs>/<job>.log",
    benchmark:
        "<benchmarks>/<job>.tsv"
    pathvars:
        job="heads/{run}",
    conda:
        "../../envs/headwork.yaml"
    resources:
        gpu=GPU,
    params:
        **calls("heads", "headwork.heads.jobs.translation_heads.measure_run"),
        settings=config["heads"],
        device=device,
    message:
        "Measure the heads of {wildcards.run}"
    script:
        "../scripts/call.py"


use rule heads as head_curve with:
    """Functions of a translation model's heads against updates: after each snapshot of its weights, and at the end."""
    input:
        unpack(of_job(trained.analysis_files)),
        model=TRANSLATOR,
        history="<results>/models/{run}/history.csv",
        snapshots=of_job(trained.snapshots),
    output:
        curve="<results>/heads/{run}.curve.csv",
    pathvars:
        job="heads/curve/{run}",
    wildcard_constraints:
        run=one_of(scale.whole),
    params:
        **calls("head_curve", "headwork.heads.jobs.head_curve.measure_curve"),
    message:
        "Measure the heads of {wildcards.run} during training"


use rule heads as segment_heads with:
    """Every head of an encoder on segments of running text: surface, entropy, distances, norms, in one pass."""
    input:
        model=ENCODER,
        text=of_run("<results>/corpora/{corpus}/test.txt"),
        frequencies="<results>/models/{run}/frequencies.parquet",
    output:
        statistics="<results>/heads/{run}.segments.parquet",
        chance="<results>/heads/{run}.chance.csv",
        correlations="<results>/heads/{run}.correlations.csv",
        tokens="<results>/heads/{run}.tokens.parquet",
        pairs="<results>/heads/{run}.pairs.csv",
        examples="<results>/heads/{run}.segments.json",
    pathvars:
        job="heads/segments/{run}",
    wildcard_constraints:
        run=one_of(scale.masked),
    params:
        **calls("segment_heads", "headwork.heads.jobs.segment_heads.measure_segments"),
        settings=config["segments"],
    message:
        "Measure the heads of {wildcards.run} on segments"


use rule heads as word_heads with:
    """Word-level attention of an encoder's heads: dependency relations and coreference, with examples."""
    input:
        unpack(of_job(annotated.word_files)),
        model=ENCODER,
    output:
        statistics="<results>/heads/{run}.words.parquet",
        offsets="<results>/heads/{run}.offsets.csv",
        rules="<results>/heads/{run}.rules.csv",
        examples="<results>/heads/{run}.words.json",
    pathvars:
        job="heads/words/{run}",
    wildcard_constraints:
        run=one_of(scale.masked),
    params:
        **calls("word_heads", "headwork.heads.jobs.word_heads.measure_words"),
        settings=config["words"],
    message:
        "Measure word-level attention of {wildcards.run}"


use rule heads as task_heads with:
    """Every head of a fine-tuned run on its task's dev set: patterns, features, and what fine-tuning changed."""
    input:
        unpack(of_job(trained.task_head_files)),
        model=ENCODER,
    output:
        statistics="<results>/heads/{run}.task.parquet",
        examples="<results>/heads/{run}.task.json",
    pathvars:
        job="heads/task/{run}",
    wildcard_constraints:
        run=one_of(scale.classifying),
    params:
        **calls("task_heads", "headwork.heads.jobs.task_heads.measure_task"),
        task=of_job(scale.task_settings),
        settings=config["task_heads"],
    message:
        "Measure the heads of {wildcards.run} on its task"


use rule heads as patterns with:
    """Two classifiers of attention patterns, rules and a network, on maps of all fine-tuned runs of a study."""
    input:
        unpack(of_job(studied.pattern_files)),
        by_hand=config["patterns"].get("by_hand") or [],
    output:
        table="<results>/heads/{study}.patterns.csv",
        facts="<results>/heads/{study}.patterns.json",
    pathvars:
        job="heads/patterns/{study}",
    params:
        **calls("patterns", "headwork.heads.jobs.patterns.classify_maps"),
        runs=of_job(studied.with_patterns),
        settings=config["patterns"],
    message:
        "Classify attention patterns of {wildcards.study}"


use rule heads as alignments with:
    """A translation model's word alignments, by weights and by norms, and the norms of all its heads."""
    input:
        unpack(of_job(annotated.alignments)),
        model=TRANSLATOR,
    output:
        alignments="<results>/heads/{run}.alignments.parquet",
        norms="<results>/heads/{run}.norms.parquet",
        example="<results>/heads/{run}.alignment.json",
    pathvars:
        job="heads/alignments/{run}",
    wildcard_constraints:
        run=one_of(scale.translating),
    params:
        **calls("alignments", "headwork.heads.jobs.alignments.align_run"),
        gold=setting("corpora", "alignments"),
        settings=config["alignments"],
    message:
        "Align with {wildcards.run}"


rule all_heads:
    """Statistics and functions of heads that items and claims read."""
    input:
        of_job(studied.read_of, phase="heads"),
