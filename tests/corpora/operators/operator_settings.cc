// Draws settings of every operator of the table for torch_agreement_test.py. Prints one line of
// JSON for each setting, and writes the scalar expressions as C functions to the given file.
//   operator_settings SCALARS.cc SEED [OPERATOR…]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "corpora/operators/operator_table.h"
#include "corpora/operators/scalar_expression.h"
#include "manifests/json.h"

namespace kernelmill {
namespace {

constexpr int kAccepted = 50;  // Settings per operator that `infer` accepts.
constexpr int kRefused = 15;   // Settings per operator that `infer` rejects.
// Accepted settings per operator with which the expression is compared.
constexpr int kWithScalar = 14;
constexpr int kAttempts = 20000;  // The limit per operator.
constexpr std::int64_t kMaxElements = 6000;

TensorType DrawType(Draw* draw) {
  static constexpr int kRanks[] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5};
  static constexpr DType kDTypes[] = {
      DType::kFloat32,  DType::kFloat32, DType::kFloat32, DType::kFloat32, DType::kFloat32,
      DType::kFloat32,  DType::kFloat32, DType::kFloat16, DType::kFloat16, DType::kBFloat16,
      DType::kBFloat16, DType::kInt64,   DType::kInt64,   DType::kInt32,   DType::kInt16,
      DType::kInt8,     DType::kUInt8,   DType::kBool};
  TensorType type{kDTypes[draw->Index(std::size(kDTypes))], {}};
  const int rank = kRanks[draw->Index(std::size(kRanks))];
  for (int i = 0; i < rank; ++i) {
    std::int64_t size = draw->Binned(1, 15);
    while (type.shape.Elements() * size > kMaxElements / 4) size = (size + 1) / 2 - (size == 1);
    type.shape.Append(std::max<std::int64_t>(1, size));
  }
  return type;
}

Range DrawRange(Draw* draw, DType dtype) {
  if (dtype == DType::kBool) return {0, 1, 0.70710678};
  if (!IsFloating(dtype)) {
    const double high = draw->Chance(0.8) ? 9 : 100;
    return Range::Uniform(dtype == DType::kUInt8 ? 0 : -high, high);
  }
  switch (draw->Index(6)) {
    case 0:
      return Range::Uniform(0, 1);
    case 1:
      return Range::Uniform(0.5, 2);
    case 2:
      return Range::Normal(3);
    default:
      return Range::Normal(1);
  }
}

// Changes a setting into one that is never drawn, but that a captured module may have or torch may
// reject.
void Disturb(Draw* draw, std::vector<Attribute>* attributes, std::vector<NewTensor>* tensors) {
  if (!attributes->empty() && draw->Chance(0.6)) {
    Attribute& attribute = (*attributes)[draw->Index(attributes->size())];
    const std::int64_t step = draw->Chance(0.5) ? 1 : -2;
    if (attribute.kind() == Attribute::Kind::kInteger) {
      attribute = Attribute::Integer(attribute.integer() + step);
    } else if (attribute.kind() == Attribute::Kind::kIntegers && !attribute.integers().empty()) {
      std::vector<std::int64_t> values(attribute.integers().begin(), attribute.integers().end());
      values[draw->Index(values.size())] += step;
      attribute = Attribute::Integers(values);
    }
  } else if (tensors->size() > 1) {
    NewTensor& tensor = (*tensors)[1 + draw->Index(tensors->size() - 1)];
    if (draw->Chance(0.3)) {
      tensor.type.dtype = DrawType(draw).dtype;
      tensor.range = DrawRange(draw, tensor.type.dtype);
    } else if (tensor.type.shape.rank() > 0) {
      tensor.type.shape[int(draw->Index(std::size_t(tensor.type.shape.rank())))] += 1;
    }
  }
}

Json AttributeJson(const AttributeRow& row, const Attribute& attribute) {
  switch (attribute.kind()) {
    case Attribute::Kind::kNone:
      return Json();
    case Attribute::Kind::kFlag:
      return Json(attribute.flag());
    case Attribute::Kind::kInteger:
    case Attribute::Kind::kSize:
      return Json(attribute.integer());
    case Attribute::Kind::kIntegers: {
      Json::Array values;
      for (const std::int64_t value : attribute.integers()) values.emplace_back(value);
      return Json(std::move(values));
    }
    case Attribute::Kind::kNumber:
      return Json(Json::Object{
          {"number", std::isinf(attribute.number()) ? Json("inf") : Json(attribute.number())}});
    case Attribute::Kind::kChoice:
      return Json(row.choices[std::size_t(attribute.choice())]);
  }
  return Json();
}

Json TypeJson(const TensorType& type) {
  Json::Array shape;
  for (const std::int64_t size : type.shape.sizes()) shape.emplace_back(size);
  return Json(
      Json::Object{{"dtype", Json(DTypeName(type.dtype))}, {"shape", Json(std::move(shape))}});
}

Json TensorJson(const TensorType& type, const Range& range) {
  Json json = TypeJson(type);
  json["low"] = Json(range.low);
  json["high"] = Json(range.high);
  json["scale"] = Json(range.scale);
  return json;
}

std::string CType(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "bool";
    case DType::kUInt8:
      return "uint8_t";
    case DType::kFloat64:
      return "double";
    default:
      return IsFloating(dtype) ? "float" : "int" + std::to_string(8 * BytesOf(dtype)) + "_t";
  }
}

