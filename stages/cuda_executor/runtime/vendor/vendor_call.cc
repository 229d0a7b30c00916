#include "stages/cuda_executor/runtime/vendor/vendor_call.h"

#include <optional>
#include <string>

#include "stages/cuda_executor/runtime/address_spaces.h"
#include "stages/cuda_executor/runtime/device_state.h"
#include "stages/cuda_executor/runtime/execution_options.h"
#include "stages/cuda_executor/runtime/launch_log.h"

namespace kernelmill {

void VendorCall::Fail(const char* status, const char* reason, const char* operand,
                      const char* why) {
  failed_ = true;
  Log().SetFault({status, reason, std::string(function_) + ": " + operand + why, "", 0});
  Device().last_error = cudaErrorIllegalAddress;
}

bool VendorCall::Takes(const void* address, std::int64_t bytes, const char* operand) {
  if (bytes <= 0 || failed_) return !failed_;
  const std::optional<MemoryState> state = StateOf(address);
  if (!state || state->space == Space::kHost) {
    Fail("illegal_address", "wrong_space", operand, " is memory of the host");
  } else if (static_cast<std::size_t>(bytes) > BytesBehind(address)) {
    Fail("illegal_address", "bad_pointer", operand, " reaches beyond the end of its memory");
  } else if (state->space == Space::kUnknown) {
    SetState(address, Space::kDevice, true);
  } else if (!state->device_data) {
    SetState(address, state->space, true);
  }
  return !failed_;
}

void VendorCall::NeedsUnsupported(const char* what) { Fail("unsupported", "feature", what, ""); }

bool VendorCall::Runs() const {
  if (Options().sample) Log().NoteOperatorBehind(function_);
  return !failed_ && Options().run_kernels;
}

}  // namespace kernelmill
