"""Precision, and faster operations on a CPU.

devices          choice of device and precision, by the config and the machine
product_times    how long products in single precision and in bf16 take on this machine
bf16_products    linear layers with products in bf16 and all else in single precision, for training on a CPU
eight_bits       linear layers with weights and products in 8-bit integers
kernel_caches    a bound on the kernels that are kept for products in bf16 on a CPU
subnormals       subnormal numbers taken as 0 on a CPU
plain_attention  attention of separate operations, with a faster backward pass on a CPU than torch's fused one
dropout          dropout that takes four mask entries from every 64-bit random number
smoothed_loss    label-smoothed cross-entropy of rows of states, with the output projection in it
"""