// Collects one C function per expression and types, which maps arrays to an array.
class ScalarSource {
 public:
  // Returns the function's name, or "" when the use has no expression.
  std::string Add(const OperatorRow& row, const OperatorUse& use, DType result) {
    const std::string type = CType(row.ScalarType(use, result));
    std::vector<std::string> names;
    std::string body =
        "(void* out, const void* const* in, long n) {\n  for (long i = 0; i < n; ++i) {\n";
    for (std::size_t i = 0; i < use.operands.size(); ++i) {
      names.push_back("x" + std::to_string(i));
      body += "    const " + type + " " + names[i] + " = ((const " + type + "*)in[" +
              std::to_string(i) + "])[i]; (void)" + names[i] + ";\n";
    }
    const std::string expression = ScalarExpression(row, use, result, names);
    if (expression.empty()) return "";
    body += "    ((" + CType(result) + "*)out)[i] = (" + CType(result) + ")(" + expression +
            ");\n  }\n}\n";
    const auto [found, is_new] = names_.emplace(body, "s" + std::to_string(names_.size()));
    if (is_new) text_ += "extern \"C\" void " + found->second + body;
    return found->second;
  }
  const std::string& text() const { return text_; }

 private:
  std::map<std::string, std::string> names_;
  std::string text_ =
      "#include <algorithm>\n#include <cmath>\nusing std::isfinite;\nusing std::isinf;\nusing "
      "std::signbit;\n#include <cstdint>\n#include <cstdlib>\n";
};

class Settings {
 public:
  Settings(const OperatorRow& row, std::uint64_t seed, ScalarSource* scalars)
      : row_(row), scalars_(scalars) {
    seed ^= 1469598103934665603u;
    for (const char letter : row.name) seed = (seed ^ std::uint8_t(letter)) * 1099511628211u;
    draw_ = Draw(seed);
  }

  void Print() {
    PrintRow();
    for (int i = 0; i < kAttempts && (accepted_ < kAccepted || (refused_ < kRefused && i < 2000));
         ++i) {
      Attempt();
    }
  }

 private:
  void PrintRow() {
    Json row;
    row["row"] = Json(row_.name);
    row["family"] = Json(OperatorFamilyName(row_.family));
    Json::Array spellings, operands, attributes;
    for (const std::string_view spelling : row_.spellings) spellings.emplace_back(spelling);
    for (const OperandRow& operand : row_.operands) {
      operands.push_back(Json(Json::Array{Json(operand.name), Json(int(operand.role))}));
    }
    for (const AttributeRow& attribute : row_.attributes) {
      attributes.push_back(Json(Json::Array{Json(attribute.name), Json(attribute.module_only),
                                            AttributeJson(attribute, attribute.default_value)}));
    }
    row["spellings"] = Json(std::move(spellings));
    row["operands"] = Json(std::move(operands));
    row["attributes"] = Json(std::move(attributes));
    row["weight"] = Json(row_.weight);
    std::puts(row.Dump().c_str());
  }

