"""Maps and texts that tests of head statistics make by hand, and what a statistic makes of them."""

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing
from transformers import PreTrainedTokenizerFast

from headwork.heads.streaming.batches import Side
from headwork.heads.streaming.site_weights import Look
from headwork.lens.attention import Attended
from headwork.sites import Site


def look(statistic, maps, batch, kind="encoder", layer=1):
    """Show the statistic, which has seen the batch, the maps (batch, head, query, key) of one site."""
    shown = Look(Attended(Site(kind, layer), slice(0, len(maps)), maps, torch.zeros(1, 1, 1, 1)), batch)
    statistic.update(shown.site, *(reduction(shown) for reduction in statistic.reductions))


def table_of(statistic, maps, batch, kind="encoder", layer=1):
    """The statistic's table after one look."""
    statistic.start(batch)
    look(statistic, maps, batch, kind, layer)
    return statistic.table()


def side_of_ids(ids, last_mark=2):
    """A side of words of one piece each; id 0 is padding, ids up to `last_mark` are special pieces."""
    real = ids > last_mark
    return Side(ids, ids != 0, real, (real.cumsum(1) - 1).where(real, -1))


def ending_tokenizer(words, splitting=None):
    """A tokenizer of whole words that ends a text with </s> (1), as those of translation models do."""
    numbers = {piece: number for number, piece in enumerate(["<pad>", "</s>", "<unk>", *words])}
    backend = Tokenizer(WordLevel(numbers, "<unk>"))
    backend.pre_tokenizer = splitting or WhitespaceSplit()
    backend.post_processor = TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    names = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=backend, **names)
