# What attention and the vectors between layers know.


use rule heads as probes with:
    """Trees read off a run's attention by probes, and the controls they must be compared with."""
    input:
        unpack(of_job(annotated.probed_trees)),
        model=ENCODER,
        text=of_run("<results>/corpora/{corpus}/train.txt"),
    output:
        table="<results>/representations/{run}.probes.csv",
    pathvars:
        job="representations/probes/{run}",
    wildcard_constraints:
        run=one_of(scale.masked),
    params:
        **calls("probes", "headwork.representations.probes.dependency.probe_run"),
        settings=config["representations"]["probes"],
    message:
        "Probe the attention of {wildcards.run}"


rule plane:
    """A run's heads on a plane, by how differently they attend."""
    input:
        statistics="<results>/heads/{run}.segments.parquet",
    output:
        points="<results>/representations/{run}.plane.csv",
        facts="<results>/representations/{run}.plane.json",
    log:
        "<logs>/representations/plane/{run}.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("plane", "headwork.representations.projections.heads.plane_run"),
        settings=config["representations"]["plane"],
    message:
        "Lay the heads of {wildcards.run} on a plane"
    script:
        "../scripts/call.py"


rule analysed_text:
    """The sentences of a corpus whose tokens are looked at between layers, and what is known of their words."""
    input:
        unpack(of_job(annotated.analysed_files)),
    output:
        text=temp("<results>/states/{corpus}.txt"),
        words=temp("<results>/states/{corpus}.words.parquet"),
    log:
        "<logs>/representations/text/{corpus}.log",
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("analysed_text", "headwork.representations.states.analysed_text.text_run"),
        settings=config["representations"]["text"],
        annotated=lambda wildcards: bool(scale.domains(wildcards.corpus)),
    message:
        "Choose the sentences of {wildcards.corpus} whose tokens are looked at"
    script:
        "../scripts/call.py"


use rule heads as states with:
    """A run's hidden states on that text, after the embeddings and each layer; gone when they have been looked at."""
    input:
        model=ENCODER,
        text=of_run("<results>/states/{corpus}.txt"),
    output:
        states=temp(directory("<results>/states/{run}.{reading}")),
    pathvars:
        job="representations/states/{run}.{reading}",
    wildcard_constraints:
        reading="whole|masked",
    params:
        **calls("states", "headwork.representations.states.hidden_states.extract_run"),
        settings=config["representations"]["states"],
        masked=lambda wildcards: (
            config["representations"]["masked"] if wildcards.reading == "masked" else None
        ),
        also=config["representations"]["evolution"]["projections"]["forms"],
    message:
        "Extract the states of {wildcards.run} ({wildcards.reading})"


rule evolution:
    """What a run's layers know, change and keep: information, PWCCA, nearest neighbours, and words on a plane."""
    input:
        unpack(of_job(trained.states)),
        model="<results>/models/{run}/tokenizer.json",
        words=of_run("<results>/states/{corpus}.words.parquet"),
        train_text=of_run("<results>/corpora/{corpus}/train.source.txt"),
    output:
        table="<results>/representations/{run}.evolution.csv",
        points="<results>/representations/{run}.points.csv",
    log:
        "<logs>/representations/evolution/{run}.log",
    benchmark:
        "<benchmarks>/representations/evolution/{run}.tsv"
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("evolution", "headwork.representations.jobs.evolution.evolution_run"),
        settings=config["representations"]["evolution"],
    message:
        "Follow the representations of {wildcards.run} through its layers"
    script:
        "../scripts/call.py"


use rule heads as influence with:
    """How much tokens of each group influence the others of their sentence in each layer of a run."""
    input:
        model=ENCODER,
        states="<results>/states/{run}.whole",
        words=of_run("<results>/states/{corpus}.words.parquet"),
        train_text=of_run("<results>/corpora/{corpus}/train.source.txt"),
    output:
        table="<results>/representations/{run}.influence.csv",
    pathvars:
        job="representations/influence/{run}",
    params:
        **calls("influence", "headwork.representations.distances.influence.influence_run"),
        settings=config["representations"]["influence"],
        evolution={name: config["representations"]["evolution"][name] for name in ("variant", "groups")},
    message:
        "Measure what tokens do to others in {wildcards.run}"


rule layer_distances:
    """PWCCA distances between all models of a corpus that an item compares, and between the layers of each."""
    input:
        states=lambda wildcards: collect(
            "<results>/states/{run}.whole", run=studied.reading("distances", wildcards.corpus)
        ),
    output:
        table="<results>/representations/{corpus}.distances.csv",
    log:
        "<logs>/representations/distances/{corpus}.log",
    benchmark:
        "<benchmarks>/representations/distances/{corpus}.tsv"
    conda:
        "../../envs/headwork.yaml"
    params:
        **calls("layer_distances", "headwork.representations.distances.layer_distances.distances_run"),
        runs=of_job(studied.reading, table="distances"),
        settings=config["representations"]["distances"],
    message:
        "Compare the models of {wildcards.corpus} layer by layer"
    script:
        "../scripts/call.py"


