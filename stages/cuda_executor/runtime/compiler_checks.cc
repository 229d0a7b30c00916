// The functions that the compiler's checks call when they fail (-fsanitize in compile_flags.cc),
// in the form that clang documents for its own library of them: the first argument names the place.
// The linker redirects the calls to here (--wrap), because the library of the address sanitizer has
// functions of these names too.
//
// Alignment is checked in the plain build, in which every candidate runs: x86 accesses any address,
// where a device ends the launch with "misaligned address" (CUDA C++ Programming Guide, "Device
// Memory Accesses"). The compiler checks scalars and members, and structures that are copied whole
// when the rewrite passes them through Aligned() (aligned_access.h), which checks volatile accesses
// itself. Not checked are a thread's local variables: a device's compiler keeps them in registers,
// or aligns them as they are used.
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <kernelmill/access/aligned_access.h>

#include "stages/cuda_executor/runtime/block.h"
#include "stages/cuda_executor/runtime/launch_log.h"
#include "stages/cuda_executor/runtime/line_table.h"
#include "stages/cuda_executor/runtime/memory_checks.h"

namespace kernelmill {
namespace {

// As clang lays them out (compiler-rt, lib/ubsan/ubsan_value.h and ubsan_handlers.h).
struct CheckedPlace {
  const char* file;
  std::uint32_t line, column;
};
struct CheckedType {
  std::uint16_t kind, info;
  char name[1];  // In quotes, and ends with a zero byte.
};
struct FloatCast {
  CheckedPlace place;
  const CheckedType* from;
  const CheckedType* to;
};
struct TypeMismatch {
  CheckedPlace place;
  const CheckedType* type;
  unsigned char log_alignment;
  unsigned char access;  // 0: a load, 1: a store, others: a reference or a member.
};

// The type's name without quotes and without what it stands for: 'float4' (aka 'struct float4').
std::string_view NameOf(const CheckedType& type) {
  const std::string_view name = type.name;
  return name.starts_with('\'') ? name.substr(1, name.find('\'', 1) - 1) : name;
}

// A check within a header of the executor or of torch belongs to the line that called it, and in
// builds without line tables to the launch.
SourceLine LineOfCheck(const CheckedPlace& place, const void* return_address) {
  const std::string_view file = place.file != nullptr ? place.file : "";
  if (!file.starts_with("/km/")) return {std::string(file), static_cast<int>(place.line)};
  const SourceLine line = LineOf(static_cast<const char*>(return_address) - 1);
  if (line.line > 0 || !CurrentBlock().running()) return line;
  const Site launch = SiteOfLaunch();
  return {launch.file, launch.line};
}

void EndMisaligned(const void* address, std::size_t alignment, std::string_view access,
                   const SourceLine& line) {
  const std::uintptr_t beyond = reinterpret_cast<std::uintptr_t>(address) % alignment;
  CurrentBlock().Abandon({"undefined_behaviour", "misaligned_address",
                          "misaligned address: a thread " + std::string(access) + " at " +
                              std::to_string(beyond) + " bytes past a multiple of " +
                              std::to_string(alignment),
                          line.file, line.line});
}

bool IsOfKernel(const void* address) {
  return CurrentBlock().running() && !CurrentBlock().IsLocal(address);
}

void OnMisaligned(const TypeMismatch& check, const void* address, const void* return_address) {
  if (!IsOfKernel(address)) return;
  const std::string verb = check.access == 0   ? "reads a "
                           : check.access == 1 ? "writes a "
                                               : "accesses a ";
  EndMisaligned(address, std::size_t{1} << check.log_alignment, verb + std::string(NameOf(*check.type)),
                LineOfCheck(check.place, return_address));
}

void NoteFailedCheck(const char* kind, const char* reason, const char* message,
                     const CheckedPlace& place, const void* return_address) {
  const SourceLine line = LineOfCheck(place, return_address);
  Log().AddFinding({kind, reason, message, line.file, line.line});
}

// A device's compiler converts to 32 bits, which saturates, and keeps the low bits for a smaller type:
// 200 becomes -56 as a signed char. Here it saturates at the limits of that type. To 32 bits and more
// both saturate. `value`: the number's bits.
void OnFloatCast(const FloatCast& check, std::uint64_t value, const void* return_address) {
  const unsigned bits = 1u << (check.to->info >> 1);
  double number;
  switch (check.from->info) {
    case 16: number = std::bit_cast<_Float16>(static_cast<std::uint16_t>(value)); break;
    case 32: number = std::bit_cast<float>(static_cast<std::uint32_t>(value)); break;
    case 64: number = std::bit_cast<double>(value); break;
    default: return;  // No kernel has a longer one.
  }
  const bool below_unsigned = (check.to->info & 1) == 0 && number < 0;  // 0 on both.
  if (bits >= 32 || std::isnan(number) || below_unsigned || !CurrentBlock().running()) return;
  const std::string message =
      "a number beyond the range of " + std::string(NameOf(*check.to)) + " is converted to it";
  NoteFailedCheck("undefined_behaviour", "narrow_conversion", message.c_str(), check.place,
                  return_address);
}

}  // namespace

void ReportMisaligned(const void* address, std::size_t alignment, Site site) {
  if (!IsOfKernel(address)) return;
  EndMisaligned(address, alignment, "accesses memory", {site.file, site.line});
}

}  // namespace kernelmill

// Null pointers and objects of another type, for which clang would call this function too, are not
// among the checks.
extern "C" {
void __wrap___ubsan_handle_type_mismatch_v1(const kernelmill::TypeMismatch* check,
                                            const void* address) {
  kernelmill::OnMisaligned(*check, address, __builtin_return_address(0));
}
void __wrap___ubsan_handle_float_cast_overflow(const kernelmill::FloatCast* check,
                                               std::uint64_t value) {
  kernelmill::OnFloatCast(*check, value, __builtin_return_address(0));
}
#define KM_CHECK(name, kind, reason, message)                                                \
  void __wrap___ubsan_handle_##name(const kernelmill::CheckedPlace* place) {                 \
    kernelmill::NoteFailedCheck(kind, reason, message, *place, __builtin_return_address(0)); \
  }
KM_CHECK(out_of_bounds, "out_of_bounds", "array_index", "an index lies outside of its array")
KM_CHECK(shift_out_of_bounds, "undefined_behaviour", "shift",
         "a shift by as many bits as the number has, or more")
KM_CHECK(divrem_overflow, "undefined_behaviour", "integer_division",
         "an integer is divided by zero")
#undef KM_CHECK
}
