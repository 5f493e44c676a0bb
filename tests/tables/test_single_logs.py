"""Single results of v5.0 and v6.1 against what their own logs say.

Each log was read by itself, for the trees cannot be had. The figures are those of mlperf_log_summary.txt (or of
report.txt, for a run of Endpoints) in its own digits: of v6.1 at commit 5174fca of intel-ai-tce/inference_results_v6.1,
a fork of the round's repository, of v5.0 at commit cf35411 of ntuhpc/mlperf_inference_results_v5.0, a copy of it.
"""

import pytest

LOGS = {
    "AMD/results/8xMI355X_2xEPYC_9575F/llama2-70b-99.9/Interactive": 73191.51,
    "AMD/results/8xMI350X_2xEPYC_9575F/dlrm-v3/Server": 9297.78,
    "AMD/results/8xMI355X_2xEPYC_9575F/wan-2.2-t2v-a14b/Offline": 0.0731282,
    "Cisco/results/C845A_M8_RTXPro4500_32GBx8_TRT/llama3.1-8b/Interactive": 14316.24,
    "Cisco/results/C845A_M8_RTXPro6000_96GBx8_TRT/gpt-oss-120b/Server": 14817.45,
    "Cisco/results/C845A_M8_RTXPro6000_96GBx8_TRT/llama2-70b-99.9/Server": 29316.43,
    "Dell/results/1-node-2S-GNR_86C/llama3_1-8b/Offline": 1227.99,
    "Dell/results/Dell_Pro_Max_GB10x1/yolo-99/multistream": 105.162072,
    "Dell/results/XE9785L_8xMI355X/llama2-70b-99.9/Offline": 103792,
    "Dell_AMD/results/XE7745_8xMI350P_2xEPYC-9455/dlrm-v3/Offline": 4837.63,
    "GigaComputing/results/G894-AD3-AAX7_B300-SXM-270GBx8_TRT/deepseek-r1/Offline": 72445.1,
    "HPE/results/HPE_PROLIANT_DL380_RTX_PRO_4500_PCIE_32GBx1_TRT/yolo-95/offline": 72.1855,
    "Intel/results/1-node-2S-Xeon_6787P/e2e-rag-db/Offline": 22.6141,
    "Intel/results/1-node-2S-Xeon_6787P/e2e-rag-qna/Offline": 0.464076,
    "Intel/results/1-node-4x-BMG-B70/llama3_1-8b/Server": 4173.25,
    "MangoBoost/results/16xMI355X_2xEPYC_9575F/gpt-oss-120b/Interactive": 59297.37,
    "Nebius/results/B200-SXM-180GBx8_TRT/gpt-oss-120b/Offline": 88491,
    "NVIDIA/results/B300-SXM-270GBx8_TRT/qwen3-vl-235b-a22b/Server": 104.58,
    "NVIDIA/results/GB200-NVL72_GB200-186GB_aarch64x72_TRT/deepseek-r1/Interactive": 240273.74,
    "NVIDIA/results/GB300-NVL72_GB300-288GB_aarch64x288_TRT/deepseek-r1/Offline": 2.70513e6,
    "NVIDIA/results/GB300-NVL72_GB300-288GB_aarch64x288_TRT/deepseek-r1/Server": 2028031.16,
    "NVIDIA/results/GB300-NVL72_GB300-288GB_aarch64x72_TRT/deepseek-r1/Offline": 679740,
    "Oracle/results/B300-SXM-270GBx8_TRT/deepseek-r1/Server": 60745.48,
    "Supermicro/results/1-node-2S-GNR_86C/rgat/Offline": 13273.7,
    "Supermicro/results/1-node-2S-GNR_86C/whisper/Offline": 1477.4,
    "Supermicro/results/8xMI355X_2xEPYC-9575F/llama2-70b-99.9/Interactive": 73181.54,
}
DIGITS = 5e-6  # half a unit of the sixth digit: the summary of the round prints six, some logs fewer
ROUNDING = 1e-9  # of the ends of a range in binary
FEWER = {"NVIDIA/results/B300-SXM-270GBx8_TRT/qwen3-vl-235b-a22b/Server": 5e-5}


@pytest.mark.parametrize("folder", LOGS)
def test_a_result_is_what_its_own_log_says(data, folder):
    rows = data.results[data.results["location"].eq(f"closed/{folder}") & data.results["round"].eq("v6.1")]
    assert rows["low"].tolist() == pytest.approx([LOGS[folder]], rel=FEWER.get(folder, DIGITS))


