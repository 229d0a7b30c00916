#include "generators/pytorch/call_words.h"

#include <algorithm>
#include <array>

namespace kernelmill {
namespace {

using Arguments = std::array<ModuleArgument, 3>;

struct Construction {
  std::string_view op;
  int count;
  Arguments arguments;
};

constexpr ModuleArgument Size(int operand, int dimension) { return {operand, dimension, {}}; }
constexpr ModuleArgument Given(std::string_view attribute) { return {-1, 0, attribute}; }

// Weights of transposed convolutions begin with the input's channels, those of others with the
// output's.
constexpr Construction kConstructions[] = {
    {"linear", 2, {Size(1, 1), Given("out_features")}},
    {"bilinear", 3, {Size(0, -1), Size(1, -1), Given("out_features")}},
    {"conv1d", 3, {Size(0, -2), Given("out_channels"), Given("kernel_size")}},
    {"conv2d", 3, {Size(0, -3), Given("out_channels"), Given("kernel_size")}},
    {"conv3d", 3, {Size(0, -4), Given("out_channels"), Given("kernel_size")}},
    {"conv_transpose1d", 3, {Size(0, -2), Given("out_channels"), Given("kernel_size")}},
    {"conv_transpose2d", 3, {Size(0, -3), Given("out_channels"), Given("kernel_size")}},
    {"conv_transpose3d", 3, {Size(0, -4), Given("out_channels"), Given("kernel_size")}},
    {"batch_norm", 1, {Size(0, 1)}},
    {"instance_norm", 1, {Size(0, 1)}},
    {"group_norm", 2, {Given("num_groups"), Size(0, 1)}},
    {"layer_norm", 1, {Given("normalized_shape")}},
    {"rms_norm", 1, {Given("normalized_shape")}},
    {"embedding", 2, {Given("num_embeddings"), Given("embedding_dim")}},
    {"embedding_bag", 2, {Given("num_embeddings"), Given("embedding_dim")}},
    {"lstm", 2, {Size(0, -1), Given("hidden_size")}},
    {"gru", 2, {Size(0, -1), Given("hidden_size")}},
    {"rnn_tanh", 2, {Size(0, -1), Given("hidden_size")}},
    {"rnn_relu", 2, {Size(0, -1), Given("hidden_size")}},
    {"lstm_cell", 2, {Size(0, -1), Given("hidden_size")}},
    {"gru_cell", 2, {Size(0, -1), Given("hidden_size")}},
    {"rnn_tanh_cell", 2, {Size(0, -1), Given("hidden_size")}},
    {"rnn_relu_cell", 2, {Size(0, -1), Given("hidden_size")}},
    {"multi_head_attention_forward", 2, {Size(0, -1), Given("num_heads")}},
};

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

struct NamedResults {
  std::string_view op;
  std::array<std::string_view, 3> words;
};
constexpr NamedResults kNamedResults[] = {
    {"lstm", {"out", "h_n", "c_n"}},
    {"lstm_cell", {"h", "c", {}}},
    {"gru", {"out", "h_n", {}}},
    {"rnn_tanh", {"out", "h_n", {}}},
    {"rnn_relu", {"out", "h_n", {}}},
    {"std_mean", {"std", "mean", {}}},
    {"var_mean", {"var", "mean", {}}},
    {"aminmax", {"low", "high", {}}},
    {"multi_head_attention_forward", {"attn", "attn_weights", {}}},
};

struct MemberOf {
  std::string_view op, word;
};
constexpr MemberOf kMembers[] = {
    {"relu", "relu"},
    {"gelu", "gelu"},
    {"sigmoid", "sigmoid"},
    {"tanh", "tanh"},
    {"layer_norm", "norm"},
    {"batch_norm", "bn"},
    {"group_norm", "gn"},
    {"lstm", "lstm"},
    {"gru", "gru"},
    {"max_pool2d", "maxpool"},
    {"flatten", "flatten"},
    {"silu", "silu"},
    {"leaky_relu", "leaky_relu"},
};

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

std::span<const ModuleArgument> ModuleArguments(const OperatorRow& op) {
  for (const Construction& construction : kConstructions) {
    if (construction.op == op.name) {
      return std::span(construction.arguments).first(construction.count);
    }
  }
  return {};
}

std::string_view MemberWord(const OperatorRow& op, std::uint64_t choice) {
  if (choice % 4 != 0) {
    for (const MemberOf& member : kMembers) {
      if (member.op == op.name) return member.word;
    }
  }
  return WordsOf(op.family).member[(choice >> 8) % 3];
}

std::string_view ResultWord(const OperatorRow& op, std::uint64_t choice) {
  if (op.name == "mean" || op.name == "norm" || op.name == "var" || op.name == "std") {
    return op.name;
  }
  if (op.name == "sigmoid") return "gate";
  return WordsOf(op.family).result[choice % 3];
}

std::string_view ResultWord(const OperatorRow& op, int result) {
  for (const NamedResults& named : kNamedResults) {
    if (named.op == op.name && result < 3 && !named.words[result].empty()) {
      return named.words[result];
    }
  }
  if (op.family == OperatorFamily::kShape || op.family == OperatorFamily::kLayout) return "part";
  return result == 0 ? "values" : result == 1 ? "indices" : "rest";
}

std::string_view FixedArgument(const OperatorRow& op) {
  return op.name == "rnn_relu" || op.name == "rnn_relu_cell" ? "nonlinearity=\"relu\""
                                                             : std::string_view();
}

bool IsConstructed(std::string_view attribute) {
  return attribute != "training" && attribute != "need_weights";
}

bool TakesDimFirst(const OperatorRow& op) {
  return op.family == OperatorFamily::kGather && !op.attributes.empty() &&
         op.attributes[0].name == "dim" &&
         (op.name == "gather" || op.name.starts_with("scatter") || op.name.starts_with("index_"));
}

bool IsRequired(const OperatorRow& op, std::string_view attribute) {
  return op.name == "threshold" && (attribute == "threshold" || attribute == "value");
}

bool IsPositional(const OperatorRow& op, std::string_view attribute) {
  return op.family == OperatorFamily::kShape ||
         std::find(std::begin(kPositional), std::end(kPositional), attribute) !=
             std::end(kPositional);
}

}  // namespace kernelmill
