// Runs inline PTX in a kernel that runs on the executor. The rewrite (parsers/inline_assembly.h)
// makes KM_PTX(("text"), KM_PTX_OPERANDS …) of an asm statement. The text is read while the
// candidate is compiled, so that each instruction becomes ordinary code of the candidate's library,
// which the compiler instruments; one that is not known ends the compilation with its name.
#pragma once

#ifdef KERNELMILL_CUDA_MODE

// Only which side the statement and its operands belong to matters here: it is the device's.
#pragma clang force_cuda_host_device end
namespace kernelmill::ptx {
template <typename... Operands>
__attribute__((device)) inline void Use(const Operands&...) {}
}  // namespace kernelmill::ptx
#pragma clang force_cuda_host_device begin
#define KM_PTX(text, ...) ::kernelmill::ptx::Use(__VA_ARGS__)
#define KM_PTX_OUT(constraint, ...) __VA_ARGS__
#define KM_PTX_IN(constraint, ...) __VA_ARGS__

#else

#include <iterator>

#include <kernelmill/ptx/conversions.h>
#include <kernelmill/ptx/lanes.h>
#include <kernelmill/ptx/matrices.h>
#include <kernelmill/ptx/memory.h>

namespace kernelmill::ptx {

template <typename TextOf>
inline constexpr auto kProgramOf =
    ProgramReader<InstructionsIn(TextOf{}()), OperandsIn(TextOf{}())>(TextOf{}()).Read();
#define KM_PTX_UNKNOWN(text)                                                         \
  ::kernelmill::ptx::UnknownIn(                                                      \
      ::kernelmill::ptx::ProgramReader<::kernelmill::ptx::InstructionsIn(text),      \
                                       ::kernelmill::ptx::OperandsIn(text)>(text)    \
          .Read())

// Names what is not known in the compiler's message, which extension_build.cc reads: the template
// is defined for the empty name only. The compiler prints all numbers, but no array as a whole, so
// each holds eight characters.
struct Name {
  std::uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
  constexpr explicit Name(Text name) {
    std::uint64_t* const parts[] = {&a, &b, &c, &d, &e, &f};
    for (std::size_t i = 0; i < name.size() && i < 8 * std::size(parts); ++i) {
      *parts[i / 8] |= std::uint64_t{static_cast<unsigned char>(name[i])} << (8 * (i % 8));
    }
  }
};
template <Name kName>
struct NotRun;
template <>
struct NotRun<Name("")> {};

template <typename I, typename Frame>
KM_PTX_INLINE void RunInstruction(Frame& frame) {
  if constexpr (I::kInstruction.guard.kind != OperandKind::kNone) {
    if (!I::template Read<bool>(frame, I::kInstruction.guard)) return;
  }
  constexpr Text kOp = I::kOpcode;
  using T = typename I::template Type<0>;
  if constexpr (kOp == "mov") {
    RunMove<I>(frame);
  } else if constexpr (kOp == "cvt") {
    RunConversion<I>(frame);
  } else if constexpr (kOp == "cvta") {
    RunAddress<I>(frame);
  } else if constexpr (kOp == "setp") {
    RunComparison<I>(frame);
  } else if constexpr (kOp == "selp") {
    RunSelection<I>(frame);
  } else if constexpr (kOp == "ld") {
    RunLoad<I>(frame);
  } else if constexpr (kOp == "st") {
    RunStore<I>(frame);
  } else if constexpr (kOp == "atom" || kOp == "red") {
    RunAtomic<I>(frame);
  } else if constexpr (kOp == "cp") {
    RunAsyncCopy<I>(frame);
  } else if constexpr (kOp == "ldmatrix") {
    RunLoadMatrix<I>(frame);
  } else if constexpr (kOp == "mma") {
    RunMatrixProduct<I>(frame);
  } else if constexpr (kOp == "shfl") {
    RunShuffle<I>(frame);
  } else if constexpr (kOp == "vote") {
    RunVote<I>(frame);
  } else if constexpr (kOp == "redux") {
    RunReduction<I>(frame);
  } else if constexpr (kOp == "activemask") {
    I::Out(frame, 0, static_cast<std::uint32_t>(ActiveLanes(frame.site)));
  } else if constexpr (kOp == "bar" || kOp == "barrier") {
    RunBarrier<I>(frame);
  } else if constexpr (kOp == "membar" || kOp == "fence") {
    RunFence<I>();
  } else if constexpr (kOp == "trap") {
    Trap("trap", "the kernel ran trap", frame.site);
  } else if constexpr (kOp == "nanosleep") {
    Step(frame.site);
  } else if constexpr (kOp == "createpolicy") {
    I::Out(frame, 0, std::uint64_t{0});  // A hint, which changes no result.
  } else if constexpr (kOp == "prefetch") {
    // A hint, too.
  } else if constexpr (kIsFloat<T>) {
    RunFloats<I>(frame);
  } else {
    RunIntegers<I>(frame);
  }
}

template <typename TextOf, typename Frame, int... kNumber>
KM_PTX_INLINE void RunProgram(Frame& frame, std::integer_sequence<int, kNumber...>) {
  (RunInstruction<InstructionOf<kProgramOf<TextOf>, kNumber>>(frame), ...);
}

// An operand that the statement writes, and one that it only reads.
template <bool kReads, typename T>
struct Place {
  T& place;
  KM_PTX_INLINE std::uint64_t Bits() const {
    if constexpr (kReads) return BitsOf(place);
    return ~std::uint64_t{0};
  }
  KM_PTX_INLINE void Set(std::uint64_t bits) const { place = FromBits<std::remove_cv_t<T>>(bits); }
};
template <typename T>
struct Value {
  T value;
  KM_PTX_INLINE std::uint64_t Bits() const {
    if constexpr (std::is_pointer_v<T>) {
      return reinterpret_cast<std::uint64_t>(value);
    } else if constexpr (std::is_enum_v<T>) {
      return BitsOf(static_cast<std::underlying_type_t<T>>(value));
    } else {
      return BitsOf(value);
    }
  }
  KM_PTX_INLINE void Set(std::uint64_t) const {}
};
constexpr bool ReadsToo(Text constraint) { return constraint.find('+') != constraint.npos; }
template <bool kReads, typename T>
KM_PTX_INLINE Place<kReads, T> PlaceOf(T& place) {
  return {place};
}
template <typename T>
KM_PTX_INLINE Value<T> ValueOf(T value) {
  return {value};
}

template <typename TextOf, typename... Operands>
KM_PTX_INLINE void Run(TextOf, Site site, const Operands&... operands) {
  if constexpr (UnknownIn(kProgramOf<TextOf>).empty()) {
    constexpr int kCount = sizeof...(operands);
    Frame<kCount, kProgramOf<TextOf>.register_count> frame;
    frame.site = site;
    int number = 0;
    ((frame.arguments[number++] = operands.Bits()), ...);
    RunProgram<TextOf>(
        frame, std::make_integer_sequence<int, kProgramOf<TextOf>.instruction_count>());
    number = 0;
    (operands.Set(frame.arguments[number++]), ...);
  }
}

}  // namespace kernelmill::ptx

#define KM_PTX(text, ...)                                                                      \
  ::kernelmill::ptx::Run(                                                                      \
      [] {                                                                                     \
        static_cast<void>(                                                                     \
            ::kernelmill::ptx::NotRun<::kernelmill::ptx::Name(KM_PTX_UNKNOWN(text))>());       \
        return ::kernelmill::ptx::Text(text);                                                  \
      },                                                                                       \
      ::kernelmill::Site{::kernelmill::NameInSources(__builtin_FILE()), __builtin_LINE()}      \
          __VA_OPT__(, ) __VA_ARGS__)
#define KM_PTX_OUT(constraint, ...) \
  ::kernelmill::ptx::PlaceOf<::kernelmill::ptx::ReadsToo(constraint)>(__VA_ARGS__)
#define KM_PTX_IN(constraint, ...) ::kernelmill::ptx::ValueOf(__VA_ARGS__)

#endif
