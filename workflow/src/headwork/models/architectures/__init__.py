"""Models from a description in the config.

build           models from a description: Transformer encoder-decoders of two families for translation, and BERT
language_model  language models with the encoder of a translation model and a small head
marian_ssru     a Transformer encoder with a decoder whose self-attention is a recurrent unit
masked_head     the masked-language-modelling head of an encoder: loaded, new, or trained alone
"""
