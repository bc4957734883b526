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
    """A run's heads embedded in the plane by the distances between their attention."""
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
        "Embed the heads of {wildcards.run} in the plane"
    script:
        "../scripts/call.py"


rule analysed_text:
    """The sentences of a corpus whose hidden states are analysed, and the annotation of their words."""
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
        "Choose the sentences of {wildcards.corpus} to analyse"
    script:
        "../scripts/call.py"


use rule heads as states with:
    """A run's hidden states on that text, after the embeddings and each layer; removed after the analyses."""
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
    """Evolution of a run's representations: mutual information, PWCCA, nearest neighbours, and t-SNE of words."""
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
    """Influence of tokens of each group on the others of their sentence, by layer."""
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
        "Measure the influence of tokens in {wildcards.run}"


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
    """Target positions of an encoder's heads, and the trees that their maps induce on a treebank."""
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
    """Tagging probes on the layers of a frozen encoder: parts of speech, chunks, entities, semantic tags."""
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
    """Syntax in attention and hidden states: attention probe, structural probe, and their controls."""
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
        "Probe {wildcards.run} for syntax"


use rule heads as structural_probes with:
    """Structural probes of distance and depth on a run's layers, by rank, with baselines and a control."""
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
        "Train structural probes on {wildcards.run}"


use rule heads as edge_probes with:
    """Edge probes of every task on a run's layers, with scalar mixing."""
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
    """Word senses in hidden states: centroids, semantic probe, concatenated sentences, projection of contexts."""
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
    """Tables of probes and hidden states that items and claims read."""
    input:
        of_job(studied.read_of, phase="representations"),
