#include "generators/lowering/rows/sample_loss.h"

#include <cmath>

#include "generators/lowering/operator_class.h"

namespace kernelmill {
namespace {

class SampleLossWriter {
 public:
  explicit SampleLossWriter(GroupScope* scope)
      : scope_(*scope),
        graph_(scope->graph()),
        node_(scope->head()),
        operands_(graph_.operands(node_)) {}

  std::optional<SampleLoss> Write() {
    if (node_.op->family != OperatorFamily::kLoss || FindAttribute(*node_.op, "reduction") < 0) {
      return std::nullopt;
    }
    const Shape& shape = ShapeOf(0);
    if (shape.rank() == 0 || !IsFloating(TypeOf(0).dtype) || TypeOf(0).dtype == DType::kFloat64) {
      return std::nullopt;
    }
    const std::string_view name = node_.op->name;
    const bool of_classes = name == "cross_entropy" || name == "nll_loss";
    const int dim = of_classes && shape.rank() > 1 ? 1 : shape.rank() - 1;
    loss_.geometry = GeometryOf(&scope_, operands_[0], {dim});
    loss_.reduction = Choice("reduction");
    holes_ = {{"index", scope_.index()}, {"length", loss_.geometry.length}, {"x", Row(0)}};
    bool known = false;
    if (name == "cross_entropy") {
      known = CrossEntropy();
    } else if (name == "nll_loss") {
      known = HasClasses(dim);
      loss_.statements = FillHoles("@class@\nconst float loss = -@x@;\n", holes_);
    } else if (name == "multi_margin_loss") {
      known = MultiMargin();
    } else if (name == "multilabel_soft_margin_loss") {
      known = Multilabel();
    } else if (name == "triplet_margin_loss") {
      known = Triplet();
    } else if (name == "cosine_embedding_loss") {
      known = CosineEmbedding();
    }
    if (!known) return std::nullopt;
    return std::move(loss_);
  }

 private:
  const TensorType& TypeOf(int operand) const { return scope_.TypeOf(operands_[operand]); }
  const Shape& ShapeOf(int operand) const { return TypeOf(operand).shape; }
  bool IsAlike(int operand) const {
    return ShapeOf(operand) == ShapeOf(0) && IsFloating(TypeOf(operand).dtype) &&
           TypeOf(operand).dtype != DType::kFloat64;
  }
  std::string Choice(std::string_view name) const {
    const int index = FindAttribute(*node_.op, name);
    return std::string(
        node_.op->attributes[index].choices[graph_.attributes(node_)[index].choice()]);
  }
  double Number(std::string_view name) const { return AttributeOf(graph_, node_, name).number(); }
  static std::string Text(double number) { return Literal(number, DType::kFloat32); }

  // Element k of the sample's row, in an operand with the first one's shape.
  std::string Row(int operand) const {
    return ToComputeType(TypeOf(operand).dtype, scope_.TensorName(operands_[operand]) + '[' +
                                                    loss_.geometry.Position() + ']');
  }
  std::string Loop(const std::string& body) const {
    return FillHoles(
        "for (@index@ k = 0; k < @length@; ++k) {\n  @body@\n}\n",
        {{"index", scope_.index()}, {"length", loss_.geometry.length}, {"body", body}});
  }

  // Whether the target is one class index per sample. If so, sets the hole @class@, which declares
  // `k` as the class of sample `row`.
  bool HasClasses(int dim) {
    Shape samples = ShapeOf(0);
    samples.Erase(dim);
    if (operands_.size() < 2 || IsFloating(TypeOf(1).dtype) || ShapeOf(1) != samples) return false;
    holes_["class"] = "const " + scope_.index() + " k = " + scope_.TensorName(operands_[1]) + "[" +
                      (samples.rank() == 0 ? "0" : "row") + "];\n";
    return true;
  }

  bool CrossEntropy() {
    const double smoothing = Number("label_smoothing");
    const bool probabilities = IsFloating(TypeOf(1).dtype);
    if (probabilities ? !IsAlike(1) : !HasClasses(ShapeOf(0).rank() > 1 ? 1 : 0)) return false;
    loss_.why = "exp of a difference of at most zero cannot overflow";
    loss_.statements = FillHoles(R"(
float largest = -INFINITY;
for (@index@ k = 0; k < @length@; ++k) largest = fmaxf(largest, @x@);
float total = 0.0f;
for (@index@ k = 0; k < @length@; ++k) total += expf(@x@ - largest);
const float log_total = largest + logf(total);
)",
                                 holes_);
    const std::string keep = Text(1 - smoothing), spread = Text(smoothing);
    if (probabilities) {
      std::string share = Row(1);
      if (smoothing != 0) {
        share = "(" + keep + " * " + share + " + " + spread + " / " + loss_.geometry.length + ")";
      }
      loss_.statements +=
          "float loss = 0.0f;\n" + Loop("loss += " + share + " * (log_total - " + Row(0) + ");\n");
    } else if (smoothing == 0) {
      loss_.statements += FillHoles("@class@\nconst float loss = log_total - @x@;\n", holes_);
    } else {
      loss_.statements +=
          "// The smoothed target gives every class its share.\nfloat of_row = 0.0f;\n" +
          FillHoles("for (@index@ k = 0; k < @length@; ++k) of_row += @x@;\n@class@\n", holes_) +
          "const float loss = log_total - " + keep + " * " + Row(0) + " - " + spread +
          " * of_row / " + loss_.geometry.length + ";\n";
    }
    return true;
  }

