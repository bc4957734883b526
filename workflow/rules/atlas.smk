# The head atlas of one's own model: snakemake atlas --config model=... text=...
import re

from headwork.corpora.annotated.glue import task_file

ASKED = ("model", "text", "pair", "task", "parser", "compare", "name")
MODEL_FILES = ("model.safetensors", "config.json", "tokenizer.json")
# the folder of the page: the name that is given, or one made of the model's
ATLAS = config.get("name") or re.sub(
    r"[^\w.-]+", "-", Path(str(config.get("model") or "model").removeprefix("package:").rstrip("/")).name
)


def dev_file(name, folder):
    """The dev set of a task, whose name may be written in any case."""
    task = {key.lower(): task for key, task in TASKS.items()}.get(name.lower())
    return str(task_file(folder, task or name, task.dev[0] if task else "dev"))


def asked_files():
    """The files that the command names, so that a changed one makes the page anew; a fault says what to write."""
    asked = {key: config[key] for key in ASKED if config.get(key)}
    if "model" not in asked:
        raise InputError("an atlas is of a model: snakemake atlas --config model=FOLDER-OR-NAME text=FILE")
    texts = [asked["text"]] if "text" in asked else asked.get("pair", "").split(",")
    if not asked.get("parser", "stanza:").startswith("stanza:"):
        texts.append(asked["parser"])
    texts = [path for path in texts if path]
    for path in texts:
        if not Path(path).is_file():
            raise InputError(f"{path}: there is no such file; check the path")
    if "task" in asked:
        texts.append(dev_file(*asked["task"].split(":", 1)))
    models = {f"{key}_files": Path(asked[key]) for key in ("model", "compare") if key in asked}
    files = {key: [folder / name for name in MODEL_FILES] for key, folder in models.items()}
    files = {key: [str(file) for file in paths if file.is_file()] for key, paths in files.items()}
    return {**files, "text_files": texts}


rule atlas:
    """What each head of any model does: results/atlas/<name>/atlas.html, from --config model=... and text=..."""
    input:
        unpack(of_job(asked_files)),
    output:
        page=f"results/atlas/{ATLAS}/atlas.html",
    log:
        f"logs/atlas/{ATLAS}.log",
    benchmark:
        f"benchmarks/atlas/{ATLAS}.tsv"
    conda:
        "../../envs/headwork.yaml"
    threads: 2
    resources:
        gpu=GPU,
    params:
        **calls("headwork.head_atlas.job.write_atlas"),
        asked={key: config.get(key) for key in ASKED},
        settings=config.get("atlas", {}),
        device=config["device"],
    message:
        f"Make the head atlas {ATLAS}"
    script:
        "../scripts/job.py"
