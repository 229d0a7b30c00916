// Writes the rows of the family knowledge about one mined kernel. The question shows the native
// kernel, and its launch where the answer uses it; the answer explains what the kernel computes,
// its thread mapping, memory accesses, cooperation, limits and hazards. Called by the step
// "render", in a confined process (stages/render/explain_operation.h). Every statement follows from
// the code in the question (parsers/cuda_kernel_facts.h, parsers/cuda_lane_stride.h) or from CUDA's
// definition.
#pragma once

#include <vector>

#include "corpora/records/kernel_source.h"
#include "corpora/records/training_record.h"
#include "parsers/cuda_kernel_facts.h"

namespace kernelmill {

// One or two rows with different questions; none when the facts are too few to answer one well, or
// the source is too long. `kernel_id`: the content_id of the kernel.
std::vector<TrainingRecord> WriteKernelKnowledge(const Digest& kernel_id,
                                                 const KernelSource& kernel,
                                                 const KernelFacts& facts, std::int64_t seed);

}  // namespace kernelmill
