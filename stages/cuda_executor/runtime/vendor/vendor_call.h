// One call of a vendor's library (vendor/cublas_v2.h) while it runs: whether its operands lie in
// device memory, and what ends it. The library's functions run on the device, so memory of the host
// and memory beyond an allocation end a call as they end a kernel.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernelmill {

class VendorCall {
 public:
  // `function` is a constant.
  explicit VendorCall(const char* function) : function_(function) {}

  // Whether `bytes` from `address` lie in one allocation that the device may access; memory that
  // nobody has used yet becomes the device's. A fault otherwise. `operand`: its name in messages.
  bool Takes(const void* address, std::int64_t bytes, const char* operand);
  // Ends the run as one that needs what the executor lacks.
  void NeedsUnsupported(const char* what);
  // Whether the call computes: there was no fault, and kernels are not switched off.
  bool Runs() const;

 private:
  void Fail(const char* status, const char* reason, const char* operand, const char* why);

  const char* function_;
  bool failed_ = false;
};

}  // namespace kernelmill
