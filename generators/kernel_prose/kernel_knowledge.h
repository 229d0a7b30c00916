// The family knowledge: a native kernel in the question; in the answer how it maps threads to
// elements, guards bounds, moves memory, shares and reduces, and how it is launched. Every
// statement rests on a fact of its syntax tree (parsers/cuda_kernel_facts.h) or on what CUDA
// defines; the line numbers are those of the code in the question.
#pragma once

#include <vector>

#include "corpora/records/kernel_source.h"
#include "corpora/records/training_record.h"
#include "parsers/cuda_kernel_facts.h"

namespace kernelmill {

// One row about the whole kernel, and one about its launch where the repository launches it. Empty
// when the facts say nothing about threads or memory. `kernel_id` is the kernel's content_id.
std::vector<TrainingRecord> WriteKernelKnowledge(const Digest& kernel_id,
                                                 const KernelSource& kernel,
                                                 const KernelFacts& facts, std::int64_t seed);

}  // namespace kernelmill