V50 = {  # folder of the run -> result id in MLCommons' results table, figure of its log
    "AMD/results/8xMI325X_2xEPYC_9575F/llama2-70b-99.9/Offline": ("5.0-0001", 33928.1),
    "AMD/results/8xMI325X_2xEPYC_9575F/llama2-70b-99.9/Server": ("5.0-0001", 30724.51),
    "AMD/results/8xMI325x_2xEPYC-9655/stable-diffusion-xl/Offline": ("5.0-0002", 17.0963),
    "Dell/results/XE9680_H200_SXM_141GBx8_TRT/3d-unet-99/Offline": ("5.0-0021", 54.6761),
    "Google/results/B200-SXM-180GBx8_TRT/llama2-70b-99.9/Offline": ("5.0-0078", 97089.9),
    "Google/results/B200-SXM-180GBx8_TRT/llama3_1-405b/Server": ("5.0-0078", 847.48),
    "Google/results/H200-SXM-141GBx8_TRT/dlrm-v2-99/Offline": ("5.0-0035", 634294),
    "Google/results/H200-SXM-141GBx8_TRT/mixtral-8x7b/Offline": ("5.0-0035", 61614.5),
    "Google/results/H200-SXM-141GBx8_TRT/retinanet/Server": ("5.0-0035", 12909.47),
    "Google/results/trillium_x4_flax/stable-diffusion-xl/Offline": ("5.0-0036", 6.07925),
    "HPE/results/HPE_ProLiant_DL380a_L40S_PCIe_48GBx8_TRT/retinanet/Server": ("5.0-0046", 6095.48),
    "Intel/results/1-node-2S-GNR_128C/3d-unet-99/Offline": ("5.0-0048", 3.65441),
    "Intel/results/1-node-2S-GNR_128C/gptj-99/Offline": ("5.0-0048", 516.767),
    "Intel/results/1-node-2S-GNR_128C/resnet50/Server": ("5.0-0048", 40184.84),
    "Lambda/results/H200-SXM-141GBx8_TRT/dlrm-v2-99.9/Server": ("5.0-0049", 370055.45),
    "Lambda/results/H200-SXM-141GBx8_TRT/llama2-70b-interactive-99/Server": ("5.0-0049", 19381.04),
    "Lenovo/results/SR675v3_H200_SXMx4_TRT/retinanet/Offline": ("5.0-0052", 7239.25),
    "MangoBoost/results/32xMI300X_2xEPYC_9534/llama2-70b-99.9/Offline": ("5.0-0054", 103182),
    "MangoBoost/results/32xMI300X_2xEPYC_9534/llama2-70b-99/Server": ("5.0-0054", 93039.93),
    "NVIDIA/results/B200-SXM-180GBx1_TRT/llama2-70b-99.9/Offline": ("5.0-0055", 12269.3),
    "NVIDIA/results/B200-SXM-180GBx8_TRT/llama2-70b-interactive-99/Server": ("5.0-0056", 59409.25),
    "NVIDIA/results/B200-SXM-180GBx8_TRT/mixtral-8x7b/Server": ("5.0-0056", 126844.55),
    "NVIDIA/results/B200-SXM-180GBx8_TRT/stable-diffusion-xl/Server": ("5.0-0056", 28.44),
    "NVIDIA/results/DGX-H100_H100-SXM-80GBx8_TRT/llama2-70b-99/Offline": ("5.0-0057", 31306.8),
    "NVIDIA/results/GB200-NVL72_GB200-186GB_aarch64x72_TRT_Triton/llama3_1-405b/Offline": ("5.0-0058", 13886.4),
    "NVIDIA/results/GB200-NVL72_GB200-186GB_aarch64x72_TRT_Triton/llama3_1-405b/Server": ("5.0-0058", 8850.10),
    "NVIDIA/results/GH200-GraceHopper-Superchip_GH200-144GB_aarch64x1_TRT/gptj-99/Offline": ("5.0-0059", 2824.83),
    "Quanta_Cloud_Technology/results/S74G_2U_GH200_96GB_aarch64x1_TRT/dlrm-v2-99.9/Offline": ("5.0-0066", 50606.5),
    "Supermicro/results/SYS_A21GE_NBRT_B200_SXM_180GBx8_TRT/llama3_1-405b/Offline": ("5.0-0074", 1521.74),
}
FILED_AS = {"llama3_1-405b": "llama3.1-405b", "resnet50": "resnet"}  # folder -> column of the table


@pytest.mark.parametrize("folder", V50)
def test_a_rounded_result_holds_what_its_own_log_says(data, folder):
    result_id, logged = V50[folder]
    *_, model, scenario = folder.split("/")
    if "interactive" in model and scenario == "Server":
        scenario = "Interactive"
    rows = data.results[data.results["round"].eq("v5.0") & data.results["result_id"].eq(result_id)]
    rows = rows[rows["model_run"].eq(FILED_AS.get(model, model)) & rows["scenario"].eq(scenario)]
    (row,) = rows.to_dict("records")
    assert row["low"] - ROUNDING <= logged <= row["high"] + ROUNDING


def test_the_note_on_v5_0_counts_them(data):
    submitters = {folder.split("/")[0] for folder in V50}
    note = data.rounds.set_index("round").at["v5.0", "note"]
    assert f"{len(V50)} results of {len(submitters)} submitters agree with their own logs" in note
