#include "stages/mine/evaluate/layer_signatures.h"

#include <algorithm>
#include <array>

namespace kernelmill {
namespace {

// Source: the signatures of torch.nn. Unused entries at the end are empty.
struct Signature {
  std::string_view layer;
  std::array<std::string_view, 8> parameters;
};

constexpr Signature kSignatures[] = {
    {"Linear", {"in_features", "out_features", "bias"}},
    {"LazyLinear", {"out_features"}},
    {"Bilinear", {"in1_features", "in2_features", "out_features"}},
    {"Conv1d",
     {"in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups",
      "bias"}},
    {"Conv2d",
     {"in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups",
      "bias"}},
    {"Conv3d",
     {"in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups",
      "bias"}},
    {"ConvTranspose1d",
     {"in_channels", "out_channels", "kernel_size", "stride", "padding", "output_padding", "groups",
      "bias"}},
    {"ConvTranspose2d",
     {"in_channels", "out_channels", "kernel_size", "stride", "padding", "output_padding", "groups",
      "bias"}},
    {"ConvTranspose3d",
     {"in_channels", "out_channels", "kernel_size", "stride", "padding", "output_padding", "groups",
      "bias"}},
    {"BatchNorm1d", {"num_features", "eps"}},
    {"BatchNorm2d", {"num_features", "eps"}},
    {"BatchNorm3d", {"num_features", "eps"}},
    {"SyncBatchNorm", {"num_features", "eps"}},
    {"InstanceNorm1d", {"num_features", "eps"}},
    {"InstanceNorm2d", {"num_features", "eps"}},
    {"InstanceNorm3d", {"num_features", "eps"}},
    {"LayerNorm", {"normalized_shape", "eps"}},
    {"RMSNorm", {"normalized_shape", "eps"}},
    {"GroupNorm", {"num_groups", "num_channels"}},
    {"Embedding", {"num_embeddings", "embedding_dim"}},
    {"MultiheadAttention", {"embed_dim", "num_heads", "dropout"}},
    {"TransformerEncoderLayer", {"d_model", "nhead", "dim_feedforward"}},
    {"TransformerDecoderLayer", {"d_model", "nhead", "dim_feedforward"}},
    {"TransformerEncoder", {"encoder_layer", "num_layers"}},
    {"GRU", {"input_size", "hidden_size", "num_layers"}},
    {"LSTM", {"input_size", "hidden_size", "num_layers"}},
    {"RNN", {"input_size", "hidden_size", "num_layers"}},
    {"LSTMCell", {"input_size", "hidden_size"}},
    {"GRUCell", {"input_size", "hidden_size"}},
    {"PixelShuffle", {"upscale_factor"}},
    {"PixelUnshuffle", {"downscale_factor"}},
    {"Flatten", {"start_dim", "end_dim"}},
    {"Unflatten", {"dim", "unflattened_size"}},
    {"PReLU", {"num_parameters"}},
    {"MaxPool1d", {"kernel_size", "stride", "padding"}},
    {"MaxPool2d", {"kernel_size", "stride", "padding"}},
    {"MaxPool3d", {"kernel_size", "stride", "padding"}},
    {"AvgPool1d", {"kernel_size", "stride", "padding"}},
    {"AvgPool2d", {"kernel_size", "stride", "padding"}},
    {"AvgPool3d", {"kernel_size", "stride", "padding"}},
    {"AdaptiveAvgPool1d", {"output_size"}},
    {"AdaptiveAvgPool2d", {"output_size"}},
    {"AdaptiveAvgPool3d", {"output_size"}},
    {"AdaptiveMaxPool2d", {"output_size"}},
    {"Upsample", {"size", "scale_factor"}},
    {"Rearrange", {"pattern"}},
    {"Reduce", {"pattern", "reduction"}},
    {"Dropout", {"p"}},
    {"CosineSimilarity", {"dim", "eps"}},
};

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

std::span<const std::string_view> LayerParameters(std::string_view layer) {
  for (const Signature& signature : kSignatures) {
    if (signature.layer == layer) return signature.parameters;
  }
  return {};
}

std::vector<std::string_view> RequiredParameters(std::string_view layer) {
  std::size_t count = 0;
  if (layer.starts_with("Conv") || layer == "Bilinear") {
    count = 3;
  } else if (layer == "Linear" || layer == "GroupNorm" || layer == "Embedding" ||
             layer.ends_with("Cell") || layer == "GRU" || layer == "LSTM" || layer == "RNN" ||
             layer == "MultiheadAttention" || layer.ends_with("coderLayer")) {
    count = 2;
  } else if (Contains(layer, "Norm") || Contains(layer, "Pool") || Contains(layer, "Shuffle")) {
    count = 1;
  }
  const std::span<const std::string_view> parameters = LayerParameters(layer);
  const auto required = parameters.first(std::min(count, parameters.size()));
  return {required.begin(), required.end()};
}

int SpatialDimensions(std::string_view layer) {
  if (layer.ends_with("1d")) return 1;
  if (layer.ends_with("2d")) return 2;
  return layer.ends_with("3d") ? 3 : 0;
}

}  // namespace kernelmill
