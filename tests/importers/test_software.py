"""Hypervisors, serving software and power limits that systems name: the one name of each, and no word of the text."""

import json

import pytest

from analysis._import.official import shape, software, summaries


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (("Acme 8x H100, VMware ESXi 9.0.0",), "VMware vSphere"),
        (("", "OCP version: 4.18.16, OCP virt version: 4.18.11"), "Red Hat OpenShift Virtualization"),
        (("Red Hat OpenShift Container Platform",), ""),
        (("A10 24Q vGPU", "on KVM"), "NVIDIA vGPU"),
        (("on KVM", "vSphere, NVIDIA vGPU"), "VMware vSphere"),  # what is built on the others
        (("NX-3155G by Nutanix", "Python 3, LLVM-15"), ""),
    ],
)
def test_the_hypervisor_that_is_named(texts, name):
    assert software.hypervisor(*texts) == name


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (("Acme (8x H200, TensorRT, Triton)\nH200x8_TRT_Triton",), "Triton"),
        (("", "PyTorch 2.10.0, Triton 3.6.0, ROCm 7.2.3"), ""),  # a language for kernels
        (("", "", "triton-lang, aiter"), ""),
        (("GB200_aarch64x72_Dynamo",), "NVIDIA Dynamo"),
        (("", "TensorRT-LLM 1.0.0, CUDA 12.9"), ""),  # a library
        (("", "TensorRT-LLM 1.0.0 (served by trtllm-serve)"), "TensorRT-LLM server"),
        (("LLM-D v0.5.0,OpenShift 4.21", "LLM-D v0.5.0 ,vLLM 0.14.1"), "llm-d"),  # the name tells systems apart
        (("Acme", "LLMBoost, vllm-0.9.0", "vllm"), ""),  # which of the two served is not said
        (("Acme", "PyTorch", "SGLang v0.4.9"), "SGLang"),
    ],
)
def test_the_serving_software_that_is_named(texts, name):
    assert software.serving(*texts) == name


DESCRIBED = {"operating_system": "Ubuntu", "other_software_stack": {"vllm": "0.10"}, "sw_notes": "on VMware ESXi 9",
             "hw_notes": "GPU 450W / 600W (reduced)"}  # fmt: skip
NAMED = ("hypervisor", "serving_software", "power_limit_watts")


@pytest.mark.parametrize("beside", [False, True])
def test_a_description_is_searched_for_names_and_never_kept(tree, bring, beside):
    path = tree.root / "closed/Acme/systems/acme.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | DESCRIBED))
    tree.run()
    row = bring(*([tree.summary()] if beside else []), tree.root).table[0]
    assert [row[name] for name in NAMED] == ["VMware vSphere", "vLLM", "450.0"]
    kept = " ".join(row.values())
    assert not any(word in kept for word in ("Ubuntu", "ESXi", "reduced", "0.10"))


@pytest.mark.parametrize("content", [None, "no JSON", '{"sw_notes": 4}'])
def test_a_published_row_needs_no_description(tree, bring, content):
    path = tree.root / "closed/Acme/systems/acme.json"
    path.unlink() if content is None else path.write_text(content)
    tree.run()
    outcome = bring(tree.summary({"System": "Acme, vLLM"}), tree.root)
    assert [outcome.table[0][name] for name in NAMED] == ["", "vLLM", ""] and outcome.problems == []


@pytest.mark.parametrize(
    ("changes", "watts"),
    [
        ({"Accelerator": "AMD Instinct MI355X 288GB HBM3e (Power Cap 1000 W)"}, 1000.0),
        ({"Notes": "GPU 450W / 600W (reduced)"}, 450.0),
        ({"Notes": "GPU 600W / 600W (full power)"}, None),
        ({"Accelerator": "AMD MI300X-NPS1-SPX-192GB-750W"}, None),
    ],
)
def test_a_power_limit_that_a_system_states(tree, changes, watts):
    row = shape.row(summaries.entry(tree.row | changes))
    assert row.get("power_limit_watts") == watts and "reduced" not in " ".join(map(str, row.values()))
