#include "generators/lowering/rows/row_spec.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "generators/lowering/contractions/contraction_spec.h"
#include "generators/lowering/element_writer.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/rows/row_states.h"

namespace kernelmill {
namespace {

// Whether it is an adaptive pooling to one element, so that a row has all spatial dimensions.
bool PoolsWhole(const OperatorGraph& graph, const Node& node) {
  if (!node.op->name.starts_with("adaptive_")) return false;
  const Attribute& sizes = AttributeOf(graph, node, "output_size");
  if (sizes.kind() != Attribute::Kind::kIntegers && sizes.kind() != Attribute::Kind::kInteger) {
    return false;
  }
  for (int d = 0; d < PooledDimensions(node.op->name); ++d) {
    if (AttributeAt(sizes, d) != 1) return false;
  }
  return true;
}

class SpecWriter {
 public:
  SpecWriter(GroupScope* scope, bool single_pass)
      : scope_(scope), node_(scope->head()), name_(node_.op->name), single_pass_(single_pass) {}

  std::optional<RowSpec> Write() {
    const bool pools_whole = PoolsWhole(scope_->graph(), node_);
    if (!HasRows(node_.op->family) && !IsProductWithVector() && !pools_whole) return std::nullopt;
    const auto operands = scope_->graph().operands(node_);
    if (operands.empty()) return std::nullopt;
    spec_.input = operands[0];
    const TensorType& type = scope_->TypeOf(spec_.input);
    if (type.dtype == DType::kFloat64) return std::nullopt;
    dtype_ = type.dtype;
    compute_ = scope_->Scalar(dtype_).compute;
    if (!SetGeometry(type.shape)) return std::nullopt;
    using enum OperatorFamily;
    bool known = false;
    switch (node_.op->family) {
      case kReduction:
      case kArgReduction:
      case kTriangular:
        spec_.one_result_per_row = true;
        known = Reduce();
        break;
      case kSoftmax:
        known = Softmax();
        break;
      case kLoss:
        spec_.one_result_per_row = true;
        known = Loss();
        break;
      case kNorm:
        known = Norm();
        break;
      case kMatmul:
        spec_.one_result_per_row = true;
        known = ProductWithVector();
        break;
      default:
        spec_.one_result_per_row = pools_whole;
        known = pools_whole && IsFloating(dtype_) && Reduce();
        break;
    }
    if (!known) return std::nullopt;
    return std::move(spec_);
  }

  static bool HasRows(OperatorFamily family) {
    using enum OperatorFamily;
    return family == kReduction || family == kArgReduction || family == kTriangular ||
           family == kSoftmax || family == kLoss || family == kNorm;
  }

  // The dimensions of the first operand that form a row.
  static std::vector<int> Reduced(const OperatorGraph& graph, const Node& node,
                                  const Shape& shape) {
    const int rank = shape.rank();
    const std::string_view name = node.op->name;
    std::vector<int> all = DimensionsOf(Attribute(), rank);
    if (name == "layer_norm" || name == "rms_norm") {
      const auto ending = AttributeOf(graph, node, "normalized_shape").integers();
      return {all.end() - static_cast<int>(ending.size()), all.end()};
    }
    if (name == "instance_norm") return {all.begin() + std::min(2, rank), all.end()};
    if (node.op->family == OperatorFamily::kMatmul) return {rank - 1};
    if (PoolsWhole(graph, node)) return {all.end() - PooledDimensions(node.op->name), all.end()};
    if (name == "batch_norm") {
      all.erase(all.begin() + 1);
      return all;
    }
    const int dim = FindAttribute(*node.op, "dim");
    return DimensionsOf(dim < 0 ? Attribute() : graph.attributes(node)[dim], rank);
  }

 private:
  bool SetGeometry(const Shape& shape) {
    if (name_ == "group_norm") {
      const std::vector<std::string> sizes = scope_->Sizes(spec_.input);
      const std::int64_t group_count = AttributeOf(scope_->graph(), node_, "num_groups").integer();
      const std::string groups = std::to_string(group_count);
      const std::string per_group =
          scope_->AddSize("group_channels", GroupScope::Parenthesized(sizes[1]) + " / " + groups);
      spec_.geometry.rows = scope_->AddSize("rows", GroupScope::Product({sizes[0], groups}));
      spec_.geometry.inner =
          scope_->AddSize("inner", GroupScope::Product({sizes.begin() + 2, sizes.end()}));
      spec_.geometry.length =
          scope_->AddSize("length", GroupScope::Product({per_group, spec_.geometry.inner}));
      spec_.geometry.row_count = shape[0] * group_count;
      spec_.geometry.row_length =
          shape.Elements() / std::max<std::int64_t>(1, spec_.geometry.row_count);
      channel_ = "row % " + groups + " * " + per_group +
                 (spec_.geometry.inner == "1" ? " + k" : " + k / " + spec_.geometry.inner);
      return true;
    }
    if (name_ == "batch_norm" && shape.rank() < 2) return false;
    const std::vector<int> reduced = Reduced(scope_->graph(), node_, shape);
    spec_.geometry = name_ == "trace" ? DiagonalOf(scope_, spec_.input)
                                      : GeometryOf(scope_, spec_.input, reduced);
    if (name_ == "instance_norm") channel_ = "row % " + scope_->Sizes(spec_.input)[1];
    if (name_ == "batch_norm") channel_ = "row";
    if (name_ == "layer_norm" || name_ == "rms_norm") channel_ = "k";
    return true;
  }

