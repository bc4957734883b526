"""A small folder of results for tests of the gallery: two items of clark2019, one table of the synthesis, claims."""

import base64
import json
from pathlib import Path

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="460pt" height="200pt"><text y="20">x</text></svg>'
SCRIPT = "<script>window.broken = true</script>"
LONG = "results/miniature/" + "representations-of-a-long-name/" * 3 + "bert.parquet"

# study, origin, claim, published, ours, low, high, n, verdict, source, note
CLAIMS = [
    ("paper", "A claim of the paper that holds.", "0.9", "0.91", "0.90", "0.92", 7837, "holds", "N", SCRIPT),
    ("paper", "A claim of the paper that fails.", "0.5", "0.1", "", "", 40, "does not hold", "F", ""),
    ("control", "A control that fails.", "", "0.2", "0.1", "0.3", 9, "does not hold", "", "encoder 1-1"),
    ("paper", "A claim without a model.", "", "", "", "", 0, "cannot be tested at this scale", "", "no run"),
]
MEASURES = """run,domain,label,measure,area_score,area_likelihood,high_likelihood,high_score,low_likelihood,low_score,\
rho_likelihood,rho_score
mt,news,en-karvan,confidence,0.4,0.5,0.9,0.9,0.1,0.2,0.55,0.66
mt,news,en-karvan,attribution,0.6,0.7,0.9,0.9,0.1,0.2,0.77,0.88
mt,news,en-karvan,random,0.2,0.3,,,,,,
"""


def write_item(folder: Path, item: str, csv: str = "layer,value\n1,0.5\n") -> None:
    """The three files of an item in results/<scale>/studies/<study>."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{item}.svg").write_text(SVG)
    (folder / f"{item}.pdf").write_bytes(b"%PDF-1.4")
    (folder / f"{item}.csv").write_text(csv)


def write_claims(folder: Path, sentences: dict[str, str]) -> None:
    """claims.csv with the rows of `CLAIMS`; `sentences` replaces some of their sentences."""
    header = "study,origin,claim,published,ours,low,high,n,verdict,source,note"
    rows = [
        f'{folder.name},{origin},"{sentences.get(claim, claim)}",{",".join(map(str, rest))}'
        for origin, claim, *rest in CLAIMS
    ]
    (folder / "claims.csv").write_text("\n".join([header, *rows]) + "\n")


def write_record(
    metadata: Path, path: str, rule: str, inputs: dict[str, str], began: float, ended: float
) -> None:
    """One of Snakemake's records."""
    metadata.mkdir(parents=True, exist_ok=True)
    known = {"rule": rule, "input": list(inputs), "starttime": began, "endtime": ended}
    sums = {given: f"sha256:{digest}" for given, digest in inputs.items() if digest}
    name = base64.urlsafe_b64encode(path.encode()).decode()
    (metadata / name).write_text(json.dumps(known | {"input_checksums": sums}))


def write_results(results: Path, sentences: dict[str, str]) -> None:
    """The folder at the miniature scale; `sentences` replaces some of the sentences of `CLAIMS`."""
    studies = results / "miniature/studies"
    header = ",".join(f"a_column_with_a_name_{number}" for number in range(12))
    wide = "\n".join([header, *(",".join(["0.123456"] * 12) for _ in range(8))]) + "\n"
    write_item(studies / "clark2019", "figure2", wide)
    write_item(studies / "clark2019", "table1", f"relation,ours\n{SCRIPT},0.5\n")
    write_item(studies / "synthesis", "table1", MEASURES)
    write_item(studies / "synthesis", "figure2")
    write_claims(studies / "clark2019", sentences)
