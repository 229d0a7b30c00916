#include "stages/mine/evaluate/operator_names.h"

#include <unordered_set>

namespace kernelmill {
namespace {

// A set of names, parsed from a text in which a space follows each name.
class NameSet {
 public:
  explicit NameSet(std::string_view text) {
    while (!text.empty()) {
      const auto space = text.find(' ');
      names_.insert(text.substr(0, space));
      text.remove_prefix(space + 1);
    }
  }
  bool Holds(std::string_view name) const { return names_.contains(name); }

 private:
  std::unordered_set<std::string_view> names_;
};

constexpr std::string_view kKeepsShape =
    "relu relu_ gelu silu silu_ sigmoid tanh exp log log2 log1p sqrt rsqrt abs neg sin cos "
    "tan sign round floor ceil erf softmax log_softmax dropout dropout2d alpha_dropout "
    "normalize contiguous clone detach float half double bfloat16 to type type_as cuda cpu "
    "clamp clamp_ clip square reciprocal cumsum cumprod flip roll softplus leaky_relu elu "
    "selu mish hardswish hardsigmoid hardtanh relu6 celu logsigmoid softsign tril triu "
    "masked_fill masked_fill_ nan_to_num requires_grad_ zeros_like ones_like rand_like "
    "randn_like full_like empty_like l2norm l2_normalize gumbel_softmax sinh cosh erfinv "
    "trunc frac logit detach_ fill_ zero_ expm1 fft ifft softmin threshold prelu renorm "
    "logcumsumexp trunc_normal_ normal_ uniform_ atan asin acos atanh asinh acosh ";
constexpr std::string_view kElementwise =
    "add sub mul div add_ sub_ mul_ div_ pow maximum minimum eq ne lt le gt ge logical_and "
    "logical_or logical_xor atan2 fmod remainder true_divide floor_divide subtract multiply "
    "divide rsub mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy "
    "binary_cross_entropy_with_logits kl_div MSELoss L1Loss SmoothL1Loss HuberLoss BCELoss "
    "BCEWithLogitsLoss KLDivLoss hypot xlogy lerp cosine_similarity isclose ";
constexpr std::string_view kReductions =
    "mean sum amax amin std var norm argmax argmin prod logsumexp all any median nanmean "
    "vector_norm max min count_nonzero ";

}  // namespace

bool KeepsShape(std::string_view name) {
  static const NameSet names(kKeepsShape);
  return names.Holds(name);
}

bool IsElementwise(std::string_view name) {
  static const NameSet names(kElementwise);
  return names.Holds(name);
}

bool IsReduction(std::string_view name) {
  static const NameSet names(kReductions);
  return names.Holds(name);
}

}  // namespace kernelmill