  void Add(RowAccumulator state, std::string variable, std::string added, std::string result) {
    spec_.passes.push_back(
        {std::move(state), std::move(variable), std::move(added), std::move(result)});
  }

  // Whether it is a product of a matrix's rows with one vector.
  bool IsProductWithVector() const {
    if (name_ != "dot" && name_ != "mv" && name_ != "matmul") return false;
    const auto operands = scope_->graph().operands(node_);
    return operands.size() == 2 && scope_->TypeOf(operands[1]).shape.rank() == 1;
  }

  bool ProductWithVector() {
    const ValueId vector = scope_->graph().operands(node_)[1];
    const std::string element =
        ToComputeType(scope_->TypeOf(vector).dtype, scope_->TensorName(vector) + "[k]");
    Add(SumState(compute_), "sum", "value * " + element, "");
    spec_.results = {"sum.total"};
    return true;
  }

  std::string Count() const { return "static_cast<float>(" + spec_.geometry.length + ")"; }

  bool Reduce() {
    const DType result = scope_->TypeOf(node_.first_result).dtype;
    const std::string to = scope_->Scalar(result).compute;
    const auto value_as = [&](const std::string& type) {
      return compute_ == type ? std::string("value") : "static_cast<" + type + ">(value)";
    };
    if (name_ == "sum" || name_ == "nansum" || name_ == "trace") {
      Add(SumState(to), "sum", name_ != "nansum" ? value_as(to) : "value != value ? 0.0f : value",
          "");
      spec_.results = {"sum.total"};
    } else if (name_ == "mean" || name_.starts_with("adaptive_avg")) {
      Add(SumState("float"), "sum", "value", "");
      spec_.results = {"sum.total / " + Count()};
    } else if (name_ == "prod") {
      Add(ProductState(to), "product", value_as(to), "");
      spec_.results = {"product.total"};
    } else if (name_ == "amax" || name_ == "max" || name_.starts_with("adaptive_max") ||
               name_ == "amin" || name_ == "min") {
      Add(ExtremeOf(compute_, dtype_, !name_.ends_with("min")), "extreme", "value", "");
      spec_.results = {"extreme.best"};
    } else if (name_ == "max_dim" || name_ == "min_dim") {
      Add(ArgExtremeOf(compute_, dtype_, name_ == "max_dim"), "extreme", "value", "");
      spec_.results = {"extreme.best", "extreme.index"};
    } else if (name_ == "argmax" || name_ == "argmin") {
      Add(ArgExtremeOf(compute_, dtype_, name_ == "argmax"), "extreme", "value", "");
      spec_.results = {"extreme.index"};
    } else if (name_ == "any" || name_ == "all") {
      Add(AnyOrAll(name_ == "all"), "flag", compute_ == "bool" ? "value" : "value != 0", "");
      spec_.results = {"flag.found != 0"};
    } else if (name_ == "count_nonzero") {
      Add(SumState("int64_t"), "sum", "value != 0 ? 1 : 0", "");
      spec_.results = {"sum.total"};
    } else if (name_ == "logsumexp") {
      LogSumExp();
    } else if (name_.starts_with("var") || name_.starts_with("std")) {
      return Variance();
    } else if (name_ == "norm" || name_ == "vector_norm" || name_ == "linalg_vector_norm") {
      return VectorNorm();
    } else {
      return false;
    }
    return true;
  }

  // The mean or sum of an expression of the operands' elements.
  bool Loss() {
    const int index = FindAttribute(*node_.op, "reduction");
    if (index < 0 || ElementExpressionOf(scope_->graph(), node_).empty()) return false;
    const std::string_view kind =
        node_.op->attributes[index]
            .choices[AttributeOf(scope_->graph(), node_, "reduction").choice()];
    if (kind == "none") return false;
    const auto operands = scope_->graph().operands(node_);
    const Shape& shape = scope_->TypeOf(operands[0]).shape;
    for (const ValueId id : operands) {
      if (id == kAbsent || !(scope_->TypeOf(id).shape == shape)) return false;
    }
    spec_.loss = true;
    Add(SumState("float"), "sum", "value", "");
    spec_.results = {"sum.total"};
    if (kind == "mean") spec_.results = {"sum.total / " + Count()};
    if (kind == "batchmean") {
      const std::vector<std::string> sizes = scope_->Sizes(operands[0]);
      if (sizes.empty()) return false;
      spec_.results = {"sum.total / static_cast<float>(" + sizes[0] + ")"};
    }
    return true;
  }

