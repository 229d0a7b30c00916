#include "stages/verify/legality/policy.h"

#include <algorithm>
#include <string>
#include <vector>

#include "corpora/operators/aten_names.h"

namespace kernelmill {
namespace {

// The list of MusaCoder, appendix J, with the current names of the same operators.
const AtenNames& PaperList() {
  static const AtenNames kNames = NamesIn(
      "_assert_async _assert_scalar _assert_tensor_metadata _cast_Byte _cast_Char _cast_Double "
      "_cast_Float _cast_Half _cast_Int _cast_Long _cast_Short _local_scalar_dense alias "
      "allclose arange as_strided broadcast_to clone contiguous copy_ empty empty_like equal "
      "expand flatten full item ones permute rand randint randn reshape select slice squeeze "
      "stride transpose unsqueeze view zeros _to_copy detach empty_strided fill_ new_empty to "
      "zero_ _reshape_alias _unsafe_view as_strided_ resize_ zeros_like t uniform_ normal_ "
      "random_ lift_fresh detach_ ones_like full_like numpy_T new_zeros expand_as narrow "
      "resolve_conj resolve_neg is_nonzero scalar_tensor");
  return kNames;
}

constexpr std::int64_t kHostBytes = 64;

bool IsTorchs(std::string_view name) {
  return name.starts_with("aten::") || name.starts_with("prims::") ||
         name.starts_with("mkldnn::") || name.starts_with("quantized::") ||
         name.starts_with("prepacked::") || name.starts_with("mkl::") ||
         name.starts_with("onednn::") || name.starts_with("inductor::") ||
         name.starts_with("mkldnn_prepacked::") || name.starts_with("_quantized::") ||
         name.starts_with("sparse::") || name.starts_with("fbgemm::") ||
         name.starts_with("xnnpack::") || name.starts_with("_c10d_functional::");
}

}  // namespace

const std::vector<VerifyPolicy>& AllVerifyPolicies() {
  static const std::vector<VerifyPolicy> kPolicies = {
      {"strict", "native kernels do all the work, for all kinds of values", true,
       OperatorRule::kStrict, true, ToleranceRule::kOracle, 3, true, kHostBytes},
      {"mooreeval", "the operators and rules of MusaCoder's verifier", true, OperatorRule::kPaper,
       true, ToleranceRule::kKernelBench, 5, false, kHostBytes},
      {"kernelbench", "KernelBench's own protocol and tolerances, no rules", false,
       OperatorRule::kAny, false, ToleranceRule::kKernelBench, 5, false},
      {"kernelbench_2024", "the same, with the tolerance of 1e-2 that KernelBench had in 2024", false,
       OperatorRule::kAny, false, ToleranceRule::kCloseTo1Percent, 5, false},
  };
  return kPolicies;
}

Result<const VerifyPolicy*> FindVerifyPolicy(std::string_view name) {
  std::string known;
  for (const VerifyPolicy& policy : AllVerifyPolicies()) {
    if (policy.name == name) return &policy;
    known += (known.empty() ? "" : ", ") + std::string(policy.name);
  }
  return Status(ErrorCode::kUsage,
                "there is no policy \"" + std::string(name) + "\"; the policies are " + known);
}

bool IsDataMovement(std::string_view name) {
  const std::string_view last = AtenName(name);
  return !IsTorchs(name) || IsAtenBookkeeping(last) || IsAtenCopy(last) ||
         IsAtenPlacement(last) || AtenMovement(last) != nullptr;
}

bool IsViewOperator(std::string_view name) {
  return name.starts_with("aten::") && IsAtenView(AtenName(name));
}

bool AlwaysComputes(std::string_view name) {
  const std::string_view last = AtenName(name);
  static const AtenNames kQuestions = NamesIn(
      "result_type can_cast promote_types is_set_to is_complex is_floating_point pin_memory");
  // Suffixes of operators that compute although their names start with that of an operator that
  // moves data (index_add).
  static const AtenNames kComputingSuffixes =
      NamesIn("add add_ fill fill_ reduce reduce_ bag renorm backward dense_backward");
  for (std::size_t end = last.size(); end != std::string_view::npos && end > 0;
       end = last.rfind('_', end - 1)) {
    const std::string_view rest = last.substr(std::min(end + 1, last.size()));
    const auto is_computing_suffix = [&](std::string_view word) {
      return rest == word || rest.starts_with(std::string(word) + "_");
    };
    if (std::any_of(kComputingSuffixes.begin(), kComputingSuffixes.end(), is_computing_suffix))
      return true;
    const std::string_view stem = last.substr(0, end);
    if (kQuestions.contains(stem) || IsDataMovement("aten::" + std::string(stem))) return false;
  }
  return true;
}

OperatorRuling RuleOnOperator(OperatorRule rule, std::string_view name, bool called,
                              const ReferenceOperators& reference) {
  using enum OperatorRuling;
  // Operators that the candidate's own library registers are allowed.
  if (rule == OperatorRule::kAny || !IsTorchs(name)) return kAllowed;
  const std::string_view last = AtenName(name);
  const bool by_moves = last == kAtenCastOfRounded || last == kAtenCastOfView ||
                        last == kAtenEnlargingCopy || last == kAtenDeviceCopy;
  if (rule == OperatorRule::kPaper &&
      (by_moves || last == kAtenViewOfParts || last == kAtenMadeResult)) {
    return kAllowed;
  }
  if (rule == OperatorRule::kPaper) return PaperList().contains(last) ? kAllowed : kComputes;
  if (IsAtenBookkeeping(last)) return kAllowed;
  const auto ran = [&](const auto& is_one) {
    return std::any_of(reference.names.begin(), reference.names.end(),
                       [&](const std::string& item) { return is_one(AtenName(item)); });
  };
  if (last == kAtenDeviceCopy) return reference.move_data ? kIsTheTask : kAllowed;
  if (last == kAtenEnlargingCopy) {
    return reference.move_data || ran(IsAtenEnlarging) ? kIsTheTask : kAllowed;
  }
  // If the reference ran one operator of a group, all operators of the group are the task.
  if (const AtenNames* const group = AtenMovement(last)) {
    const bool the_task =
        reference.move_data || ran([&](std::string_view item) { return group->contains(item); });
    if (the_task) return kIsTheTask;
    // Any other arrangement may be a part of the task: tril() masks, and repeat() enlarges.
    return IsAtenJoin(last) ? kAllowed : kComputes;
  }
  if (last == kAtenTruncation || last == kAtenViewOfParts) {
    if (!ran([&](std::string_view item) { return item == last; })) return kComputes;
    return reference.move_data ? kIsTheTask : kAllowed;
  }
  if (IsAtenCopy(last)) {
    // If the task is to move data, any copy may be the task itself, unless another operator made
    // it.
    const bool the_task =
        reference.move_data && (called || ran([&](std::string_view item) { return item == last; }));
    return the_task ? kIsTheTask : kAllowed;
  }
  if (IsAtenPlacement(last) && ran([&](std::string_view item) { return item == last; })) {
    return kIsTheTask;
  }
  return kComputes;
}

std::optional<std::vector<std::string>> AllowedOperators(OperatorRule rule,
                                                         const ReferenceOperators& reference) {
  if (rule == OperatorRule::kAny) return std::nullopt;
  std::vector<std::string> allowed;
  for (std::string_view name : rule == OperatorRule::kPaper ? PaperList() : KnownAtenNames()) {
    if (RuleOnOperator(rule, "aten::" + std::string(name), /*called=*/false, reference) ==
        OperatorRuling::kAllowed) {
      allowed.emplace_back(name);
    }
  }
  return allowed;
}

}  // namespace kernelmill
