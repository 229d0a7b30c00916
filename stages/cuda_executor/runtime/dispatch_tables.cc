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

bool Same(const c10::KernelFunction& one, const c10::KernelFunction& other) {
  return one._equalsBoxedAndUnboxed(other);
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

bool HasOnly(const c10::OperatorHandle& op, const c10::KernelFunction& kernel) {
  c10::impl::OperatorEntry& entry = EntryOf(op);
  for (const c10::KernelFunction& one : entry.*MemberOf(TableTag())) {
    if (!Same(one, kernel)) return false;
  }
  for (const auto& [key, kernels] : entry.*MemberOf(KernelsTag())) {
    for (const c10::impl::AnnotatedKernel& one : kernels) {
      if (!Same(one.kernel, kernel)) return false;
    }
  }
  return true;
}

OperatorKernels KernelsOf(const c10::OperatorHandle& op, std::pmr::memory_resource* memory) {
  c10::impl::OperatorEntry& entry = EntryOf(op);
  const auto& table = entry.*MemberOf(TableTag());
  const auto& registered = entry.*MemberOf(KernelsTag());
  OperatorKernels all{OperatorKernels::Kernels(table.begin(), table.end(), memory),
                      OperatorKernels::Registered(memory)};
  all.registered.reserve(registered.size());
  for (const auto& [key, kernels] : registered) {
    OperatorKernels::Kernels copies(memory);
    copies.reserve(kernels.size());
    for (const c10::impl::AnnotatedKernel& one : kernels) copies.push_back(one.kernel);
    all.registered.emplace_back(key, std::move(copies));
  }
  return all;
}

void RestoreKernels(const c10::OperatorHandle& op, const OperatorKernels& kernels,
                    const c10::KernelFunction& replacement) {
  c10::impl::OperatorEntry& entry = EntryOf(op);
  for (const auto& [key, copies] : kernels.registered) {
    const auto found = (entry.*MemberOf(KernelsTag())).find(key);
    if (found == (entry.*MemberOf(KernelsTag())).end()) continue;
    // Later registrations lie before the earlier ones.
    auto copy = copies.rbegin();
    for (auto one = found->second.rbegin();
         one != found->second.rend() && copy != copies.rend(); ++one, ++copy) {
      if (Same(one->kernel, replacement)) one->kernel = *copy;
    }
  }
  auto& table = entry.*MemberOf(TableTag());
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (Same(table[i], replacement)) table[i] = kernels.table[i];
  }
}

}  // namespace kernelmill
