// The values of inline PTX while it runs. Every register holds 64 bits, of which an instruction
// uses as many as its type has (PTX ISA, "Operand Size Exceeding Instruction-Type Size").
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <kernelmill/executor.h>
#include <kernelmill/half.h>
#include <kernelmill/ptx/known_instructions.h>

namespace kernelmill::ptx {

#define KM_PTX_INLINE __attribute__((always_inline)) inline

#define KM_PTX_TYPES(X)                                                                      \
  X(pred, bool)                                                                              \
  X(u8, std::uint8_t)                                                                        \
  X(s8, std::int8_t) X(b8, std::uint8_t) X(u16, std::uint16_t) X(s16, std::int16_t)          \
      X(b16, std::uint16_t) X(u32, std::uint32_t) X(s32, std::int32_t) X(b32, std::uint32_t) \
          X(u64, std::uint64_t) X(s64, std::int64_t) X(b64, std::uint64_t)                   \
              X(f16, Rounded<HalfFormat>) X(f16x2, RoundedPair<HalfFormat>)                  \
                  X(bf16, Rounded<Bfloat16Format>) X(bf16x2, RoundedPair<Bfloat16Format>)    \
                      X(f32, float) X(f64, double) X(tf32, Tf32)

// A float of which a matrix product uses the leading bits.
struct Tf32 {
  float value;
};

enum class TypeName : unsigned char {
  kNone,
#define X(name, type) k_##name,
  KM_PTX_TYPES(X)
#undef X
};
template <TypeName kName>
struct TypeOfName {
  using Type = void;
};
#define X(name, type)                     \
  template <>                             \
  struct TypeOfName<TypeName::k_##name> { \
    using Type = type;                    \
  };
KM_PTX_TYPES(X)
#undef X

// The type that is named as number `number` of an instruction.
constexpr TypeName TypeNamed(const Instruction& instruction, int number) {
  for (int i = 1; i < instruction.part_count; ++i) {
    TypeName type = TypeName::kNone;
#define X(name, cpp) \
  if (instruction.parts[i] == #name) type = TypeName::k_##name;
    KM_PTX_TYPES(X)
#undef X
    if (type != TypeName::kNone && number-- == 0) return type;
  }
  return TypeName::kNone;
}
#undef KM_PTX_TYPES

template <typename T>
KM_PTX_INLINE std::uint64_t BitsOf(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  } else {
    std::uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const void*>(&value), sizeof value);
    return bits;
  }
}
template <typename T>
KM_PTX_INLINE T FromBits(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>) {
    return bits != 0;
  } else {
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
    return value;
  }
}

// The registers and operands of a statement that runs. `site`: its place.
template <int kArguments, int kRegisters>
struct Frame {
  std::uint64_t arguments[kArguments + 1];
  std::uint64_t registers[kRegisters + 1];
  Site site;
};

