"""Items drawn on made-up tables: the script is run as Python, without Snakemake."""

import importlib.util

import pytest
from headwork.papers.published import read_published


@pytest.fixture
def item(root):
    """Runs one item's `draw` on tables, with the repository's published numbers of that name, if given."""

    def draw(name, *tables, published=None, study="voita2019", **more):
        path = root / f"workflow/figures/{study}/{name}.py"
        spec = importlib.util.spec_from_file_location(f"{study}_{name}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        if published:
            file = root / f"config/published/{study}/{published}.csv"
            tables += (read_published(file, module.KEYS),)
        return module.draw(*tables, **more)

    return draw