  void Attempt() {
    std::vector<NewTensor> tensors;
    std::vector<const TensorType*> types;
    TensorType first;
    if (!row_.operands.empty()) {
      first = DrawType(&draw_);
      tensors.push_back({first, DrawRange(&draw_, first.dtype)});
      types.push_back(&first);
    }
    if (!row_.DrawAttributes(&draw_, types, &attributes_)) return;
    if (row_.inputs != nullptr && !row_.inputs(&draw_, attributes_, &tensors)) return;
    if (draw_.Chance(accepted_ < kAccepted ? 0.15 : 0.8)) Disturb(&draw_, &attributes_, &tensors);
    types.clear();
    for (const NewTensor& tensor : tensors) types.push_back(&tensor.type);
    std::vector<TensorType> parameters;
    while (types.size() < row_.operands.size() &&
           row_.operands[types.size()].role == OperandRow::Role::kOptional) {
      types.push_back(nullptr);
    }
    if (row_.parameters != nullptr) {
      if (!row_.parameters({types, attributes_}, &parameters)) return;
      for (const TensorType& type : parameters) types.push_back(&type);
    }
    while (types.size() < row_.operands.size()) types.push_back(nullptr);
    std::vector<Range> ranges;
    std::int64_t elements = 0;
    for (std::size_t i = 0; i < types.size(); ++i) {
      ranges.push_back(types[i] == nullptr  ? Range{}
                       : i < tensors.size() ? tensors[i].range
                                            : ParameterRange(i, *types[i]));
      if (types[i] == nullptr) continue;
      if (std::any_of(types[i]->shape.begin(), types[i]->shape.end(),
                      [](auto size) { return size < 0; })) {
        return;
      }
      elements += types[i]->shape.Elements();
    }
    if (elements > 4 * kMaxElements) return;
    const OperatorUse use{types, attributes_};
    results_.clear();
    const bool taken = row_.infer(use, &results_);
    if (taken ? accepted_ >= kAccepted : refused_ >= kRefused) return;
    for (const TensorType& result : results_) {
      if (result.shape.Elements() > 4 * kMaxElements) return;
    }
    Emit(use, ranges, taken);
    ++(taken ? accepted_ : refused_);
  }

  // The expression of a loss computes the unreduced elements.
  bool IsUnreduced() const {
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      const AttributeRow& attribute = row_.attributes[i];
      if (attribute.name == "reduction" &&
          attribute.choices[std::size_t(attributes_[i].choice())] != "none") {
        return false;
      }
    }
    return true;
  }

  Range ParameterRange(std::size_t index, const TensorType& type) {
    const OperandRow& operand = row_.operands[std::min(index, row_.operands.size() - 1)];
    if (operand.name == "running_var") return Range::Uniform(0.5, 2);
    if (!IsFloating(type.dtype)) return DrawRange(&draw_, type.dtype);
    return Range::Normal(operand.name == "bias" ? 0.1 : 0.5);
  }

  void Emit(const OperatorUse& use, const std::vector<Range>& ranges, bool taken) {
    Json setting;
    setting["of"] = Json(row_.name);
    Json::Array operands, attributes;
    for (std::size_t i = 0; i < use.operands.size(); ++i) {
      operands.push_back(use.Has(int(i)) ? TensorJson(use.operand(int(i)), ranges[i]) : Json());
    }
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      attributes.push_back(AttributeJson(row_.attributes[i], attributes_[i]));
    }
    setting["operands"] = Json(std::move(operands));
    setting["attributes"] = Json(std::move(attributes));
    if (taken) {
      std::vector<Range> result_ranges;
      const bool ranged = row_.range != nullptr && row_.range(use, ranges, &result_ranges);
      if (ranged && result_ranges.size() != results_.size()) {
        std::fprintf(stderr, "%s: %zu ranges for %zu results\n", std::string(row_.name).c_str(),
                     result_ranges.size(), results_.size());
      }
      const OperatorCost cost = row_.cost(use, results_);
      Json::Array results;
      for (std::size_t i = 0; i < results_.size(); ++i) {
        results.push_back(ranged && i < result_ranges.size()
                              ? TensorJson(results_[i], result_ranges[i])
                              : TypeJson(results_[i]));
      }
      setting["results"] = Json(std::move(results));
      setting["cost"] = Json(Json::Array{Json(cost.flops), Json(cost.bytes)});
      if (ranged && accepted_ < kWithScalar && results_.size() == 1 && IsUnreduced()) {
        const std::string name = scalars_->Add(row_, use, results_[0].dtype);
        if (!name.empty()) {
          setting["scalar"] = Json(name);
          setting["scalar_type"] = Json(DTypeName(row_.ScalarType(use, results_[0].dtype)));
        }
      }
    }
    std::puts(setting.Dump().c_str());
  }

  const OperatorRow& row_;
  ScalarSource* const scalars_;
  Draw draw_{0};
  int accepted_ = 0, refused_ = 0;
  std::vector<Attribute> attributes_;
  std::vector<TensorType> results_;
};

int Main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: operator_settings SCALARS.cc SEED [OPERATOR...]\n");
    return 1;
  }
  const std::set<std::string_view> names(argv + 3, argv + argc);
  const std::uint64_t seed = std::strtoull(argv[2], nullptr, 10);
  ScalarSource scalars;
  for (const OperatorRow& row : Operators()) {
    if (names.empty() || names.contains(row.name)) Settings(row, seed, &scalars).Print();
  }
  std::ofstream file(argv[1]);
  file << scalars.text();
  return file.good() ? 0 : 1;
}

}  // namespace
}  // namespace kernelmill

int main(int argc, char** argv) { return kernelmill::Main(argc, argv); }
