"""The profile for Kubernetes can be planned; no cluster is at hand to run it on."""

import pytest

pytest.importorskip("snakemake_executor_plugin_kubernetes", reason="profiles/kubernetes says what to install")
pytest.importorskip("snakemake_storage_plugin_s3", reason="profiles/kubernetes says what to install")

pytestmark = [pytest.mark.workflow, pytest.mark.long]


def test_the_plan_is_the_same(smoke_clone, bucket) -> None:
    clone, target = smoke_clone("pods"), "voita2019_figure1"
    address, client = bucket
    # as docs/paper-scale.md tells: rules read these files of the checkout
    for folder in ("config", "workflow/studies", "workflow/src/miniature_world"):
        for path in (clone / folder).rglob("*"):
            if path.is_file():
                client.upload_file(str(path), "heads", f"headwork/{path.relative_to(clone.folder)}")
    profile = ("--workflow-profile", "profiles/kubernetes", "--default-storage-prefix", "s3://heads/headwork")
    planned = clone.planned(target, options=[*profile, "--storage-s3-endpoint-url", address])
    assert planned == clone.planned(target)
    assert {"world", "train_watched", target} <= set(planned)
