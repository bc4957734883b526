"""Model families: where each keeps its attentions, and all that only one of them needs.

registry    every supported family by its `model_type`, and the entry of a module
places      what an entry says: the attentions of a layer, how values are cut into heads, what else is special
albert      ALBERT, whose layers share their weights: one module is called once for each of them
bart        BART and its kind: Marian, Pegasus, mBART, M2M100 (NLLB), Whisper, and OPT, a decoder alone
bert        BERT and its kind: RoBERTa, XLM-RoBERTa, CamemBERT, ELECTRA
deberta_v2  DeBERTa-v2 and v3: disentangled attention, computed outside `transformers`' attention interface
distilbert  DistilBERT
gpt2        GPT-2: one projection makes queries, keys and values
gpt_neox    GPT-NeoX (Pythia): one projection, interleaved head by head
llama       Llama and its kind: Mistral, Qwen2, Qwen3, Gemma, Gemma 2, Phi; rotary positions, shared key-value heads
modernbert  ModernBERT: rotary positions, local and global layers
mpnet       MPNet: a position bias, computed outside `transformers`' attention interface
t5          T5 and mT5: a position bias, unscaled scores
vit         ViT: images
"""
