"""Measures of the removal pass, and the measures of importance that are compared with head ablation.

    attribution     E_x max_ij Attr_h[i, j]                              Hao et al. 2021
    taylor          E_x |Σ_ij A_h[i, j] ∂L/∂A_h[i, j]|                  Hao et al. 2021
    taylor-context  E_x Σ_i |⟨c_h[i], ∂L/∂c_h[i]⟩|                     Michel et al. 2019
    relevance       E_x |⟨c_h, rel⟩| / Σ_h |⟨c_h, rel⟩|, AttnLRP        Voita et al. 2019; Achtibat et al. 2024
    confidence      E_x mean over queries of max_j A_h[i, j]             Voita et al. 2019
    attention       E_x max_ij A_h[i, j]
    norm            E_x mean over queries of ‖W_O c_h[i]‖                Kobayashi et al. 2020
    gates           log_a of an L0 gate, learned on the frozen model     Voita et al. 2019; Louizos et al. 2018

E_x is the mean over texts x.
"""

from headwork.heads.measure import Measure
from headwork.heads.statistics.confidence import CONFIDENCE
from headwork.pruning.gates_on_frozen import GATES
from headwork.pruning.removal import LOST_ALONE
from headwork.relevance.attributions.importance import ATTENTION, ATTRIBUTION, TAYLOR, TAYLOR_CONTEXT
from headwork.relevance.output_norms import OUTPUT_NORM
from headwork.relevance.propagation.attn_lrp import RELEVANCE

MEASURES: tuple[Measure, ...] = (LOST_ALONE, GATES)
# in the order of the tables of `headwork.pruning.jobs.measures`
COMPARED: tuple[Measure, ...] = (
    *(ATTRIBUTION, TAYLOR, TAYLOR_CONTEXT, RELEVANCE, CONFIDENCE, ATTENTION, OUTPUT_NORM, GATES),
)
