// Tells torch's own operators from functions that somebody has registered in their place. A
// candidate's C++ may register a function for any operator, at any time; what the dispatcher then
// calls is host code of the candidate, under a name of torch's. So what the tables of an operator
// held before the candidate was imported is noted, and compared whenever the operator is called
// (operator_memory.cc): an operator with other kernels is host code, also in a replay.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

namespace kernelmill {

// A digest of the table of kernels from which each call of the operator takes one.
std::uint64_t DigestOfKernels(const c10::OperatorHandle& op);

// Replaces all kernels of an operator, also those below others. The dispatcher's
// own functions only lay a kernel over another one, which it keeps: whoever held a pointer to the
// kernel below could still call it, and whoever took the upper one away would restore it.
void ReplaceKernels(const c10::OperatorHandle& op, const c10::KernelFunction& kernel);

// Whether an operator has no kernel but this one, also below others.
bool HasOnly(const c10::OperatorHandle& op, const c10::KernelFunction& kernel);

// All kernels of an operator.
struct OperatorKernels {
  using Kernels = std::pmr::vector<c10::KernelFunction>;
  using Registered = std::pmr::vector<std::pair<c10::DispatchKey, Kernels>>;
  Kernels table;
  Registered registered;  // For each key, the latest first.
};
OperatorKernels KernelsOf(const c10::OperatorHandle& op, std::pmr::memory_resource* memory);

// Takes back what ReplaceKernels() has done since KernelsOf(). Kernels that were registered in
// between stay where they are.
void RestoreKernels(const c10::OperatorHandle& op, const OperatorKernels& kernels,
                    const c10::KernelFunction& replacement);

}  // namespace kernelmill
