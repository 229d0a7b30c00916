// A small task with three answers that were written by hand: one for CUDA, a slower one with
// uncoalesced accesses, and one for MUSA. The tests of rows about tasks use it.
#pragma once

#include <string>
#include <utility>

#include "generators/known_task/known_task.h"

namespace kernelmill {

inline std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

inline constexpr char kReference[] = R"(import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2.0


def get_inputs():
    return [torch.randn(6, 50)]


def get_init_inputs():
    return []
)";

// Correct for CUDA as it is, and for MUSA with other names.
inline constexpr char kAnswer[] = R"(import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>

__global__ void relu_mul_kernel(const float* __restrict__ x, float* __restrict__ out, int n) {
  const int i = static_cast<int>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = 2.0f * fmaxf(x[i], 0.0f);
}

torch::Tensor relu_mul_forward(torch::Tensor x) {
  const c10::cuda::CUDAGuard guard(x.device());
  x = x.contiguous();
  auto out = torch::empty({x.size(0), x.size(1)}, x.options());
  if (out.numel() == 0) return out;
  const int n = out.numel();
  relu_mul_kernel<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), out.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

ops = load_inline(name="relu_mul", cpp_sources="torch::Tensor relu_mul_forward(torch::Tensor x);",
                  cuda_sources=cuda_source, functions=["relu_mul_forward"],
                  extra_cuda_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ops.relu_mul_forward(x)
)";

// `interleaved`: neighbouring elements belong to different blocks, so every sector is read twice.
inline KnownCandidate Answer(const std::string& backend, bool interleaved) {
  Candidate answer;
  answer.backend = backend;
  answer.code = backend == "cuda"
                    ? kAnswer
                    : Replaced(Replaced(Replaced(kAnswer, "cuda", "musa"), "CUDA", "MUSA"),
                               "torch.utils.cpp_extension", "torch_musa.utils.musa_extension");
  if (interleaved) {
    answer.code = Replaced(answer.code, "static_cast<int>(blockIdx.x) * blockDim.x + threadIdx.x",
                           "static_cast<int>(threadIdx.x) * gridDim.x + blockIdx.x");
  }
  answer.author = "lowering";
  answer.structure = interleaved ? "interleaved" : "in order";
  answer.kernels = {{.function = "relu_mul_forward",
                     .strategy = interleaved ? "interleaved" : "one_thread_an_element",
                     .operators = {"relu", "mul_scalar"},
                     .kernels = {"relu_mul_kernel"},
                     .mapping = interleaved ? "neighbouring elements belong to different blocks"
                                            : "thread i computes element i of the result",
                     .index_type = "int",
                     .threads = 256,
                     .grid = "(n + 255) / 256",
                     .flops = 600,
                     .bytes = 2400}};
  Verdict& verdict = answer.verdict;
  verdict.status = VerdictStatus::kCorrect;
  verdict.device = {.compiler = "nvrtc 13.5.37",
                    .architecture = "sm_80",
                    .kernels = {{.kernel = "relu_mul_kernel", .registers = 10}}};
  VerdictCounts counts;
  counts.blocks = 2;
  counts.threads = 512;
  counts.global_load_requests = counts.global_store_requests = 10;
  counts.global_load_sectors = counts.global_store_sectors = interleaved ? 76 : 38;
  counts.active_lanes = 600;
  verdict.launches = {{"relu_mul_kernel", 1, 256, 0, 1.0, counts}};
  const Digest id = DigestOf(answer.ToJson().Dump());
  return {id, std::move(answer)};
}

inline KnownTask SmallTask() {
  KnownTask known;
  known.task = {.code = kReference,
                .inputs = {{.name = "x", .dtype = "float32", .shape = {6, 50}, .draw = "randn"}}};
  known.id = DigestOf(kReference);
  const TensorFacts tensor = {.shape = {6, 50}, .dtype = "float32", .stride = {50, 1}};
  known.facts.task = known.id;
  known.facts.values = {{6, "x", tensor}, {7, "return", tensor}};
  known.facts.operators = {{7, "relu", {tensor}}, {7, "mul", {tensor}}};
  known.facts.outputs = {tensor};
  known.facts.flops = 600;
  known.facts.bytes = 4800;
  known.annotation = DigestOf("annotation");
  known.seed = 7;
  known.candidates = {Answer("cuda", false), Answer("cuda", true), Answer("musa", false)};
  return known;
}

}  // namespace kernelmill