  void LogSumExp() {
    if (single_pass_) {
      Add(OnlineExponentials(), "sum", "value", "");
      spec_.results = {"sum.largest + logf(sum.total)"};
      // If the largest element is infinite, the result is infinite, unless an element is NaN.
      spec_.results[0] =
          "fabsf(sum.largest) == INFINITY && sum.total == sum.total ? sum.largest : " +
          spec_.results[0];
      return;
    }
    Add(ExtremeOf("float", DType::kFloat32, true), "extreme", "value",
        "// With an infinite maximum every difference would be NaN.\n"
        "const float largest = fabsf(extreme.best) == INFINITY ? 0.0f : extreme.best;\n");
    Add(SumState("float"), "sum", "expf(value - largest)", "");
    spec_.results = {"largest + logf(sum.total)"};
  }

  bool Variance() {
    double correction = 1;
    const int index = FindAttribute(*node_.op, "correction");
    if (index >= 0) {
      const Attribute& value = scope_->graph().attributes(node_)[index];
      if (!value.is_none()) correction = value.number();
    } else if (FindAttribute(*node_.op, "unbiased") >= 0) {
      correction = AttributeOf(scope_->graph(), node_, "unbiased").flag() ? 1 : 0;
    }
    const std::string divisor =
        correction == 0
            ? Count()
            : "fmaxf(" + Count() + " - " + Literal(correction, DType::kFloat32) + ", 0.0f)";
    std::string squares;
    if (single_pass_) {
      Add(Moments(), "moments", "value", "const float mean = moments.mean;\n");
      squares = "moments.m2";
    } else {
      AddMean();
      AddDistances();
      squares = "squares";
    }
    std::string variance = squares + " / " + divisor;
    if (name_.starts_with("std")) variance = "sqrtf(" + variance + ")";
    if (name_.ends_with("_mean")) {
      spec_.results = {variance, "mean"};
    } else {
      spec_.results = {variance};
    }
    return true;
  }

  bool VectorNorm() {
    const std::string_view key = FindAttribute(*node_.op, "p") >= 0 ? "p" : "ord";
    const Attribute& attribute = AttributeOf(scope_->graph(), node_, key);
    return NormOf(attribute.is_none() ? 2.0 : attribute.number());
  }

  // Sets the norm as the result.
  bool NormOf(double p) {
    if (p == 2) {
      Add(SumState("float"), "sum", "value * value", "");
      spec_.results = {"sqrtf(sum.total)"};
    } else if (p == 1) {
      Add(SumState("float"), "sum", "fabsf(value)", "");
      spec_.results = {"sum.total"};
    } else if (p == 0) {
      Add(SumState("float"), "sum", "value != 0.0f ? 1.0f : 0.0f", "");
      spec_.results = {"sum.total"};
    } else if (std::isinf(p)) {
      Add(ExtremeOf("float", DType::kFloat32, p > 0), "extreme", "fabsf(value)", "");
      spec_.results = {"extreme.best"};
    } else {
      const std::string power = Literal(p, DType::kFloat32);
      Add(SumState("float"), "sum", "powf(fabsf(value), " + power + ")", "");
      spec_.results = {"powf(sum.total, 1.0f / " + power + ")"};
    }
    return true;
  }

  bool Softmax() {
    const std::string sign = name_ == "softmin" ? "-" : "";
    if (single_pass_) {
      Add(OnlineExponentials(), "sum", sign + "value",
          "const float largest = sum.largest;\n"
          "// torch makes NaN of a whole row where one is infinite.\n"
          "const float total = fabsf(largest) == INFINITY ? NAN : sum.total;\n");
    } else {
      Add(ExtremeOf("float", DType::kFloat32, true), "extreme", sign + "value",
          "const float largest = extreme.best;\n");
      Add(SumState("float"), "sum", "expf(" + sign + "value - largest)",
          "const float total = sum.total;\n");
    }
    if (name_ == "log_softmax") {
      spec_.passes.back().result += "const float log_total = logf(total);\n";
      spec_.results = {"value - largest - log_total"};
    } else {
      spec_.results = {"expf(" + sign + "value - largest) / total"};
    }
    return name_ == "log_softmax" || name_ == "softmax" || name_ == "softmin";
  }

