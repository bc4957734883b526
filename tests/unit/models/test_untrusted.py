"""Models that somebody else made cannot run code here: no pickled weights, no code that lies beside them."""

import ast
import json
import pickle
from pathlib import Path

import pytest
import torch
from toy_text import ARCHITECTURE, tokenizer_of, write_paragraphs

from headwork.errors import InputError
from headwork.models.architectures.build import build
from headwork.models.loading import hub
from headwork.models.loading.checkpoints import save
from headwork.parses.stanza.parsing import trained_pipeline


class Evil:
    """Unpickled, it makes a file."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


@pytest.fixture
def mark(tmp_path):
    """The file that evil code makes."""
    return tmp_path / "evil"


@pytest.fixture
def folder(tmp_path):
    tokenizer = tokenizer_of(write_paragraphs(tmp_path / "text", {}))
    save(tmp_path / "bert", build(ARCHITECTURE, tokenizer, 1), tokenizer)
    return tmp_path / "bert"


def test_the_evil_object_would_work(mark):
    pickle.loads(pickle.dumps(Evil(mark)))
    assert mark.exists()


@pytest.mark.parametrize("safetensors_too", [False, True])
def test_pickled_weights_are_not_loaded(folder, mark, safetensors_too):
    torch.save({"bert": Evil(mark)}, folder / "pytorch_model.bin")
    if safetensors_too:
        hub.load(folder)
    else:
        (folder / "model.safetensors").unlink()
        with pytest.raises(InputError, match=r"its weights are in pytorch_model.bin, which is not loaded"):
            hub.load(folder)
    assert not mark.exists()


def test_code_beside_a_model_is_not_run(folder, mark):
    evil = f"from pathlib import Path\nPath({str(mark)!r}).touch()\nclass Evil: pass\n"
    (folder / "modeling_evil.py").write_text(evil)
    path = folder / "config.json"
    names = {name: "modeling_evil.Evil" for name in ("AutoConfig", "AutoModel", "AutoModelForMaskedLM")}
    config = json.loads(path.read_text()) | {"auto_map": names}
    path.write_text(json.dumps(config))
    hub.load(folder)  # a BERT like any other, by transformers' own code
    path.write_text(json.dumps(config | {"model_type": "evil"}))
    with pytest.raises(InputError, match="is not a model that can be loaded"):
        hub.load(folder)
    assert not mark.exists()


def test_a_parser_cannot_run_code(tmp_path, mark):
    for name in ("tagger.pt", "parser.pt"):
        torch.save({"model": Evil(mark)}, tmp_path / name)
    with pytest.raises(InputError, match=r"tagger\.pt: stanza cannot load this tagger"):
        trained_pipeline(tmp_path / "tagger.pt", tmp_path / "parser.pt")
    assert not mark.exists()


# what may run code that data brings, and what it is called with to be safe
NEVER = {
    name: {"": "never"}
    for name in ("yaml.unsafe_load", "pickle.load", "pickle.loads", "extractall", "eval", "exec")
}
UNSAFE = NEVER | {"torch.load": {"weights_only": True}, "yaml.load": {"Loader": "never"}}


def unsafe_calls(code: str) -> list[str]:
    """The calls of `UNSAFE` in a module without what makes them safe, and any that trusts remote code."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            given = {word.arg: getattr(word.value, "value", None) for word in node.keywords}
            wanted = next((UNSAFE[key] for key in (name, name.rpartition(".")[2]) if key in UNSAFE), {})
            if name.endswith(".eval") and not node.args:
                wanted = {}  # of a model: evaluation mode
            unsafe = any(given.get(key) != value for key, value in wanted.items())
            if unsafe or given.get("trust_remote_code"):
                found.append(f"{name}, line {node.lineno}")
    return found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import torch\ntorch.load(p)\ntorch.load(p, weights_only=True)", ["torch.load, line 2"]),
        ("a.load(p, trust_remote_code=True)\nmodel.eval()\nyaml.safe_load(t)", ["a.load, line 1"]),
        ("yaml.load(t)\nmodel.eval()\neval(t)", ["yaml.load, line 1", "eval, line 3"]),
        ("archive.extractall()\npickle.loads(b)", ["archive.extractall, line 1", "pickle.loads, line 2"]),
    ],
)
def test_unsafe_calls_are_found(code, found):
    assert unsafe_calls(code) == found


def test_no_unsafe_call_in_the_workflow(root):
    modules = sorted((root / "workflow").rglob("*.py"))
    assert len(modules) > 100
    found = {str(path.relative_to(root)): unsafe_calls(path.read_text()) for path in modules}
    assert {path: calls for path, calls in found.items() if calls} == {}
