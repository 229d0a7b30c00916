#include "stages/cuda_executor/runtime/dispatch_tables.h"

#include <cstring>
#include <type_traits>

#include <kernelmill/split_mix.h>

namespace kernelmill {
namespace {

// C++ lets an explicit instantiation name members although they are private.
template <typename Tag, auto kMember>
struct Opened {
  friend auto MemberOf(Tag) { return kMember; }
};
struct DefinitionTag {
  friend auto MemberOf(DefinitionTag);
};
struct TableTag {
  friend auto MemberOf(TableTag);
};
struct KernelsTag {
  friend auto MemberOf(KernelsTag);
};
template struct Opened<DefinitionTag, &c10::OperatorHandle::operatorDef_>;
template struct Opened<TableTag, &c10::impl::OperatorEntry::dispatchTable_>;
template struct Opened<KernelsTag, &c10::impl::OperatorEntry::kernels_>;

c10::impl::OperatorEntry& EntryOf(const c10::OperatorHandle& op) {
  return (op.*MemberOf(DefinitionTag()))->op;
}

// A kernel is a few pointers.
void Add(std::uint64_t* digest, const c10::KernelFunction& kernel) {
  static_assert(sizeof(kernel) % sizeof(std::uint64_t) == 0);
  *digest = MixedBytes(*digest, &kernel, sizeof(kernel));
}

}  // namespace

std::uint64_t DigestOfKernels(const c10::OperatorHandle& op) {
  c10::impl::OperatorEntry& entry = EntryOf(op);
  std::uint64_t digest = 1;
  for (const c10::KernelFunction& kernel : entry.*MemberOf(TableTag())) Add(&digest, kernel);
  return digest;
}

void ReplaceKernels(const c10::OperatorHandle& op, const c10::KernelFunction& replacement) {
  c10::impl::OperatorEntry& entry = EntryOf(op);
  // Entries of the table are computed from these again when somebody registers a kernel.
  for (auto& [key, kernels] : entry.*MemberOf(KernelsTag())) {
    for (c10::impl::AnnotatedKernel& kernel : kernels) kernel.kernel = replacement;
  }
  for (c10::KernelFunction& kernel : entry.*MemberOf(TableTag())) kernel = replacement;
}

}  // namespace kernelmill
