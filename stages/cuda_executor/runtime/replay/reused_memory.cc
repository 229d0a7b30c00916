#include "stages/cuda_executor/runtime/replay/reused_memory.h"

#include <algorithm>
#include <utility>

namespace kernelmill {
namespace {

constexpr std::size_t kAllocatorStep = 512;  // Bytes. It gives out multiples of them.

std::size_t Rounded(std::size_t size) {
  return (size + kAllocatorStep - 1) / kAllocatorStep * kAllocatorStep;
}

}  // namespace

void ReusedMemory::Begin() {
  tensors_.clear();
  users_before_.clear();
  shared_.clear();
  released_.clear();
}

Steps ReusedMemory::Unordered(const Steps& users, const Steps& last) const {
  Steps unordered;
  for (const std::size_t step : users) {
    if (!order_->IsBefore(step, last)) unordered.insert(step);
  }
  return unordered;
}

void ReusedMemory::OnAllocated(std::uint64_t number, std::size_t size, cudaStream_t stream) {
  tensors_[number] = {Rounded(size), stream, {}};
  const auto taken = std::find_if(released_.begin(), released_.end(), [&](const Block& block) {
    return block.stream == stream && block.size >= Rounded(size);
  });
  if (taken == released_.end()) return;
  users_before_[number] = std::move(taken->users);
  released_.erase(taken);
}

void ReusedMemory::OnReleased(std::uint64_t number) {
  const auto found = tensors_.find(number);
  if (found == tensors_.end()) return;
  Block block = std::move(found->second);
  tensors_.erase(found);
  if (shared_.contains(number)) return;
  block.users = Unordered(block.users, order_->LastOf(block.stream));
  if (!block.users.empty()) released_.push_back(std::move(block));
}

bool ReusedMemory::OnFreed(std::uint64_t number, cudaStream_t stream) {
  const auto found = tensors_.find(number);
  if (found == tensors_.end()) return true;
  const Steps users = std::move(found->second.users);
  tensors_.erase(found);
  return Unordered(users, order_->AwaitedBy(stream)).empty();
}

bool ReusedMemory::OnUsed(std::uint64_t number) {
  const std::size_t step = order_->last_step();
  const auto found = tensors_.find(number);
  if (found != tensors_.end()) found->second.users.insert(step);
  const auto before = users_before_.find(number);
  return before == users_before_.end() || Unordered(before->second, {step}).empty();
}

}  // namespace kernelmill