  bool MultiMargin() {
    if (ShapeOf(0).rank() > 2) return false;
    const bool single = ShapeOf(0).rank() == 1;
    if (operands_.size() != 2 || IsFloating(TypeOf(1).dtype) ||
        ShapeOf(1).Elements() != (single ? 1 : ShapeOf(0)[0])) {
      return false;
    }
    const std::int64_t power = AttributeOf(graph_, node_, "p").integer();
    if (power != 1 && power != 2) return false;
    loss_.statements = "const " + scope_.index() + " own = " + scope_.TensorName(operands_[1]) +
                       "[" + (single ? "0" : "row") + "];\nfloat of_class = 0.0f;\n{\n  const " +
                       scope_.index() + " k = own;\n  of_class = " + Row(0) +
                       ";\n}\nfloat loss = 0.0f;\n" +
                       Loop("const float missed = " + Text(Number("margin")) + " - of_class + " +
                            Row(0) + ";\nif (k != own && missed > 0.0f) loss += " +
                            (power == 1 ? "missed" : "missed * missed") + ";\n") +
                       "loss /= " + loss_.geometry.length + ";\n";
    return true;
  }

  bool Multilabel() {
    if (operands_.size() != 2 || !IsAlike(1)) return false;
    loss_.why = "log1p(exp(-|x|)) neither overflows nor loses what is small";
    loss_.statements = "float loss = 0.0f;\n" +
                       Loop("const float value = " + Row(0) + ", label = " + Row(1) +
                            ";\n// log(sigmoid(x)) = min(x, 0) - log(1 + exp(-|x|)).\n"
                            "const float rest = log1pf(expf(-fabsf(value)));\n"
                            "loss -= label * (fminf(value, 0.0f) - rest) + "
                            "(1.0f - label) * (fminf(-value, 0.0f) - rest);\n") +
                       "loss /= " + loss_.geometry.length + ";\n";
    return true;
  }

  bool Triplet() {
    if (operands_.size() != 3 || !IsAlike(1) || !IsAlike(2)) return false;
    const double order = Number("p");
    if (order <= 0) return false;
    const bool swap = AttributeOf(graph_, node_, "swap").flag();
    const std::string power = Text(order);
    const auto add = [&](const std::string& sum, const std::string& from, const std::string& to) {
      const std::string distance = "fabsf(" + from + " - " + to + " + 1e-06f)";
      if (order == 1) return sum + " += " + distance + ";\n";
      if (std::isinf(order)) return sum + " = fmaxf(" + sum + ", " + distance + ");\n";
      return sum + " += powf(" + distance + ", " + power + ");\n";
    };
    const auto root = [&](const std::string& sum) {
      if (order == 1 || std::isinf(order)) return sum;
      return order == 2 ? "sqrtf(" + sum + ")" : "powf(" + sum + ", 1.0f / " + power + ")";
    };
    std::string body = "const float anchor_value = " + Row(0) + ", positive_value = " + Row(1) +
                       ", negative_value = " + Row(2) + ";\n";
    body += add("near", "anchor_value", "positive_value") +
            add("far", "anchor_value", "negative_value");
    if (swap) body += add("across", "positive_value", "negative_value");
    loss_.statements = "float near = 0.0f, far = 0.0f" +
                       std::string(swap ? ", across = 0.0f" : "") + ";\n" + Loop(body);
    const std::string negative =
        swap ? "fminf(" + root("far") + ", " + root("across") + ")" : root("far");
    loss_.statements += "const float loss = fmaxf(" + Text(Number("margin")) + " + " +
                        root("near") + " - " + negative + ", 0.0f);\n";
    return true;
  }

  bool CosineEmbedding() {
    Shape samples = ShapeOf(0);
    samples.Erase(samples.rank() - 1);
    if (operands_.size() != 3 || !IsAlike(1) || ShapeOf(2) != samples) return false;
    const std::string sign = ToComputeType(
        TypeOf(2).dtype, scope_.TensorName(operands_[2]) + (samples.rank() == 0 ? "[0]" : "[row]"));
    loss_.statements = "float dot = 0.0f, left = 0.0f, right = 0.0f;\n" +
                       Loop("const float u = " + Row(0) + ", v = " + Row(1) +
                            ";\ndot += u * v;\nleft += u * u;\nright += v * v;\n") +
                       "const float cosine = dot / sqrtf((left + 1e-12f) * (right + 1e-12f));\n"
                       "const float sign = " +
                       sign +
                       ";\nconst float loss = sign == 1.0f    ? 1.0f - cosine\n"
                       "                   : sign == -1.0f ? fmaxf(cosine - " +
                       Text(Number("margin")) +
                       ", 0.0f)\n                                   : 0.0f;\n";
    return true;
  }

  GroupScope& scope_;
  const OperatorGraph& graph_;
  const Node& node_;
  std::span<const ValueId> operands_;
  Holes holes_;
  SampleLoss loss_;
};

}  // namespace

std::optional<SampleLoss> SampleLossOf(GroupScope* scope) {
  return SampleLossWriter(scope).Write();
}

}  // namespace kernelmill
