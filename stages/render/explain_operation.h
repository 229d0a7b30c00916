// Writes the rows that explain a mined kernel, in the confined child, because the kernel's source
// is untrusted input that is parsed again. Renderers (renderer.h) ask for it with ExplainKernel().
// The reply holds the rows.
#pragma once

#include <cstdint>

#include "manifests/digest.h"
#include "stages/untrusted/untrusted_child.h"

namespace kernelmill {

extern const UntrustedOperation kExplainOperation;

// `kernel` is a KernelSource as JSON, `id` its record's content_id. The reply's body is an array of
// TrainingRecords; it is empty when the syntax tree proves nothing about the kernel.
Result<UntrustedReply> ExplainKernel(UntrustedChild& child, const Digest& id, const Json& kernel,
                                     std::int64_t seed);

}  // namespace kernelmill
