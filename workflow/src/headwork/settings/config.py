"""Config files: read, with overlays, and where in them a value stands."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from headwork.errors import InputError, SettingError, no_file
from headwork.settings.sentences import spelling

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same in C, ten times as fast
MOST = 1_000_000  # entries of one YAML file


def read_config(*paths: str | Path) -> dict[str, Any]:
    """The config of the first file with the others laid over it, key by key, as Snakemake merges them.

    Raises `InputError` as `read_yaml` does.
    """
    config: dict[str, Any] = {}
    for path in paths:
        _lay_over(config, read_yaml(Path(path)))
    return config


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping that a YAML file holds.

    Raises `InputError` for a file that is missing, is not UTF-8, is not YAML with keys at its top level, has a key
    twice, or has more than `MOST` entries once its aliases are expanded: 100 bytes can stand for a billion entries.
    """
    if not path.is_file():
        absent = f"no such config file; {spelling(path.name, _siblings(path))}"
        raise InputError.at(path, no_file(path, absent))
    try:
        text = path.read_text(encoding="utf-8")
        loader = LOADER(text)
        node = loader.get_single_node()
        entries = _entries(node, {})
        # before the merge keys of the nodes are expanded
        repeated = next(_repeated(node), None) if node and entries <= MOST else None
        settings = loader.construct_document(node) if node and entries <= MOST else None
    except UnicodeDecodeError as error:
        raise InputError.at(
            path, f"byte {error.start + 1} is not UTF-8; convert the file with iconv"
        ) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else None
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise InputError.at(path, f"the file is not valid YAML: {problem}", line) from error
    if entries > MOST:
        raise InputError.at(
            path, f"the aliases of the file stand for {entries:.0e} entries; write fewer than {MOST}"
        )
    if repeated:
        line = repeated.start_mark.line + 1
        raise InputError.at(path, f"the key '{repeated.value}' is there twice; remove one of them", line)
    if not isinstance(settings, dict):
        raise InputError.at(path, "the file has no keys at its top level; write `key: value` lines")
    return settings


def _entries(node: yaml.Node | None, known: dict[int, int | float]) -> int | float:
    """The number of entries of a YAML node with its aliases expanded; infinite if it contains itself."""
    if node is None or isinstance(node, yaml.ScalarNode):
        return 1
    if id(node) not in known:
        known[id(node)] = float("inf")
        parts = (
            node.value
            if isinstance(node, yaml.SequenceNode)
            else [part for pair in node.value for part in pair]
        )
        known[id(node)] = 1 + sum(_entries(part, known) for part in parts)
    return known[id(node)]


def _repeated(node: yaml.Node) -> Iterator[yaml.Node]:
    """The keys of a YAML node, or of a node below it, that its mapping has already: YAML would take the last."""
    if isinstance(node, yaml.MappingNode):
        known: set[str] = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in known:
                    yield key
                known.add(key.value)
            yield from _repeated(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _repeated(item)


def _siblings(path: Path) -> list[str]:
    """The config files in the folder of one that is not there."""
    return sorted(file.name for file in path.parent.glob("*.yaml")) if path.parent.is_dir() else []


def _lay_over(config: dict[str, Any], overlay: Mapping[str, Any]) -> None:
    for key, value in overlay.items():
        if isinstance(value, Mapping) and isinstance(config.get(key), dict):
            _lay_over(config[key], value)
        else:
            config[key] = value


def located(
    error: SettingError, paths: Sequence[str | Path], given: Mapping[str, Any] | None = None
) -> InputError:
    """The same error with file and line of the value in the config files `paths`, of which the last one counts.

    `given` are the settings of the command line, which count more. Unchanged if the value is nowhere: it reached the
    config through an alias.
    """
    if error.steps and error.steps[0] in (given or {}):
        return InputError(f"command line: {error.sentence}")
    places = [(*_place(error.steps, path), path) for path in reversed(paths)]
    depth, line, path = max(places, key=lambda place: place[0])
    if depth < len(error.steps):
        return error
    return InputError.at(path, error.sentence, line or None)


def _place(steps: Sequence[str | int], path: str | Path) -> tuple[int, int]:
    """How many of the steps the file has, and the line of the last of these."""
    node, line = yaml.compose(Path(path).read_text(encoding="utf-8"), LOADER), 0
    for depth, step in enumerate(steps):
        if isinstance(node, yaml.MappingNode):
            merged = [pair for key, value in node.value if key.value == "<<" for pair in value.value]
            found = [pair for pair in (*node.value, *merged) if pair[0].value == str(step)]
        else:
            found = [(item, item) for item in getattr(node, "value", [])[step : step + 1]]
        if not found:
            return depth, line
        (key, node), *_ = found
        line = key.start_mark.line + 1
    return len(steps), line