use rule heads as induced_trees with:
    """Where each head of an encoder looks, and the trees that its maps induce on a treebank."""
    input:
        model=ENCODER,
        trees=lambda wildcards: annotated.treebank(wildcards.run)["dev"],
    output:
        table="<results>/representations/{run}.trees.parquet",
        baselines="<results>/representations/{run}.branching.csv",
    pathvars:
        job="representations/trees/{run}",
    wildcard_constraints:
        run=one_of([*scale.translating, *scale.masked]),
    params:
        **calls("induced_trees", "headwork.representations.geometry.induced_trees.tree_run"),
        settings=config["representations"]["trees"],
    message:
        "Induce trees from the heads of {wildcards.run}"


use rule heads as tags with:
    """What the layers of a frozen encoder know of parts of speech, chunks, entities and semantic tags."""
    input:
        unpack(of_job(annotated.labelled, probes="tags")),
        model=ENCODER,
    output:
        table="<results>/representations/{run}.tags.csv",
    pathvars:
        job="representations/tags/{run}",
    wildcard_constraints:
        run=one_of([*scale.translating, *scale.masked]),
    params:
        **calls("tags", "headwork.representations.probes.tagging.tag_run"),
        tasks=list(annotated.probing_tasks("tags")),
        settings=of_job(studied.tag_settings),
        states=config["representations"]["states"],
    message:
        "Probe the layers of {wildcards.run} for tags"


use rule heads as geometry with:
    """What a run's attention and states know of trees: attention probe, structural probe, and their controls."""
    input:
        unpack(of_job(annotated.probed_trees)),
        model=ENCODER,
    output:
        attention="<results>/representations/{run}.attention-probe.csv",
        relations="<results>/representations/{run}.attention-relations.csv",
        structural="<results>/representations/{run}.structural.csv",
        edges="<results>/representations/{run}.edges.csv",
        embeddings="<results>/representations/{run}.embeddings.csv",
        trees="<results>/representations/{run}.trees.json",
    pathvars:
        job="representations/geometry/{run}",
    wildcard_constraints:
        run=one_of(scale.masked),
    params:
        **calls("geometry", "headwork.representations.jobs.geometry.geometry_run"),
        settings=config["representations"]["geometry"],
    message:
        "Probe what {wildcards.run} knows of trees"


use rule heads as structural_probes with:
    """Trees and depths that structural probes read off a run's layers, by rank, and their baselines and control."""
    input:
        unpack(of_job(annotated.probed_trees)),
        model=ENCODER,
    output:
        table="<results>/representations/{run}.structural-probes.csv",
        examples="<results>/representations/{run}.spanning-trees.json",
    pathvars:
        job="representations/structural-probes/{run}",
    wildcard_constraints:
        run=one_of(scale.encoders),
    params:
        **calls("structural_probes", "headwork.representations.jobs.structural_probes.structural_run"),
        settings=config["representations"]["structural"],
    message:
        "Read trees off the layers of {wildcards.run}"


use rule heads as edge_probes with:
    """At which layers a run holds the labels of spans: edge probes of every task, with scalar mixing."""
    input:
        unpack(of_job(annotated.labelled, probes="edge_probes")),
        model=ENCODER,
    output:
        scores="<results>/representations/{run}.edge-probes.csv",
        layers="<results>/representations/{run}.edge-layers.csv",
        traces="<results>/representations/{run}.traces.json",
    pathvars:
        job="representations/edge-probes/{run}",
    wildcard_constraints:
        run=one_of(scale.encoders),
    params:
        **calls("edge_probes", "headwork.representations.jobs.edge_probes.edge_run"),
        tasks=list(annotated.probing_tasks("edge_probes")),
        settings=config["representations"]["edge_probes"],
    message:
        "Probe the layers of {wildcards.run} for labels of spans"


use rule heads as senses with:
    """What a run's states know of word senses: centroids, semantic probe, joined sentences, contexts on a plane."""
    input:
        unpack(of_job(annotated.sense_files)),
        model=ENCODER,
    output:
        senses="<results>/representations/{run}.senses.csv",
        semantic="<results>/representations/{run}.semantic.csv",
        concatenation="<results>/representations/{run}.concatenation.csv",
        contexts="<results>/representations/{run}.contexts.csv",
    pathvars:
        job="representations/senses/{run}",
    wildcard_constraints:
        run=one_of(scale.masked),
    params:
        **calls("senses", "headwork.representations.jobs.senses.sense_run"),
        sources=of_job(annotated.sense_settings),
        settings=config["representations"]["senses"],
    message:
        "Look for word senses in {wildcards.run}"


rule all_representations:
    """What items and claims read of attention maps and hidden states."""
    input:
        of_job(studied.read_of, phase="representations"),
