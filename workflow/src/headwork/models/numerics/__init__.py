"""Precision, and operations that are cheaper on a CPU.

devices          where to compute, and in which precision: what the config asks for and what the machine can do
bf16_products    linear layers whose products are taken in bf16 and all else in single precision, for training on a
                 CPU
plain_attention  attention of separate operations, for training on a CPU, where torch's fused attention is slow on
                 the way back
dropout          dropout that draws four masks' entries from every 64-bit random number
smoothed_loss    label-smoothed cross-entropy of rows of states, with the output projection in it
"""
