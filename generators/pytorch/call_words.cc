#include "generators/pytorch/call_words.h"

#include <algorithm>
#include <array>

namespace kernelmill {
namespace {

struct Words {
  OperatorFamily family;
  std::array<std::string_view, 3> member;
  std::array<std::string_view, 3> result;
};

constexpr Words kWords[] = {
    {OperatorFamily::kActivation, {"act", "activation", "act"}, {"out", "h", "activated"}},
    {OperatorFamily::kElementwise, {"op", "op", "op"}, {"y", "out", "h"}},
    {OperatorFamily::kComparison, {"compare", "compare", "compare"}, {"mask", "keep", "mask"}},
    {OperatorFamily::kSelection, {"clip", "clip", "clip"}, {"out", "selected", "y"}},
    {OperatorFamily::kCast, {"cast", "cast", "cast"}, {"y", "out", "converted"}},
    {OperatorFamily::kReduction, {"reduce", "reduce", "reduce"}, {"total", "reduced", "summary"}},
    {OperatorFamily::kArgReduction, {"arg", "arg", "arg"}, {"best", "index", "winners"}},
    {OperatorFamily::kScan, {"scan", "scan", "scan"}, {"running", "accumulated", "prefix"}},
    {OperatorFamily::kSoftmax, {"softmax", "softmax", "softmax"}, {"probs", "weights", "scores"}},
    {OperatorFamily::kNorm, {"norm", "norm", "norm"}, {"normed", "h", "normalized"}},
    {OperatorFamily::kMatmul, {"fc", "linear", "proj"}, {"h", "hidden", "projected"}},
    {OperatorFamily::kConvolution, {"conv", "conv", "conv"}, {"features", "out", "h"}},
    {OperatorFamily::kTransposedConvolution,
     {"deconv", "conv_transpose", "up"},
     {"upsampled", "out", "h"}},
    {OperatorFamily::kPooling, {"pool", "pool", "pool"}, {"pooled", "out", "pooled"}},
    {OperatorFamily::kPadding, {"pad", "pad", "padding"}, {"padded", "padded", "padded"}},
    {OperatorFamily::kInterpolation,
     {"upsample", "resize", "upsample"},
     {"resized", "upsampled", "out"}},
    {OperatorFamily::kEmbedding, {"embedding", "embed", "token_embedding"}, {"x", "x", "embedded"}},
    {OperatorFamily::kGather, {"gather", "gather", "gather"}, {"picked", "gathered", "rows"}},
    {OperatorFamily::kShape, {"view", "flatten", "view"}, {"y", "out", "flat"}},
    {OperatorFamily::kLayout, {"layout", "layout", "layout"}, {"y", "out", "joined"}},
    {OperatorFamily::kCreation, {"create", "create", "create"}, {"positions", "base", "grid"}},
    {OperatorFamily::kAttention, {"attn", "attention", "attn"}, {"attn", "attended", "context"}},
    {OperatorFamily::kRecurrent, {"rnn", "rnn", "cell"}, {"out", "states", "h"}},
    {OperatorFamily::kLoss, {"loss", "criterion", "loss_fn"}, {"loss", "loss", "loss"}},
    {OperatorFamily::kSort, {"sort", "sort", "sort"}, {"ordered", "ranked", "top"}},
    {OperatorFamily::kTriangular, {"tri", "tri", "tri"}, {"lower", "masked", "out"}},
};

const Words& WordsOf(OperatorFamily family) { return kWords[static_cast<std::size_t>(family)]; }

// Arguments that readers know by their place.
constexpr std::string_view kPositional[] = {
    "other",
    "exponent",
    "value",
    "diagonal",
    "pad",
    "shape",
    "size",
    "dims",
    "dim0",
    "dim1",
    "chunks",
    "sizes",
    "repeats",
    "tensor2",
    "sections",
    "split_size",
    "split_size_or_sections",
    "kernel_size",
    "output_size",
    "k",
    "equation",
    "normalized_shape",
    "dtype",
    "num_groups",
    "num_classes",
    "source",
    "destination",
    "start",
    "end",
    "step",
};

}  // namespace

std::string_view MemberWord(const OperatorRow& op, std::uint64_t choice) {
  if (choice % 4 != 0 && !op.words.member.empty()) return op.words.member;
  return WordsOf(op.family).member[(choice >> 8) % 3];
}

std::string_view ResultWord(const OperatorRow& op, std::uint64_t choice) {
  if (!op.words.result.empty()) return op.words.result;
  return WordsOf(op.family).result[choice % 3];
}

std::string_view ResultWord(const OperatorRow& op, int result) {
  if (result < static_cast<int>(op.words.results.size())) return op.words.results[result];
  if (op.family == OperatorFamily::kShape || op.family == OperatorFamily::kLayout) return "part";
  return result == 0 ? "values" : result == 1 ? "indices" : "rest";
}

bool IsConstructed(std::string_view attribute) {
  return attribute != "training" && attribute != "need_weights";
}

bool IsPositional(const OperatorRow& op, std::string_view attribute) {
  return op.family == OperatorFamily::kShape ||
         std::find(std::begin(kPositional), std::end(kPositional), attribute) !=
             std::end(kPositional);
}

}  // namespace kernelmill
