#include "stages/verify/policy.h"

#include <algorithm>
#include <set>
#include <string>

namespace kernelmill {
namespace {

using Names = std::set<std::string_view>;

Names Words(std::string_view text) {
  Names words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.insert(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// Memory without a result in it, questions about tensors, and what asking costs.
const Names& Bookkeeping() {
  static const Names kNames = Words(
      "empty empty_like empty_strided new_empty zeros zeros_like new_zeros ones ones_like "
      "new_ones full full_like new_full fill_ zero_ scalar_tensor arange item "
      "_local_scalar_dense resize_ set_ lift_fresh detach detach_ alias view _unsafe_view "
      "_reshape_alias reshape as_strided as_strided_ expand expand_as permute transpose "
      "transpose_ t numpy_T mT squeeze squeeze_ unsqueeze unsqueeze_ select slice narrow split "
      "split_with_sizes chunk unbind flatten unflatten view_as view_as_real view_as_complex "
      "diagonal movedim swapaxes swapdims broadcast_to ravel unfold resolve_conj resolve_neg "
      "is_pinned record_stream requires_grad_ _has_compatible_shallow_copy_type is_nonzero "
      "equal stride size new_empty_strided view_dtype tensor_split reshape_as data _version "
      "output_nr is_leaf _fw_primal _make_dual is_same_size broadcast_tensors numel sym_size "
      "sym_stride sym_numel set_data retain_grad atleast_1d atleast_2d atleast_3d lift "
      "lift_fresh_copy _nested_tensor_size rand randn randint uniform_ normal_ random_ randperm "
      "_assert_async _assert_scalar _assert_tensor_metadata adjoint H");
  return kNames;
}

const Names& Views() {
  static const Names kNames = Words(
      "empty empty_like empty_strided new_empty new_empty_strided detach detach_ alias view "
      "_unsafe_view _reshape_alias reshape as_strided expand expand_as permute transpose t numpy_T "
      "mT adjoint H squeeze squeeze_ unsqueeze unsqueeze_ select slice narrow split "
      "split_with_sizes tensor_split chunk unbind flatten unflatten ravel view_as reshape_as "
      "view_as_real view_as_complex diagonal movedim swapaxes swapdims unfold resolve_conj "
      "resolve_neg contiguous to size stride numel is_same_size data _version is_leaf output_nr "
      "requires_grad_ _has_compatible_shallow_copy_type record_stream lift_fresh");
  return kNames;
}

// Changing the layout or the type of values that stay the same.
const Names& Copies() {
  static const Names kNames =
      Words("clone copy_ _to_copy to contiguous type_as _copy_from copy cpu cuda float half");
  return kNames;
}

// Moving values elsewhere. One operator of a group can do another's work: where the reference ran
// one, all are the task.
const std::vector<Names>& Movement() {
  static const std::vector<Names> kGroups = {
      Words("cat concat concatenate stack hstack vstack dstack _cat block_diag pad constant_pad_nd "
            "reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d _pad_enum "
            "_pad_circular"),
      Words("gather index index_select embedding take take_along_dim masked_select"),
      Words("flip roll rot90 fliplr flipud"),
      Words("repeat tile repeat_interleave expand_copy meshgrid"),
      Words("tril triu diag diag_embed"),
      Words("im2col pixel_shuffle pixel_unshuffle channel_shuffle slice_scatter select_scatter "
            "narrow_copy index_copy index_copy_")};
  return kGroups;
}

// These move values too, and can also add, choose or compare them: never a candidate's to use.
const Names& Placement() {
  static const Names kNames = Words(
      "where scatter scatter_ index_put_ index_put _index_put_impl_ one_hot nonzero "
      "nonzero_static argwhere");
  return kNames;
}

// MusaCoder, appendix J, and today's spellings of the same operators.
const Names& PaperList() {
  static const Names kNames = Words(
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

std::string_view LastName(std::string_view name) {
  const std::size_t colons = name.rfind("::");
  std::string_view last = colons == std::string_view::npos ? name : name.substr(colons + 2);
  return last.substr(0, last.find('.'));
}

const Names* MovementGroup(std::string_view last) {
  for (const Names& group : Movement()) {
    if (group.contains(last)) return &group;
  }
  return nullptr;
}

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
      {"strict", "native kernels do all the work, at any shape, value and layout", true,
       OperatorRule::kStrict, true, ToleranceRule::kOracle, 3, true, 16},
      {"mooreeval", "the operators and rules of MusaCoder's verifier", true, OperatorRule::kPaper,
       true, ToleranceRule::kKernelBench, 5, false},
      {"kernelbench", "KernelBench's own protocol and tolerances, no rules", false,
       OperatorRule::kAny, false, ToleranceRule::kKernelBench, 5, false},
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
                "there is no policy \"" + std::string(name) + "\"; there are " + known);
}

bool IsDataMovement(std::string_view name) {
  const std::string_view last = LastName(name);
  return !IsTorchs(name) || Bookkeeping().contains(last) || Copies().contains(last) ||
         Placement().contains(last) || MovementGroup(last) != nullptr;
}

bool IsView(std::string_view name) {
  return name.starts_with("aten::") && Views().contains(LastName(name));
}

bool AlwaysComputes(std::string_view name) {
  const std::string_view last = LastName(name);
  static const Names kQuestions =
      Words("result_type can_cast promote_types is_set_to is_complex is_floating_point pin_memory");
  // index_add begins with the name of an operator that moves data, as index_Tensor does.
  static const Names kGoesOn =
      Words("add add_ fill fill_ reduce reduce_ bag renorm backward dense_backward");
  for (std::size_t end = last.size(); end != std::string_view::npos && end > 0;
       end = last.rfind('_', end - 1)) {
    const std::string_view rest = last.substr(std::min(end + 1, last.size()));
    const auto is_goes_on = [&](std::string_view word) {
      return rest == word || rest.starts_with(std::string(word) + "_");
    };
    if (std::any_of(kGoesOn.begin(), kGoesOn.end(), is_goes_on)) return true;
    const std::string_view stem = last.substr(0, end);
    if (kQuestions.contains(stem) || IsDataMovement("aten::" + std::string(stem))) return false;
  }
  return true;
}

OperatorVerdict JudgeOperator(OperatorRule rule, std::string_view name, bool called,
                              const ReferenceOperators& reference) {
  using enum OperatorVerdict;
  // The candidate's own operators, registered by its library.
  if (rule == OperatorRule::kAny || !IsTorchs(name)) return kAllowed;
  const std::string_view last = LastName(name);
  if (rule == OperatorRule::kPaper) return PaperList().contains(last) ? kAllowed : kComputes;
  if (Bookkeeping().contains(last)) return kAllowed;
  const auto ran = [&](const auto& is_one) {
    return std::any_of(reference.names.begin(), reference.names.end(),
                       [&](const std::string& item) { return is_one(LastName(item)); });
  };
  if (const Names* const group = MovementGroup(last)) {
    const bool the_task =
        reference.move_data || ran([&](std::string_view item) { return group->contains(item); });
    return the_task ? kIsTheTask : kAllowed;
  }
  if (Copies().contains(last)) {
    // Any copy can be what a task of moving data asks for, unless another operator made it.
    const bool the_task =
        reference.move_data && (called || ran([&](std::string_view item) { return item == last; }));
    return the_task ? kIsTheTask : kAllowed;
  }
  if (Placement().contains(last) && ran([&](std::string_view item) { return item == last; })) {
    return kIsTheTask;
  }
  return kComputes;
}

}  // namespace kernelmill
