#include "corpora/operators/aten_names.h"

#include <algorithm>
#include <vector>

namespace kernelmill {
namespace {

const AtenNames& BookkeepingNames() {
  static const AtenNames kNames = NamesIn(
      "empty empty_like empty_strided new_empty zeros zeros_like new_zeros ones ones_like "
      "new_ones full full_like new_full fill_ zero_ scalar_tensor arange item "
      "_local_scalar_dense resize_ set_ lift_fresh detach detach_ alias view _unsafe_view "
      "_reshape_alias reshape as_strided as_strided_ expand expand_as permute transpose "
      "transpose_ t numpy_T mT squeeze squeeze_ unsqueeze unsqueeze_ select slice narrow split "
      "split_with_sizes chunk unbind flatten unflatten view_as view_as_real view_as_complex "
      "diagonal movedim swapaxes swapdims broadcast_to ravel unfold resolve_conj resolve_neg "
      "is_pinned record_stream requires_grad_ _has_compatible_shallow_copy_type is_nonzero "
      "stride size new_empty_strided view_dtype tensor_split reshape_as data _version "
      "output_nr is_leaf _fw_primal _make_dual is_same_size broadcast_tensors numel sym_size "
      "sym_stride sym_numel set_data retain_grad atleast_1d atleast_2d atleast_3d lift "
      "lift_fresh_copy _nested_tensor_size rand randn randint uniform_ normal_ random_ randperm "
      "_assert_async _assert_scalar _assert_tensor_metadata adjoint H");
  return kNames;
}

const AtenNames& ViewNames() {
  static const AtenNames kNames = NamesIn(
      "empty empty_like empty_strided new_empty new_empty_strided detach detach_ alias view "
      "_unsafe_view _reshape_alias reshape as_strided expand expand_as permute transpose t numpy_T "
      "mT adjoint H squeeze squeeze_ unsqueeze unsqueeze_ select slice narrow split "
      "split_with_sizes tensor_split chunk unbind flatten unflatten ravel view_as reshape_as "
      "view_as_real view_as_complex diagonal movedim swapaxes swapdims unfold resolve_conj "
      "resolve_neg contiguous to size stride numel is_same_size data _version is_leaf output_nr "
      "requires_grad_ _has_compatible_shallow_copy_type record_stream lift_fresh");
  return kNames;
}

const AtenNames& CopyNames() {
  static const AtenNames kNames =
      NamesIn("clone copy_ _to_copy to contiguous type_as _copy_from copy cpu cuda float half "
              "_cast_to_integers");
  return kNames;
}

const AtenNames& JoinNames() {
  static const AtenNames kNames = NamesIn(
      "cat concat concatenate stack hstack vstack dstack _cat pad constant_pad_nd _pad_enum");
  return kNames;
}

AtenNames With(AtenNames names, std::string_view more) {
  names.merge(NamesIn(more));
  return names;
}

// The operators of a group can do each other's data movement.
const std::vector<AtenNames>& MovementNames() {
  static const std::vector<AtenNames> kGroups = {
      With(JoinNames(), "block_diag reflection_pad1d reflection_pad2d replication_pad1d "
                        "replication_pad2d _pad_circular"),
      NamesIn("gather index index_select embedding take take_along_dim masked_select"),
      NamesIn("flip roll rot90 fliplr flipud"),
      NamesIn("repeat tile repeat_interleave expand_copy meshgrid"),
      NamesIn("tril triu diag diag_embed"),
      NamesIn("im2col pixel_shuffle pixel_unshuffle channel_shuffle slice_scatter select_scatter "
            "narrow_copy index_copy index_copy_")};
  return kGroups;
}

const AtenNames& PlacementNames() {
  static const AtenNames kNames = NamesIn(
      "where scatter scatter_ index_put_ index_put _index_put_impl_ one_hot nonzero "
      "nonzero_static argwhere");
  return kNames;
}

}  // namespace

AtenNames NamesIn(std::string_view text) {
  AtenNames names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    names.insert(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

std::string_view AtenName(std::string_view name) {
  const std::size_t colons = name.rfind("::");
  std::string_view last = colons == std::string_view::npos ? name : name.substr(colons + 2);
  return last.substr(0, last.find('.'));
}

bool IsAtenBookkeeping(std::string_view name) { return BookkeepingNames().contains(name); }
bool IsAtenView(std::string_view name) { return ViewNames().contains(name); }
bool IsAtenCopy(std::string_view name) { return CopyNames().contains(name); }
bool IsAtenPlacement(std::string_view name) { return PlacementNames().contains(name); }
bool IsAtenJoin(std::string_view name) { return JoinNames().contains(name); }

bool IsAtenEnlarging(std::string_view name) {
  static const AtenNames kNames = NamesIn(
      "repeat tile repeat_interleave expand_copy meshgrid replication_pad1d replication_pad2d "
      "replication_pad3d reflection_pad1d reflection_pad2d reflection_pad3d _pad_circular");
  return kNames.contains(name) || name.starts_with("upsample_nearest") ||
         name.starts_with("_upsample_nearest");
}

AtenNames LayoutAtenNames() {
  return NamesIn(
      "_reshape_alias _to_copy _unsafe_view alias as_strided cat clone copy_ detach diagonal empty "
      "empty_like empty_strided expand fill_ full lift_fresh new_empty new_zeros permute select "
      "slice split split_with_sizes squeeze t transpose unbind unfold unsqueeze view zero_ zeros "
      "zeros_like");
}

AtenNames KnownAtenNames() {
  AtenNames names = BookkeepingNames();
  for (const AtenNames* group : {&ViewNames(), &CopyNames(), &PlacementNames()}) {
    names.insert(group->begin(), group->end());
  }
  for (const AtenNames& group : MovementNames()) names.insert(group.begin(), group.end());
  return names;
}

const AtenNames* AtenMovement(std::string_view name) {
  for (const AtenNames& group : MovementNames()) {
    if (group.contains(name)) return &group;
  }
  return nullptr;
}

}  // namespace kernelmill
