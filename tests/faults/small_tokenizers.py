"""Small tokenizers of the usual families, learned from a few sentences."""

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

TEXT = [
    "The cat sat on the mat , and the dog ran away .",
    "A small bird sings in the old tree near the house .",
    "She gave him a book about the history of the town .",
    "They walked to the river because the weather was fine .",
    "No one knew where the old man had gone that night .",
    "The children played a game and the teacher watched them .",
    "He wrote a long letter , but he never sent it .",
    "My friend bought two red apples and one green pear .",
]
BERT = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}


def _learned(model, trainer, before, decoder, text):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer, tokenizer.decoder = before, decoder
    tokenizer.train_from_iterator(text, trainer)
    return tokenizer


def wordpiece(text=TEXT, **names):
    """BERT's: [CLS] A [SEP] B [SEP], with token types."""
    trainer = trainers.WordPieceTrainer(vocab_size=400, special_tokens=list(BERT.values()))
    before, decoder = pre_tokenizers.BertPreTokenizer(), decoders.WordPiece()
    own = _learned(models.WordPiece(unk_token="[UNK]"), trainer, before, decoder, text)
    own.normalizer = normalizers.BertNormalizer(lowercase=True)
    specials = [(name, own.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    own.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=specials
    )
    inputs = ["input_ids", "token_type_ids", "attention_mask"]
    return PreTrainedTokenizerFast(tokenizer_object=own, model_input_names=inputs, **BERT | names)


def byte_pairs(text=TEXT, bos=None, eos="<|endoftext|>", pad=None):
    """GPT-2's; with `bos` that of OPT, which puts it in front."""
    specials = list(dict.fromkeys(filter(None, [bos, eos, pad])))
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=500, special_tokens=specials, initial_alphabet=alphabet)
    before = pre_tokenizers.ByteLevel(add_prefix_space=False)
    own = _learned(models.BPE(), trainer, before, decoders.ByteLevel(), text)
    if bos:
        own.post_processor = processors.TemplateProcessing(
            single=f"{bos} $A", special_tokens=[(bos, own.token_to_id(bos))]
        )
    given = {"bos_token": bos, "eos_token": eos, "pad_token": pad}
    names = {name: token for name, token in given.items() if token}
    return PreTrainedTokenizerFast(tokenizer_object=own, **names)
