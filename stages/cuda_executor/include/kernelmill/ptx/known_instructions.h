// The PTX instructions that the executor runs, with the modifiers that it understands. Another
// instruction or modifier makes a candidate unsupported: an instruction is never run as if a
// modifier were not there. Whether a modifier may stand before a type is not checked here, because
// NVIDIA's compiler reads the same text.
#pragma once

#include <cstddef>

#include <kernelmill/ptx/program.h>

namespace kernelmill::ptx {

struct KnownInstruction {
  Text opcode;
  Text modifiers;  // Separated by spaces.
};

#define KM_INTEGERS "u8 s8 b8 u16 s16 b16 u32 s32 b32 u64 s64 b64 "
#define KM_FLOATS "f16 f16x2 bf16 bf16x2 f32 f64 "
#define KM_ROUNDINGS "rn rz rm rp "
#define KM_SHARED "shared shared::cta "
#define KM_SCOPES "cta cluster gpu sys "
#define KM_HINTS                                                                               \
  "L1::no_allocate L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last "        \
  "L2::64B L2::128B L2::256B L2::evict_normal L2::evict_first L2::evict_last L2::cache_hint "
inline constexpr KnownInstruction kKnownInstructions[] = {
    {"abs", KM_INTEGERS KM_FLOATS "ftz"},
    {"activemask", "b32"},
    {"add", KM_INTEGERS KM_FLOATS KM_ROUNDINGS "ftz sat"},
    {"and", KM_INTEGERS "pred"},
    {"atom", KM_INTEGERS KM_FLOATS KM_SHARED KM_SCOPES
     "global relaxed acquire release acq_rel noftz add min max and or xor exch cas inc dec"},
    {"bar", "sync warp cta arrive"},
    {"barrier", "sync aligned cta arrive"},
    {"bfe", KM_INTEGERS},
    {"bfi", KM_INTEGERS},
    {"bfind", KM_INTEGERS "shiftamt"},
    {"brev", KM_INTEGERS},
    {"clz", KM_INTEGERS},
    {"copysign", "f32 f64"},
    {"cos", "approx ftz f32"},
    {"cp", KM_SHARED KM_HINTS "async ca cg global commit_group wait_group wait_all"},
    {"createpolicy", KM_HINTS "fractional b64"},
    {"cvt", KM_INTEGERS KM_FLOATS KM_ROUNDINGS "tf32 rna rni rzi rmi rpi ftz sat relu"},
    {"cvta", KM_SHARED "to global local u32 u64"},
    {"div", KM_INTEGERS "f32 f64 " KM_ROUNDINGS "approx full ftz"},
    {"dp4a", "u32 s32"},
    {"ex2", KM_FLOATS "approx ftz"},
    {"fence", KM_SCOPES "sc acq_rel"},
    {"fma", KM_FLOATS KM_ROUNDINGS "ftz sat relu"},
    {"ld", KM_INTEGERS "f32 f64 v2 v4 " KM_SHARED KM_SCOPES KM_HINTS
     "global local volatile weak relaxed acquire nc ca cg cs lu cv"},
    {"ldmatrix", KM_SHARED "sync aligned m8n8 x1 x2 x4 trans b16"},
    {"lg2", "f32 approx ftz"},
    {"lop3", "b32"},
    {"mad", KM_INTEGERS "f32 f64 " KM_ROUNDINGS "lo hi wide ftz sat"},
    {"max", KM_INTEGERS KM_FLOATS "ftz NaN"},
    {"membar", "gl cta sys"},
    {"min", KM_INTEGERS KM_FLOATS "ftz NaN"},
    {"mma",
     "sync aligned row col m16n8k4 m16n8k8 m16n8k16 m16n8k32 m8n8k4 m8n8k16 f16 bf16 tf32 f32 f64 "
     "s8 u8 s32 satfinite"},
    {"mov", KM_INTEGERS "f32 f64 pred"},
    {"mul", KM_INTEGERS KM_FLOATS KM_ROUNDINGS "lo hi wide ftz sat"},
    {"nanosleep", "u32"},
    {"neg", KM_INTEGERS KM_FLOATS "ftz"},
    {"not", KM_INTEGERS "pred"},
    {"or", KM_INTEGERS "pred"},
    {"popc", KM_INTEGERS},
    {"prefetch", KM_HINTS "global local L1 L2"},
    {"prmt", "b32"},
    {"rcp", "f32 f64 " KM_ROUNDINGS "approx ftz"},
    {"red", KM_INTEGERS KM_FLOATS KM_SHARED KM_SCOPES
     "global relaxed release noftz add min max and or xor inc dec"},
    {"redux", "sync add min max and or xor u32 s32 b32"},
    {"rem", KM_INTEGERS},
    {"rsqrt", "f32 f64 approx ftz"},
    {"selp", KM_INTEGERS "f32 f64"},
    {"setp", KM_INTEGERS KM_FLOATS
     "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz"},
    {"shf", "l r wrap clamp b32"},
    {"shfl", "sync up down bfly idx b32"},
    {"shl", KM_INTEGERS},
    {"shr", KM_INTEGERS},
    {"sin", "approx ftz f32"},
    {"sqrt", "f32 f64 " KM_ROUNDINGS "approx ftz"},
    {"st", KM_INTEGERS "f32 f64 v2 v4 " KM_SHARED KM_SCOPES KM_HINTS
     "global local volatile weak relaxed release wb cg cs wt"},
    {"sub", KM_INTEGERS KM_FLOATS KM_ROUNDINGS "ftz sat"},
    {"tanh", "approx f32 f16 f16x2 bf16 bf16x2"},
    {"trap", ""},
    {"vote", "sync all any uni ballot pred b32"},
    {"xor", KM_INTEGERS "pred"},
};
#undef KM_INTEGERS
#undef KM_FLOATS
#undef KM_ROUNDINGS
#undef KM_SHARED
#undef KM_SCOPES
#undef KM_HINTS

// The registers with values of the running thread that may be read.
inline constexpr Text kKnownRegisters =
    "laneid warpid nwarpid tid.x tid.y tid.z ntid.x ntid.y ntid.z ctaid.x ctaid.y ctaid.z nctaid.x "
    "nctaid.y nctaid.z clock clock_hi clock64 globaltimer globaltimer_lo lanemask_eq lanemask_lt "
    "lanemask_le lanemask_gt lanemask_ge WARP_SZ";

constexpr bool Lists(Text words, Text word) {
  for (std::size_t at = 0; at < words.size();) {
    std::size_t end = words.find(' ', at);
    if (end == words.npos) end = words.size();
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

constexpr bool IsKnown(const Instruction& instruction) {
  for (const KnownInstruction& known : kKnownInstructions) {
    if (known.opcode != instruction.Opcode()) continue;
    for (int i = 1; i < instruction.part_count; ++i) {
      if (!Lists(known.modifiers, instruction.parts[i])) return false;
    }
    return true;
  }
  return false;
}

// What of the program the executor does not run; empty if it runs all.
template <typename Code>
constexpr Text UnknownIn(const Code& program) {
  for (int i = 0; i < program.instruction_count; ++i) {
    if (!IsKnown(program.instructions[i])) return program.instructions[i].text;
  }
  if (!program.unreadable.empty()) return program.unreadable;
  for (int i = 0; i < program.operand_count; ++i) {
    const Operand& operand = program.operands[i];
    if (operand.kind == OperandKind::kSpecial && !Lists(kKnownRegisters, operand.name)) {
      return operand.name;
    }
  }
  return {};
}

}  // namespace kernelmill::ptx
