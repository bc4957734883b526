"""The command `headwork`. Each command imports what it needs when it is called, so that help takes no time."""

import os
import sys
import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from headwork.errors import InputError
from headwork.run.directional import escaped
from headwork.run.frame import cause_of
from headwork.settings.atlas import AtlasRequest, AtlasSettings
from headwork.settings.base import Settings, require

CONFIG = "config/config.yaml"
OVERLAYS = click.argument("overlays", metavar="[CONFIG]...", nargs=-1)


def main() -> None:
    """The console script: an `InputError` is one sentence, with exit code 1."""
    try:
        commands(prog_name="headwork")
    except InputError as error:
        sys.exit(escaped(str(error)))
    except Exception as error:
        traceback.print_exc()
        sys.exit(escaped(cause_of(error)))


@click.group()
@click.version_option(package_name="headwork")
def commands() -> None:
    """Analyses of Transformer attention heads.

    All commands but `atlas` work in a clone of headwork, on the scale that the CONFIG files, laid over
    config/config.yaml, describe.
    """


def options_of(
    settings: type[Settings], without: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """An option for each key of the settings, with its default and meaning."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        for name, field in reversed(settings.model_fields.items()):
            if name not in without:
                kind = type(field.default) if field.default is not None else str
                option = {"type": kind, "default": field.default, "show_default": field.default is not None}
                command = click.option(f"--{name.replace('_', '-')}", help=field.description, **option)(
                    command
                )
        return command

    return decorate


@commands.command()
@click.argument("model")
@click.argument("text", required=False)
@options_of(AtlasRequest, without=("model", "text"))
@options_of(AtlasSettings)
@click.option("--output", metavar="FOLDER", help="Folder of the page.  [default: results/atlas/NAME]")
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True)
def atlas(output: str | None, device: str, **keys: Any) -> None:
    """What each attention head of a model does, as one HTML page.

    MODEL is a folder, a name on the hub, or package:NAME==VERSION. TEXT is a file with one sentence per line, plain or
    compressed, or CoNLL-U with trees; without it, synthetic English with gold trees is used.
    """
    from headwork.plan.asked import asked_files, atlas_name
    from headwork.run.frame import Files

    asked, settings = (
        kind.read({name: keys[name] for name in kind.model_fields}, "headwork atlas")
        for kind in (AtlasRequest, AtlasSettings)
    )
    folder = Path(output or f"results/atlas/{atlas_name(asked)}")
    _check_writable(folder)
    files = asked_files(asked, folder)

    from headwork.head_atlas.job import write_atlas

    page = folder / "atlas.html"
    write_atlas(Files(**files), Files(page=page), asked, settings, device)
    click.echo(page)


@commands.command()
@OVERLAYS
def progress(overlays: Sequence[str]) -> None:
    """How far the trainings of a scale are, also while they run."""
    from headwork.models.jobs.progress import progress, summary

    config, runs, _ = _scale(overlays)
    scale = config["scale"]
    table = progress(runs, config["recipes"], f"results/{scale}/models", f".checkpoints/{scale}")
    click.echo(summary(table))


@commands.command()
@OVERLAYS
@click.option("--data", default=os.environ.get("HEADWORK_DATA"), metavar="FOLDER", help="The data folder.")
def data(overlays: Sequence[str], data: str | None) -> None:
    """The files that a data folder lacks (exit code 1 if any), and the items that can be made all the same."""
    from headwork.studies.data_folder import report

    config, runs, studies = _scale(overlays)
    lines, complete = report(studies, config, runs, data or config["data"])
    click.echo("\n".join(lines))
    sys.exit(0 if complete else 1)


@commands.command()
@OVERLAYS
def estimate(overlays: Sequence[str]) -> None:
    """Days that a scale takes on nodes of one GPU each: Snakemake's plan of its jobs, simulated."""
    from headwork.models.jobs.cluster import days

    config, runs, _ = _scale(overlays)
    click.echo(days(config, runs, overlays).to_string(index=False, float_format=lambda value: f"{value:.2f}"))


@commands.command()
@click.argument("what", type=click.Choice(["keep", "use"]))
def records(what: str) -> None:
    """Keep Snakemake's records of published files beside the results, or use those that were pulled."""
    from headwork.run.records import keep, use

    _check_clone()
    click.echo(f"{keep() if what == 'keep' else use()} records")


def _scale(overlays: Sequence[str]) -> tuple[Mapping[str, Any], list[dict[str, Any]], Mapping[str, Any]]:
    """The config of a scale, the rows of its run sheets, and the studies, all checked."""
    _check_clone()

    from headwork.plan.checks import checked
    from headwork.settings.config import read_config

    files = [CONFIG, *overlays]
    config = read_config(*files)
    runs, studies = checked(config, Path("."), files)
    return config, runs.to_dict("records"), studies


def _check_clone() -> None:
    require(
        Path(CONFIG).is_file(), f"{CONFIG}: there is no such file; run this command in a clone of headwork"
    )


def _check_writable(folder: Path) -> None:
    """Raise `InputError` unless the folder is there, or can be made, and can be written to."""
    place = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    require(place.is_dir(), f"{place}: this is a file; name a folder")
    require(os.access(place, os.W_OK), f"{place}: this folder cannot be written to; name another")