  void AddMean() {
    Add(SumState("float"), "sum", "value",
        "const float first_mean = sum.total / " + Count() + ";\n");
  }

  // Computes `mean` and `squares`, the sum of squared differences from it.
  void AddDistances() {
    Add(Distances(), "distances", "value - first_mean",
        "// Rounding left the first mean a little beside the true one.\n"
        "const float rest = distances.total / " +
            Count() +
            ";\n"
            "const float mean = first_mean + rest;\n"
            "const float squares = fmaxf(distances.squares - distances.total * rest, 0.0f);\n");
  }

  // The element of an affine parameter, or "" when it is absent.
  std::string Affine(std::string_view operand) {
    const auto operands = scope_->graph().operands(node_);
    for (std::size_t i = 0; i < operands.size() && i < node_.op->operands.size(); ++i) {
      if (node_.op->operands[i].name != operand || operands[i] == kAbsent) continue;
      return ToComputeType(scope_->TypeOf(operands[i]).dtype,
                           scope_->TensorName(operands[i]) + '[' + channel_ + ']');
    }
    return "";
  }

  bool Norm() {
    if (name_ == "normalize") return Normalize();
    std::string normal;
    const Attribute& eps_attribute = AttributeOf(scope_->graph(), node_, "eps");
    // The default epsilon of rms_norm is that of the type it computes in (see torch's decomposition
    // of _fused_rms_norm), not of its input, as its documentation says.
    const double epsilon = eps_attribute.is_none() ? double{std::numeric_limits<float>::epsilon()}
                                                   : eps_attribute.number();
    const std::string eps = Literal(epsilon, DType::kFloat32);
    if (name_ == "rms_norm") {
      Add(SumState("float"), "squares", "value * value",
          "const float scale = rsqrtf(squares.total / " + Count() + " + " + eps + ");\n");
      normal = "value * scale";
    } else if (name_ == "layer_norm" || name_ == "group_norm" || name_ == "instance_norm" ||
               name_ == "batch_norm") {
      if (UsesStatistics()) return false;
      if (single_pass_) {
        Add(Moments(), "moments", "value",
            "const float mean = moments.mean;\nconst float scale = rsqrtf(moments.m2 / " + Count() +
                " + " + eps + ");\n");
      } else {
        AddMean();
        AddDistances();
        spec_.passes.back().result +=
            "const float scale = rsqrtf(squares / " + Count() + " + " + eps + ");\n";
      }
      normal = "(value - mean) * scale";
    } else {
      return false;
    }
    const std::string weight = Affine("weight"), bias = Affine("bias");
    if (!weight.empty()) normal += " * " + weight;
    if (!bias.empty()) normal += " + " + bias;
    spec_.results = {normal};
    return true;
  }

  // Whether batch norm is in evaluation mode and uses running statistics.
  bool UsesStatistics() const {
    if (scope_->group().head_is_module) return false;
    const int training = FindAttribute(*node_.op, "training");
    const int input_stats = FindAttribute(*node_.op, "use_input_stats");
    if (training >= 0) return !scope_->graph().attributes(node_)[training].flag();
    return input_stats >= 0 && !scope_->graph().attributes(node_)[input_stats].flag();
  }

  bool Normalize() {
    const Attribute& p = AttributeOf(scope_->graph(), node_, "p");
    if (!NormOf(p.is_none() ? 2.0 : p.number())) return false;
    const Attribute& eps = AttributeOf(scope_->graph(), node_, "eps");
    spec_.passes.back().result = "const float scale = fmaxf(" + spec_.results[0] + ", " +
                                 Literal(eps.is_none() ? 1e-12 : eps.number(), DType::kFloat32) +
                                 ");\n";
    spec_.results = {"value / scale"};
    return true;
  }

  GroupScope* scope_;
  const Node& node_;
  std::string_view name_;
  bool single_pass_;
  DType dtype_ = DType::kFloat32;
  std::string compute_, channel_;
  RowSpec spec_;
};

}  // namespace

std::optional<RowSpec> RowSpecOf(GroupScope* scope, bool single_pass) {
  return SpecWriter(scope, single_pass).Write();
}

std::optional<RowSpec> SpecOfGroup(const OperatorGraph& graph, const FusionGroup& group,
                                   bool single_pass) {
  if (group.head < 0) return std::nullopt;
  const std::vector<std::string> names(graph.values().size());
  GroupScope scope(graph, group, kCudaBackend, names, "");
  return RowSpecOf(&scope, single_pass);
}

bool HasSinglePass(const OperatorGraph& graph, const FusionGroup& group) {
  const std::optional<RowSpec> spec = SpecOfGroup(graph, group, false);
  return spec && spec->passes.size() > 1;
}

}  // namespace kernelmill
