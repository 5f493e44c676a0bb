"""Single results of v6.1 against what their own logs say: each log was read by itself, for the tree cannot be had.

The figures are those of mlperf_log_summary.txt (or of report.txt, for a run of Endpoints) in its own digits, read at
commit 5174fca of intel-ai-tce/inference_results_v6.1, a fork of the round's repository.
"""

import pytest

from analysis._tables.catalog import Catalog

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
FEWER = {"NVIDIA/results/B300-SXM-270GBx8_TRT/qwen3-vl-235b-a22b/Server": 5e-5}


@pytest.mark.parametrize("folder", LOGS)
def test_a_result_is_what_its_own_log_says(data: Catalog, folder: str) -> None:
    rows = data.results[data.results["location"].eq(f"closed/{folder}") & data.results["round"].eq("v6.1")]
    assert rows["low"].tolist() == pytest.approx([LOGS[folder]], rel=FEWER.get(folder, DIGITS))
