#include "corpora/name_prior.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace kernelmill {
namespace {

struct Prior {
  std::string_view pattern;  // Matches the whole name, or its end after an underscore.
  std::string_view value;
};

// The first match is used, so longer and more specific names come first.
constexpr Prior kPriors[] = {
    {"dim_head", "64"},
    {"head_dim", "64"},
    {"mlp_dim", "1024"},
    {"hidden_dim", "1024"},
    {"hidden_features", "1024"},
    {"hidden_channels", "128"},
    {"hidden_size", "512"},
    {"ff_dim", "1024"},
    {"inner_dim", "1024"},
    {"dim_in", "256"},
    {"dim_out", "512"},
    {"in_dim", "256"},
    {"out_dim", "512"},
    {"input_dim", "256"},
    {"output_dim", "512"},
    {"in_channels", "64"},
    {"out_channels", "128"},
    {"in_chans", "3"},
    {"out_chans", "128"},
    {"in_planes", "64"},
    {"out_planes", "128"},
    {"inplanes", "64"},
    {"planes", "64"},
    {"in_features", "256"},
    {"out_features", "512"},
    {"in_chs", "64"},
    {"out_chs", "128"},
    {"mid_channels", "64"},
    {"mid_chs", "64"},
    {"num_input_features", "64"},
    {"growth_rate", "32"},
    {"bn_size", "4"},
    {"embed_dim", "256"},
    {"embedding_dim", "256"},
    {"d_model", "512"},
    {"n_embd", "512"},
    {"d_ff", "1024"},
    {"d_state", "16"},
    {"num_heads", "8"},
    {"n_heads", "8"},
    {"nhead", "8"},
    {"n_head", "8"},
    {"heads", "8"},
    {"kv_heads", "8"},
    {"num_layers", "2"},
    {"n_layers", "2"},
    {"depth", "2"},
    {"layers", "2"},
    {"num_classes", "100"},
    {"num_tokens", "1000"},
    {"vocab_size", "1000"},
    {"num_embeddings", "1000"},
    {"max_seq_len", "128"},
    {"seq_len", "128"},
    {"max_len", "128"},
    {"image_size", "64"},
    {"img_size", "64"},
    {"input_resolution", "(16, 16)"},
    {"patch_size", "8"},
    {"window_size", "8"},
    {"kernel_size", "3"},
    {"kernel", "3"},
    {"stride", "1"},
    {"padding", "1"},
    {"dilation", "1"},
    {"groups", "1"},
    {"num_groups", "8"},
    {"reduction", "16"},
    {"reduction_ratio", "16"},
    {"rank", "16"},
    {"r", "16"},
    {"dropout", "0.0"},
    {"drop", "0.0"},
    {"dropout_rate", "0.0"},
    {"drop_prob", "0.0"},
    {"p", "0.1"},
    {"eps", "1e-6"},
    {"alpha", "0.5"},
    {"beta", "0.5"},
    {"gamma", "2.0"},
    {"temperature", "0.07"},
    {"scale", "2"},
    {"scale_factor", "2"},
    {"upscale_factor", "2"},
    {"momentum", "0.1"},
    {"num_experts", "4"},
    {"top_k", "2"},
    {"topk", "2"},
    {"k", "3"},
    {"num_queries", "32"},
    {"num_latents", "32"},
    {"num_points", "4"},
    {"num_levels", "4"},
    {"num_frames", "8"},
    {"frames", "8"},
    {"expansion", "4"},
    {"mult", "4"},
    {"ratio", "4"},
    {"bias", "True"},
    {"causal", "False"},
    {"channels", "64"},
    {"chans", "64"},
    {"channel", "64"},
    {"inp", "64"},
    {"oup", "128"},
    {"dims", "256"},
    {"dim", "512"},
    {"width", "256"},
    {"size", "64"},
    {"features", "256"},
    {"normalized_shape", "256"},
    {"nf", "64"},
    {"ch", "64"},
    {"c1", "64"},
    {"c2", "128"},
    {"n", "2"},
    {"c", "64"},
};

}  // namespace

std::optional<std::string> MostCommonArgumentOf(std::string_view parameter) {
  std::string name(parameter);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  while (name.starts_with("_")) name.erase(0, 1);
  for (const Prior& prior : kPriors) {
    if (name == prior.pattern) return std::string(prior.value);
  }
  for (const Prior& prior : kPriors) {
    if (prior.pattern.size() > 2 && name.size() > prior.pattern.size() &&
        name.ends_with(prior.pattern) && name[name.size() - prior.pattern.size() - 1] == '_') {
      return std::string(prior.value);
    }
  }
  return std::nullopt;
}

}  // namespace kernelmill
