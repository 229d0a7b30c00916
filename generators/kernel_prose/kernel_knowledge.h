// Writes the rows of the family knowledge about one mined kernel. The question shows the native
// kernel; the answer explains its thread mapping, bounds checks, memory accesses, shared memory,
// reductions and launch. Called by the step "render", in a confined process
// (stages/render/explain_operation.h). Every statement follows from a fact of the kernel's syntax
// tree (parsers/cuda_kernel_facts.h) or from CUDA's definition. Line numbers refer to the code in
// the question.
#pragma once

#include <vector>

#include "corpora/records/kernel_source.h"
#include "corpora/records/training_record.h"
#include "parsers/cuda_kernel_facts.h"

namespace kernelmill {

// One row about the whole kernel, and one about its launch when the repository launches it. Empty
// when the facts contain nothing about threads or memory. `kernel_id`: the content_id of the
// kernel.
std::vector<TrainingRecord> WriteKernelKnowledge(const Digest& kernel_id,
                                                 const KernelSource& kernel,
                                                 const KernelFacts& facts, std::int64_t seed);

}  // namespace kernelmill
