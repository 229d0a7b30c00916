#include "corpora/name_prior.h"
#include "stages/mine/evaluate/evaluator.h"

namespace kernelmill {

void Evaluator::FillHole(KnownValue* value, std::string expression, Evidence evidence) {
  if (!value->Is(ValueKind::kHole) || holes_ == nullptr || expression.empty()) return;
  HoleFacts& hole = (*holes_)[static_cast<std::size_t>(value->integer)];
  if (!hole.expression.empty()) return;
  hole.expression = std::move(expression);
  hole.evidence = evidence;
}

void Evaluator::FillSoft(const KnownValue* value, std::size_t count) {
  if (value->soft < 0 || !value->Is(ValueKind::kInteger) || weak_ > 0) return;
  HoleFacts& hole = (*holes_)[static_cast<std::size_t>(value->soft)];
  if (!hole.expression.empty()) return;
  std::string items;
  for (std::size_t i = 0; i < (count > 0 ? count : sequence_length_); ++i) {
    items += (i > 0 ? ", " : "") + hole.guess;
  }
  hole.expression = "(" + items + ")";
}

void Evaluator::FillNone(const KnownValue* value, bool called) {
  if (value->soft < 0 || !value->Is(ValueKind::kNone) || weak_ > 0) return;
  HoleFacts& hole = (*holes_)[static_cast<std::size_t>(value->soft)];
  if (!hole.expression.empty()) return;
  const auto names = [&](std::string_view part) {
    return hole.name.find(part) != std::string::npos;
  };
  const bool images = module_.Text().find("Conv2d") != std::string_view::npos;
  if (!called) {
    hole.expression = MostCommonArgumentOf(hole.name).value_or("2");
  } else if (names("norm")) {
    hole.expression = images ? "torch.nn.BatchNorm2d" : "torch.nn.LayerNorm";
  } else if (names("act")) {
    hole.expression = "torch.nn.GELU";
  } else if (names("conv")) {
    hole.expression = "torch.nn.Conv2d";
  }
  hole.evidence = Evidence::kConstraint;
}

void Evaluator::FillFrom(KnownValue* value, std::string_view parameter) {
  if (const auto prior = MostCommonArgumentOf(parameter)) FillHole(value, *prior, Evidence::kLayer);
}

KnownValue* Evaluator::CallHole(KnownValue* hole, const Arguments& arguments) {
  const std::string& name = (*holes_)[static_cast<std::size_t>(hole->integer)].name;
  const bool tensor = !arguments.empty() && arguments[0]->Is(ValueKind::kTensor);
  if (!tensor) {
    // A hole that is called while the module is built is a class or factory of layers.
    if (name.find("norm") != std::string::npos)
      FillHole(hole, "torch.nn.LayerNorm", Evidence::kConstraint);
    if (name.find("act") != std::string::npos)
      FillHole(hole, "torch.nn.GELU", Evidence::kConstraint);
    if (name.find("conv") != std::string::npos)
      FillHole(hole, "torch.nn.Conv2d", Evidence::kConstraint);
    return Unknown();
  }
  // The hole is a layer that keeps the shape, such as the `fn` of a residual block.
  const auto last =
      arguments[0]->dims.empty() ? std::nullopt : solver_.KnownValue(arguments[0]->dims.back());
  const std::string width = last ? std::to_string(*last) : "";
  FillHole(hole, last ? "torch.nn.Linear(" + width + ", " + width + ")" : "torch.nn.GELU()",
           Evidence::kConstraint);
  return arguments[0];
}

}  // namespace kernelmill
