# How the files and parameters of a job that does the work of several rules follow from those of its parts.
from functools import cache

from snakemake.iocontainers import Wildcards

from headwork.plan.together import Together


@cache
def expanded(name, **of_part):
    """The rule of a part, its wildcards, and what it writes."""
    made_by, wildcards = workflow.get_rule(name), Wildcards(fromdict=of_part)
    return made_by, wildcards, made_by.expand_output(wildcards)[0]


def makes(name, of_part):
    """What a part writes, by paths that begin with <results>."""
    _, _, outputs = expanded(name, **of_part)
    return {str(file).replace(f"results/{config['scale']}", "<results>", 1) for file in outputs}


def written(parts):
    """What a job with these parts writes."""

    def marked(file):
        path = directory(str(file)) if "directory" in file.flags else str(file)
        return temp(path) if "temp" in file.flags else path

    return [marked(file) for name, of_part in parts for file in expanded(name, **of_part)[2]]


def needed(parts):
    """An input function: what these parts read, and none of them writes."""

    def files(_):
        found, own = {}, set()
        for name, of_part in parts:
            made_by, wildcards, outputs = expanded(name, **of_part)
            found |= dict.fromkeys(map(str, made_by.expand_input(wildcards)[0]))
            own |= set(map(str, outputs))
        return [file for file in found if file not in own]

    return files


def logs(parts):
    """The logs of these parts."""
    found = [expanded(name, **of_part) for name, of_part in parts]
    return [str(file) for made_by, wildcards, _ in found for file in made_by.expand_log(wildcards)]


def steps(parts):
    """A parameter function: what the script of each part gets (`headwork.together`)."""
    return lambda wildcards: [step(name, of_part) for name, of_part in parts]


def unrecorded(parts):
    """A parameter function: of each part the parameters that are not recorded, such as the function that it calls."""
    return lambda wildcards, input: [
        {param: value for param, value in params(name, of_part).items() if param in derived(name)}
        for name, of_part in parts
    ]


def derived(name):
    """Which parameters of a rule are functions of `input`, and so are not recorded by Snakemake."""
    return {
        param
        for param, value in workflow.get_rule(name).params.items()
        if callable(value) and "input" in inspect.signature(value).parameters
    }


def params(name, of_part):
    """The parameters of a part."""
    made_by, wildcards, outputs = expanded(name, **of_part)
    return made_by.expand_params(wildcards, made_by.expand_input(wildcards)[0], outputs, None)[0]


def step(name, of_part):
    """What a rule's script gets, by name, in plain types: Snakemake records it, and compares it with what it recorded."""
    made_by, wildcards, outputs = expanded(name, **of_part)
    inputs = made_by.expand_input(wildcards)[0]
    plain = {
        kind: {
            name: str(value) if isinstance(value, str) else list(map(str, value))
            for name, value in files.items()
        }
        for kind, files in (("input", inputs), ("output", outputs))
    }
    return {
        "script": os.path.relpath(ROOT / "workflow/scripts" / Path(made_by.script).name),
        "log": logs([(name, of_part)]),
        "wildcards": of_part,
        "rule": made_by.name,
        "params": {
            param: value for param, value in params(name, of_part).items() if param not in derived(name)
        },
        **plain,
    }
