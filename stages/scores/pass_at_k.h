// Pass@k of one task, estimated from its samples as Chen et al. do ("Evaluating Large Language
// Models Trained on Code", arXiv 2107.03374): the share of the k-element subsets of the samples
// that hold a correct one. KernelBench uses the same estimate.
#pragma once

#include <cstdint>

namespace kernelmill {

// 1 − C(samples − correct, k) / C(samples, k), an unbiased estimate of the probability that one of
// k new samples is correct. Requires 0 ≤ correct ≤ samples and 1 ≤ k ≤ samples: with fewer than k
// samples no unbiased estimate exists.
double PassAtK(std::int64_t samples, std::int64_t correct, std::int64_t k);

}  // namespace kernelmill
