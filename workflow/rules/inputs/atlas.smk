# How the inputs of atlas.smk are chosen: the files of the model and the text that the command names.
ASKED = ("model", "text", "pair", "task", "parser", "compare", "name")
MODEL_FILES = ("model.safetensors", "config.json", "tokenizer.json")


def atlas_name():
    """The folder of the page: the name that is given, or one made of the model's."""
    model = str(config.get("model") or "model").removeprefix("package:").rstrip("/")
    return config.get("name") or re.sub(r"[^\w.-]+", "-", Path(model).name)


ATLAS = atlas_name()


def dev_file(name, folder):
    """The dev set of a task, whose name may be written in any case."""
    task = {key.lower(): task for key, task in TASKS.items()}.get(name.lower())
    try:
        return str(task_file(folder, task or name, task.dev[0] if task else "dev"))
    except InputError as error:
        stop(error)


def asked_files(wildcards):
    """The files that the command names, so that a changed one makes the page anew; a fault says what to write."""
    asked = {key: config[key] for key in ASKED if config.get(key)}
    if "model" not in asked:
        stop(
            "an atlas is of a model: snakemake atlas --config model=FOLDER-OR-NAME text=FILE"
        )
    files = {
        f"{key}_files": [
            str(file)
            for name in MODEL_FILES
            if (file := Path(asked[key]) / name).is_file()
        ]
        for key in ("model", "compare")
        if key in asked
    }
    texts = [asked["text"]] if "text" in asked else asked.get("pair", "").split(",")
    if not asked.get("parser", "stanza:").startswith("stanza:"):
        texts.append(asked["parser"])
    texts = [path for path in texts if path]
    for path in texts:
        if not Path(path).is_file():
            stop(f"{path}: there is no such file; check the path")
    if "task" in asked:
        texts.append(dev_file(*asked["task"].split(":", 1)))
    return {**files, "text_files": texts}
