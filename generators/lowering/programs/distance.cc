// Element programs of distances, searches and other operators whose elements need whole rows of the
// operands.
#include <cmath>

#include "generators/lowering/element_program.h"
#include "generators/lowering/operator_class.h"
#include "generators/lowering/sizes/size_rules.h"

namespace kernelmill {
namespace {

using Axes = std::vector<std::string>;

// Sums |difference|^p and takes the root.
bool WriteNorm(ElementProgram* p, double norm, const std::string& count,
               const std::string& difference) {
  const std::string exponent = Literal(norm, DType::kFloat32);
  std::string update = "sum += powf(fabsf(difference), " + exponent + ");",
              end = "powf(sum, 1.0f / " + exponent + ")";
  if (norm == 2) {
    update = "sum += difference * difference;";
    end = "sqrtf(sum)";
  } else if (norm == 1) {
    update = "sum += fabsf(difference);";
    end = "sum";
  } else if (std::isinf(norm)) {
    update = "sum = fmaxf(sum, fabsf(difference));";
    end = "sum";
  } else if (norm == 0) {
    update = "sum += difference != 0.0f ? 1.0f : 0.0f;";
    end = "sum";
  }
  p->Line("float sum = 0.0f;");
  p->Line("for (" + p->Index() + " j = 0; j < " + count +
          "; ++j) {\n  const float difference = " + difference + ";\n  " + update + "\n}");
  p->Result(end);
  return true;
}

bool Cdist(ElementProgram* p) {
  const int rank = p->result_shape().rank();
  if (p->shape(0).rank() != rank || p->shape(1).rank() != rank) return false;
  for (int d = 0; d + 2 < rank; ++d) {
    if (p->shape(0)[d] != p->shape(1)[d]) return false;
  }
  Axes left(p->axes().begin(), p->axes().end() - 1), right(p->axes().begin(), p->axes().end() - 2);
  right.push_back(p->axes().back());
  left.push_back("j");
  right.push_back("j");
  return WriteNorm(p, p->attribute("p").number(), p->Sizes(0).back(),
                   p->Read(0, left) + " - " + p->Read(1, right));
}

bool PairwiseDistance(ElementProgram* p) {
  if (!(p->shape(0) == p->shape(1))) return false;
  Axes at = p->axes();
  if (p->attribute("keepdim").flag()) at.pop_back();
  at.push_back("j");
  return WriteNorm(p, p->attribute("p").number(), p->Sizes(0).back(),
                   p->Read(0, at) + " - " + p->Read(1, at) + " + " +
                       Literal(p->attribute("eps").number(), DType::kFloat32));
}

bool CosineSimilarity(ElementProgram* p) {
  if (!(p->shape(0) == p->shape(1))) return false;
  const int dim = p->Dimension("dim", p->shape(0).rank());
  Axes at = p->axes();
  at.insert(at.begin() + dim, "j");
  const std::string eps = Literal(p->attribute("eps").number(), DType::kFloat32);
  p->Line("float dot = 0.0f, left = 0.0f, right = 0.0f;");
  p->Line("for (" + p->Index() + " j = 0; j < " + p->Sizes(0)[dim] +
          "; ++j) {\n  const float u = " + p->Read(0, at) + ", v = " + p->Read(1, at) +
          ";\n  dot += u * v;\n  left += u * u;\n  right += v * v;\n}");
  p->Result("dot / (fmaxf(sqrtf(left), " + eps + ") * fmaxf(sqrtf(right), " + eps + "))");
  return true;
}

// The number of elements of a sorted row before the value.
bool Search(ElementProgram* p) {
  const bool buckets = p->name() == "bucketize";
  const int values = buckets ? 0 : 1, sorted = buckets ? 1 : 0;
  Axes at = p->axes();
  if (p->shape(sorted).rank() == 1) {
    at.clear();
  } else {
    at.pop_back();
  }
  at.push_back("middle");
  const std::string type = p->scope().Scalar(p->operands()[values]).compute;
  p->Line("const " + type + " value = " + p->Read(values, p->axes()) + ";");
  const std::string before = p->attribute("right").flag() ? "<= value" : "< value";
  p->Line(FillHoles(R"(
@index@ low = 0, high = @count@;
while (low < high) {
  const @index@ middle = low + (high - low) / 2;
  if (@read@ @before@) {
    low = middle + 1;
  } else {
    high = middle;
  }
}
)",
                    {{"index", p->Index()},
                     {"count", p->Sizes(sorted).back()},
                     {"read", p->Read(sorted, at)},
                     {"before", before}}));
  p->Result("low");
  return true;
}

// Batch norm in evaluation mode, with running statistics.
bool BatchNorm(ElementProgram* p) {
  if (p->scope().group().head_is_module || p->attribute("training").flag() || !p->Has(1))
    return false;
  const std::string c = p->axes()[1];
  std::string value = "(" + p->Read(0, p->axes()) + " - " + p->Read(1, {c}) + ") * rsqrtf(" +
                      p->Read(2, {c}) + " + " +
                      Literal(p->attribute("eps").number(), DType::kFloat32) + ")";
  if (p->Has(3)) value += " * " + p->Read(3, {c});
  if (p->Has(4)) value += " + " + p->Read(4, {c});
  p->Result(value);
  return true;
}

// A loss with reduction="none".
bool ElementLoss(ElementProgram* p) {
  const int index = FindAttribute(*p->node().op, "reduction");
  if (index < 0 ||
      p->node().op->attributes[index].choices[p->attribute("reduction").choice()] != "none")
    return false;
  if (ElementExpressionOf(p->scope().graph(), p->node()).empty()) return false;
  std::vector<std::string> elements;
  ElementWriter writer(&p->scope());
  for (std::size_t i = 0; i < p->operands().size(); ++i) {
    if (!p->Has(i) || !(p->shape(static_cast<int>(i)) == p->result_shape())) return false;
    const std::string name = "operand" + std::to_string(i);
    p->Line("const float " + name + " = " + p->Read(static_cast<int>(i), p->axes()) + ";");
    elements.push_back(name);
  }
  p->Result(writer.Expression(p->node(), elements));
  return true;
}

SymbolicShape CdistSizes(GroupScope* scope, const Node& node) {
  const auto operands = scope->graph().operands(node);
  SymbolicShape sizes = scope->Sizes(operands[0]);
  const SymbolicShape other = scope->Sizes(operands[1]);
  sizes.back() = other[other.size() - 2];
  return sizes;
}

SymbolicShape PairwiseSizes(GroupScope* scope, const Node& node) {
  SymbolicShape sizes = scope->Sizes(scope->graph().operands(node)[0]);
  sizes.pop_back();
  if (AttributeOf(scope->graph(), node, "keepdim").flag()) sizes.emplace_back("1");
  return sizes;
}

SymbolicShape SimilaritySizes(GroupScope* scope, const Node& node) {
  SymbolicShape sizes = scope->Sizes(scope->graph().operands(node)[0]);
  const int rank = static_cast<int>(sizes.size());
  sizes.erase(sizes.begin() + DimensionOf(scope->graph(), node, "dim", rank));
  return sizes;
}

SymbolicShape SizesOfValues(GroupScope* scope, const Node& node) {
  return scope->Sizes(scope->graph().operands(node)[1]);
}

}  // namespace

void AddDistancePrograms(std::vector<ProgramRow>* rows) {
  constexpr std::string_view kRows = "reads two rows from end to end";
  rows->push_back({"cdist", Cdist, kRows, CdistSizes});
  rows->push_back({"pairwise_distance", PairwiseDistance, kRows, PairwiseSizes});
  rows->push_back({"cosine_similarity", CosineSimilarity, kRows, SimilaritySizes});
  rows->push_back(
      {"searchsorted", Search, "halves the sorted row until its place is found", SizesOfValues});
  rows->push_back({"bucketize", Search, "halves the boundaries until its place is found"});
  rows->push_back({"batch_norm", BatchNorm, "is normalised by its channel's running statistics"});
  for (const std::string_view loss :
       {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
        "binary_cross_entropy_with_logits", "kl_div", "soft_margin_loss", "hinge_embedding_loss",
        "margin_ranking_loss", "poisson_nll_loss", "gaussian_nll_loss"}) {
    rows->push_back({loss, ElementLoss, "reads the same place of every operand"});
  }
}

}  // namespace kernelmill
