// Copies from the device to pinned memory that the host has not waited for: on a device they may not
// have ended, so that the host still finds there what was there before. Here a copy ends at once; its
// bytes are held back until the host waits. Kernels and later copies, which the stream orders behind
// it, see them.
//
// Not thread-safe; used by the thread that calls forward().
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include <kernelmill/runtime_api.h>

namespace kernelmill {

class HeldCopies {
 public:
  // Copies `size` bytes. The host sees them once it has waited.
  void Copy(cudaStream_t stream, void* to, const void* from, std::size_t size);
  // The event covers all copies up to now.
  void Record(cudaEvent_t event) { recorded_[event] = count_; }
  // The host has waited.
  void OnWait(cudaStream_t stream);
  void OnWait(cudaEvent_t event);
  void OnWaitForAll();
  // Shows the bytes to what runs on the device, and takes them back. What it changes stays changed.
  void Show();
  void Hide();

 private:
  struct Copied {
    cudaStream_t stream;
    std::size_t number;
    std::string held;  // The bytes that do not lie in memory now.
    std::string shown;
  };
  template <typename Awaited>
  void Deliver(const Awaited& awaited);

  std::map<char*, Copied> copies_;
  std::map<cudaEvent_t, std::size_t> recorded_;
  std::size_t count_ = 0;
};
HeldCopies& TheHeldCopies();

// What runs on the device during its lifetime sees the copies.
struct ShownCopies {
  ShownCopies() { TheHeldCopies().Show(); }
  ~ShownCopies() { TheHeldCopies().Hide(); }
  ShownCopies(const ShownCopies&) = delete;
  ShownCopies& operator=(const ShownCopies&) = delete;
};

}  // namespace kernelmill
