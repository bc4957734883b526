"""Tables in the form that items and claims need.

accuracies            the best head for each relation and direction against its positional baseline
sweeps                pruning sweeps
behaviours            main behaviour of each head, by thresholds on its statistics
encoders              encoders and alignments, for clark2019 and kobayashi2020
translation_encoders  attention positions, induced trees and tagging probes, for raganato2018
tasks                 fine-tuned runs, for kovaleva2019
attributions          attribution, for hao2021
probing               structural probes and edge probes, for hewitt2019 and tenney2019
measures              importance measures against head ablation: rank correlations and areas under pruning curves
"""
