#include "generators/reasoning/operator_formulas.h"

#include "corpora/operators/operator_table.h"

namespace kernelmill {
namespace {

struct Definition {
  std::string_view op, formula, note;
};

constexpr std::string_view kAffine = "then weight and bias where there are any";
constexpr std::string_view kBias = "and the bias on top where there is one";
constexpr std::string_view kGroup = "over the channels of its group";

// x is what is reduced or transformed, y the result, m a maximum and n the number of elements that
// belong together.
constexpr Definition kDefinitions[] = {
    {"sum", "y = sum_k x[k]"},
    {"mean", "y = sum_k x[k] / n"},
    {"prod", "y = prod_k x[k]"},
    {"amax", "y = max_k x[k]"},
    {"amin", "y = min_k x[k]"},
    {"max", "y = max_k x[k]"},
    {"min", "y = min_k x[k]"},
    {"var", "y = sum_k (x[k] - mean)^2 / (n - correction)"},
    {"std", "y = sqrt(sum_k (x[k] - mean)^2 / (n - correction))"},
    {"logsumexp", "y = m + log(sum_k exp(x[k] - m)), m = max_k x[k]"},
    {"all", "y = and_k (x[k] != 0)"},
    {"any", "y = or_k (x[k] != 0)"},
    {"count_nonzero", "y = sum_k (x[k] != 0)"},
    {"argmax", "y = k with x[k] = max_j x[j]"},
    {"argmin", "y = k with x[k] = min_j x[j]"},
    {"softmax", "y[k] = exp(x[k] - m) / sum_j exp(x[j] - m), m = max_j x[j]"},
    {"softmin", "y[k] = exp(m - x[k]) / sum_j exp(m - x[j]), m = min_j x[j]"},
    {"log_softmax", "y[k] = x[k] - m - log(sum_j exp(x[j] - m)), m = max_j x[j]"},
    {"layer_norm", "y[k] = (x[k] - mean) / sqrt(var + eps)", kAffine},
    {"group_norm", "y = (x - mean_g) / sqrt(var_g + eps)", kAffine},
    {"instance_norm", "y = (x - mean_c) / sqrt(var_c + eps)", kAffine},
    {"rms_norm", "y[k] = x[k] / sqrt(sum_j x[j]^2 / n + eps)", kAffine},
    {"batch_norm", "y = (x - mean[c]) / sqrt(var[c] + eps)", kAffine},
    {"normalize", "y[k] = x[k] / max(norm(x), eps)"},
    {"cumsum", "y[k] = y[k - 1] + x[k]"},
    {"cumprod", "y[k] = y[k - 1] * x[k]"},
    {"cummax", "y[k] = max(y[k - 1], x[k])"},
    {"cummin", "y[k] = min(y[k - 1], x[k])"},
    {"linear", "y[r][o] = sum_k x[r][k] * weight[o][k]", kBias},
    {"matmul", "y[i][j] = sum_k a[i][k] * b[k][j]"},
    {"mm", "y[i][j] = sum_k a[i][k] * b[k][j]"},
    {"bmm", "y[b][i][j] = sum_k a[b][i][k] * b[b][k][j]"},
    {"mv", "y[i] = sum_k a[i][k] * x[k]"},
    {"dot", "y = sum_k a[k] * b[k]"},
    {"outer", "y[i][j] = a[i] * b[j]"},
    {"addmm", "y[i][j] = beta * c[i][j] + alpha * sum_k a[i][k] * b[k][j]"},
    {"conv1d", "y[n][o][l] = sum_{c,t} w[o][c][t] * x[n][c][l * stride + t * dilation - padding]",
     kGroup},
    {"conv2d",
     "y[n][o][p][q] = sum_{c,r,s} w[o][c][r][s] * x[n][c][p * stride + r * "
     "dilation - padding][q * stride + s * dilation - padding]",
     kGroup},
    {"max_pool2d",
     "y[n][c][p][q] = max_{r,s} x[n][c][p * stride + r * dilation - padding][q * "
     "stride + s * dilation - padding]"},
    {"avg_pool2d",
     "y[n][c][p][q] = sum_{r,s} x[n][c][p * stride + r - padding][q * stride + s - "
     "padding] / count"},
    {"embedding", "y[i] = weight[indices[i]]"},
    {"scaled_dot_product_attention", "y[q] = sum_k softmax_k(scale * dot(Q[q], K[k])) * V[k]"},
    {"mse_loss", "(a - b)^2", "averaged, added up or left as they are"},
    {"cross_entropy", "loss = log(sum_j exp(x[j] - m)) + m - x[target]"},
    {"tril", "y[i][j] = x[i][j] where j - i <= diagonal, else 0"},
    {"triu", "y[i][j] = x[i][j] where j - i >= diagonal, else 0"},
    {"glu", "y = a / (1 + exp(-b))", "with a and b the halves of the input"},
};

}  // namespace

std::string_view NoteOf(std::string_view op) {
  for (const Definition& definition : kDefinitions) {
    if (definition.op == op) return definition.note;
  }
  return "";
}

std::string FormulaOf(std::string_view op) {
  for (const Definition& definition : kDefinitions) {
    if (definition.op == op) return std::string(definition.formula);
  }
  const OperatorRow* const row = FindOperator(op);
  if (row == nullptr || row->family == OperatorFamily::kLoss) return "";
  std::string text;
  for (std::size_t i = 0; i < row->scalar.size(); ++i) {
    const char c = row->scalar[i];
    if (c == '$' && i + 1 < row->scalar.size()) {
      text += static_cast<char>('a' + (row->scalar[++i] - '0'));
    } else if (c != '{' && c != '}') {
      text += c;
    }
  }
  // A copy has no formula worth writing.
  return text == "a" ? "" : text;
}

}  // namespace kernelmill
