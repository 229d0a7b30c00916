// Writes the row about a kernel that a repository holds for CUDA and for another platform: the
// question shows the CUDA version, the answer is the version that people wrote, behind a list of
// all that differs. The step "render" asks for it.
#pragma once

#include <cstdint>

#include "corpora/records/kernel_port.h"
#include "corpora/records/training_record.h"

namespace kernelmill {

// `port_id`: the content_id of the port's record.
TrainingRecord WritePortRow(const Digest& port_id, const KernelPort& port, std::int64_t seed);

}  // namespace kernelmill
