"""What a model loses without one of its heads (Michel et al. 2019, section 3.2; Voita et al. 2019, section 6).

    removal(head) = mean over texts of  ln p(gold answer) - ln p(gold answer | the head's output is zero)

in nats. For an encoder without an output layer the subject says what stands for ln p.
"""

from typing import Any

from tqdm.auto import tqdm

from headwork.heads.measure import IMPORTANCE, REMOVAL, Measure
from headwork.pruning.ranking import gates_without
from headwork.sites import Head


def lost_alone(seen: Any, settings: None) -> tuple[dict[Head, float], int]:
    """The loss without each head alone, and the number of texts."""
    subject, sites = seen.subject, seen.sites
    whole, _ = subject.likelihood({})
    heads = [site.head(number) for site, count in sites.items() for number in range(1, count + 1)]
    lost = {}
    for head in tqdm(heads, desc="removal", unit="head", disable=None):
        gates = gates_without({head.site: sites[head.site]}, [head])
        lost[head] = whole - subject.likelihood(gates)[0]
    return lost, sum(len(given.labels) for given in subject.judged)


# `headwork.pruning.jobs.measures` compares all others with it, and its tables call it `likelihood`.
LOST_ALONE = Measure(
    key="removal",
    name="loss without it",
    group=IMPORTANCE,
    says="Log-likelihood (nats) lost without the head, on a sample.",
    source="Michel et al. 2019, section 3.2",
    rides_on=REMOVAL,
    made_by=lost_alone,
)
