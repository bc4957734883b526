"""How much tokens of each group influence the others in one run, from its states on disk: see `influence`."""

from headwork.lens.layers import Layers
from headwork.models.loading import hub
from headwork.representations.distances.influence import influences
from headwork.representations.jobs.evolution import grouped
from headwork.representations.states.hidden_states import States, reader_of
from headwork.run.frame import Files, folder_of
from headwork.run.outputs import read_parquet, write_table
from headwork.settings.representations import Evolution, Influence


def influence_run(
    input: Files, output: Files, settings: Influence, evolution: Evolution, device: str = "cpu"
) -> None:
    """Measure influence for the groups, and by the variant of PWCCA, of the settings `evolution`.

    `input`: model (its files), states (a folder), words (parquet: the text's words), train_text (the text on which
    pieces are counted). `output`: table (csv: `change.COLUMNS`). Raises InputError for too few tokens, with the
    numbers.
    """
    folder = folder_of(input.model)
    model, _ = hub.load(folder)
    layers = Layers(reader_of(model.to(device)))
    states = States(input.states)
    _, groups = grouped(folder, states, read_parquet(input.words), input.train_text, evolution.groups)
    later = settings.others == "later" and layers.causal
    table = influences(
        layers, states, groups, settings.tokens, evolution.variant, settings.seed, later, settings.batch
    )
    write_table(output.table, table)
