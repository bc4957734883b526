"""Models from a description in the config.

build           models from a description: Transformer encoder-decoders of two families for translation, and BERT
language_model  language models that read with the encoder of a translation model, and say what pieces are with a
                small head
masked_head     the masked-word head of an encoder: loaded with it, new on one that has none, or trained alone
"""
