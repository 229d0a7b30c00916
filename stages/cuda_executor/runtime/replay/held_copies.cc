#include "stages/cuda_executor/runtime/replay/held_copies.h"

#include <cstring>
#include <utility>

#include "stages/cuda_executor/runtime/address_spaces.h"

namespace kernelmill {
namespace {

std::string BytesAt(const void* from, std::size_t size) {
  return {static_cast<const char*>(from), size};
}

}  // namespace

HeldCopies& TheHeldCopies() {
  static auto* const copies = new HeldCopies;
  return *copies;
}

void HeldCopies::Copy(cudaStream_t stream, void* to, const void* from, std::size_t size) {
  const RunningScope open(Running::kAnything);
  char* const place = static_cast<char*>(to);
  const auto found = copies_.find(place);
  if (found != copies_.end() && found->second.held.size() == size) {
    found->second = {stream, ++count_, BytesAt(from, size), {}};
    return;
  }
  // Parts of earlier copies have arrived, because the host cannot tell the one from the other.
  Deliver([&](const char* other, const Copied& copied) {
    return other < place + size && place < other + copied.held.size();
  });
  copies_[place] = {stream, ++count_, BytesAt(from, size), {}};
}

template <typename Awaited>
void HeldCopies::Deliver(const Awaited& awaited) {
  if (copies_.empty()) return;
  const RunningScope open(Running::kAnything);
  std::erase_if(copies_, [&](const auto& entry) {
    const auto& [place, copied] = entry;
    if (!awaited(place, copied)) return false;
    std::memcpy(place, copied.held.data(), copied.held.size());
    return true;
  });
}

void HeldCopies::OnWait(cudaStream_t stream) {
  // The default stream waits for others.
  Deliver([&](const char*, const Copied& copied) {
    return stream == nullptr || copied.stream == stream;
  });
}

void HeldCopies::OnWait(cudaEvent_t event) {
  const auto found = recorded_.find(event);
  const std::size_t covered = found == recorded_.end() ? 0 : found->second;
  Deliver([&](const char*, const Copied& copied) { return copied.number <= covered; });
}

void HeldCopies::OnWaitForAll() {
  Deliver([](const char*, const Copied&) { return true; });
}

void HeldCopies::Show() {
  if (copies_.empty()) return;
  const RunningScope open(Running::kAnything);
  for (auto& [place, copied] : copies_) {
    copied.shown = std::exchange(copied.held, BytesAt(place, copied.held.size()));
    std::memcpy(place, copied.shown.data(), copied.shown.size());
  }
}

void HeldCopies::Hide() {
  if (copies_.empty()) return;
  const RunningScope open(Running::kAnything);
  for (auto entry = copies_.begin(); entry != copies_.end();) {
    auto& [place, copied] = *entry;
    if (std::memcmp(place, copied.shown.data(), copied.shown.size()) == 0) {
      std::memcpy(place, copied.held.data(), copied.held.size());
      copied.held = std::move(copied.shown);
      ++entry;
    } else {
      entry = copies_.erase(entry);  // A kernel has written there.
    }
  }
}

}  // namespace kernelmill