KM_PTX_INLINE std::uint64_t LanesBelow(unsigned lane) { return (std::uint64_t{1} << lane) - 1; }
// The most warps of a multiprocessor of sm_80.
inline constexpr unsigned kWarpSlots = 64;
KM_PTX_INLINE std::uint64_t SpecialRegister(Text name) {
  const unsigned width = static_cast<unsigned>(warpSize);
  const unsigned rank = ThreadRank(), lane = rank % width;
  if (name == "laneid") return lane;
  // On a device %warpid is where the warp lies at that moment, not its place in the block: an H100
  // gave 1 for the first of two.
  if (name == "warpid") return WarpSlot(rank / width, kWarpSlots);
  if (name == "nwarpid") return kWarpSlots;
  if (name == "WARP_SZ") return width;
#define KM_DIMENSION(name_of, variable)          \
  if (name == #name_of ".x") return variable.x; \
  if (name == #name_of ".y") return variable.y; \
  if (name == #name_of ".z") return variable.z;
  KM_DIMENSION(tid, threadIdx)
  KM_DIMENSION(ntid, blockDim)
  KM_DIMENSION(ctaid, blockIdx)
  KM_DIMENSION(nctaid, gridDim)
#undef KM_DIMENSION
  if (name == "lanemask_eq") return std::uint64_t{1} << lane;
  if (name == "lanemask_lt") return LanesBelow(lane);
  if (name == "lanemask_le") return LanesBelow(lane + 1);
  if (name == "lanemask_gt") return static_cast<std::uint32_t>(~LanesBelow(lane + 1));
  if (name == "lanemask_ge") return static_cast<std::uint32_t>(~LanesBelow(lane));
  if (name == "globaltimer") return DeviceTime();
  if (name == "globaltimer_lo") return static_cast<std::uint32_t>(DeviceTime());
  // Clocks count steps.
  return name == "clock_hi" ? DeviceClock() >> 32 : DeviceClock();
}

// Instruction number `kNumber` of the program that `TextOf` holds.
template <const auto& kProgram, int kNumber>
struct InstructionOf {
  static constexpr const Instruction& kInstruction = kProgram.instructions[kNumber];
  static constexpr Text kOpcode = kInstruction.Opcode();
  static constexpr int kGroups = kInstruction.count;

  template <int kIndex>
  using Type = typename TypeOfName<TypeNamed(kInstruction, kIndex)>::Type;
  static constexpr bool Has(Text modifier) { return kInstruction.Has(modifier); }
  static constexpr bool HasAny(Text modifiers) {
    for (int i = 1; i < kInstruction.part_count; ++i) {
      if (Lists(modifiers, kInstruction.parts[i])) return true;
    }
    return false;
  }
  static constexpr const Group& GroupAt(int number) {
    return kProgram.groups[kInstruction.first + number];
  }
  static constexpr const Operand& OperandAt(int group, int element = 0) {
    return kProgram.operands[GroupAt(group).first + element];
  }

  template <typename T, typename Frame>
  KM_PTX_INLINE static T Read(const Frame& frame, const Operand& operand) {
    switch (operand.kind) {
      case OperandKind::kArgument:
        return Signed(FromBits<T>(frame.arguments[operand.index]), operand);
      case OperandKind::kRegister:
        return Signed(FromBits<T>(frame.registers[operand.index]), operand);
      case OperandKind::kSpecial:
        return FromBits<T>(SpecialRegister(operand.name));
      case OperandKind::kDouble:
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
          return static_cast<T>(__builtin_bit_cast(double, operand.bits));
        }
        return FromBits<T>(operand.bits);
      case OperandKind::kSingle:
        if constexpr (std::is_same_v<T, double>) {
          return __builtin_bit_cast(float, static_cast<std::uint32_t>(operand.bits));
        }
        return FromBits<T>(operand.bits);
      default:
        if constexpr (std::is_floating_point_v<T>) {
          return static_cast<T>(static_cast<std::int64_t>(operand.bits));
        }
        return FromBits<T>(operand.bits);
    }
  }
  template <typename T>
  KM_PTX_INLINE static T Signed(T value, const Operand& operand) {
    if constexpr (std::is_same_v<T, bool>) return value != operand.negated;
    return value;
  }
  template <typename T, typename Frame>
  KM_PTX_INLINE static T In(const Frame& frame, int group, int element = 0) {
    return Read<T>(frame, OperandAt(group, element));
  }
  template <typename T, typename Frame>
  KM_PTX_INLINE static void Out(Frame& frame, int group, T value, int element = 0) {
    const Operand& operand = OperandAt(group, element);
    if (operand.kind == OperandKind::kArgument) frame.arguments[operand.index] = BitsOf(value);
    if (operand.kind == OperandKind::kRegister) frame.registers[operand.index] = BitsOf(value);
  }
  template <typename Frame>
  KM_PTX_INLINE static std::uint64_t Address(const Frame& frame, int group) {
    return Read<std::uint64_t>(frame, OperandAt(group)) +
           static_cast<std::uint64_t>(GroupAt(group).offset);
  }
};

}  // namespace kernelmill::ptx
