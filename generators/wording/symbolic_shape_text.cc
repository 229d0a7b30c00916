#include "generators/wording/symbolic_shape_text.h"

#include <algorithm>
#include <set>

#include "generators/wording/sentence_writer.h"

namespace kernelmill {
namespace {

// The usual letter for dimension `axis` of a tensor of that rank.
std::string LetterOf(std::size_t rank, std::size_t axis) {
  if (axis == 0) return rank == 1 ? "N" : "B";
  switch (rank) {
    case 2:
      return "D";
    case 3:
      return axis == 1 ? "N" : "D";
    case 4:
      return std::string(1, "BCHW"[axis]);
    case 5:
      return std::string(1, "BCTHW"[axis]);
    default:
      return "S";
  }
}

bool IsSymbolic(const SymbolicShape& shape) {
  return std::any_of(shape.begin(), shape.end(),
                     [](const std::string& size) { return !IsPlainNumber(size); });
}

// The symbols in an expression, in the order in which they occur.
std::vector<std::string> SymbolsIn(const std::string& expression, const SymbolicShapes& shapes) {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const SizeSymbol& symbol : shapes.symbols) {
    // Renaming a symbol changes the expression exactly when it occurs there.
    if (RenameSymbols(expression, {{symbol.name, "#"}}) != expression) {
      found.emplace_back(expression.find(symbol.name), symbol.name);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> symbols;
  for (auto& [at, name] : found) symbols.push_back(std::move(name));
  return symbols;
}

}  // namespace

bool HasSums(const SymbolicShape& shape) {
  return std::any_of(shape.begin(), shape.end(), [](const std::string& size) {
    return size.find(" + ") != size.npos || size.find(" - ") != size.npos;
  });
}

SymbolicShapeText::SymbolicShapeText(const Task& task, const SymbolicShapes& shapes)
    : task_(task), shapes_(shapes) {
  std::set<std::string> taken;
  for (const SymbolicShape& shape : shapes.inputs) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      for (const std::string& symbol : SymbolsIn(shape[axis], shapes)) {
        if (names_.contains(symbol)) continue;
        const std::string letter = LetterOf(shape.size(), axis);
        std::string name = letter;
        for (int i = 2; !taken.insert(name).second; ++i) name = letter + std::to_string(i);
        names_[symbol] = name;
      }
    }
  }
}

std::string SymbolicShapeText::ShapeText(const SymbolicShape& shape) const {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + RenameSymbols(shape[i], names_);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string SymbolicShapeText::EqualsSuffix(const SymbolicShape& shape) const {
  return IsSymbolic(shape) ? " = " + ShapeText(shape) : "";
}

std::string SymbolicShapeText::WithValues(const SymbolicShape& shape,
                                          const std::vector<std::int64_t>& sizes) const {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size() && i < sizes.size(); ++i) {
    text += i > 0 ? ", " : "";
    if (!IsPlainNumber(shape[i])) text += RenameSymbols(shape[i], names_) + "=";
    text += std::to_string(sizes[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string SymbolicShapeText::SymbolsAndInputs() const {
  std::string text;
  for (const SizeSymbol& symbol : shapes_.symbols) {
    const auto name = names_.find(symbol.name);
    if (name == names_.end()) continue;
    text += (text.empty() ? "" : ", ") + name->second + " = " + std::to_string(symbol.value);
  }
  if (text.empty()) return text;
  for (std::size_t i = 0; i < shapes_.inputs.size() && i < task_.inputs.size(); ++i) {
    if (IsSymbolic(shapes_.inputs[i])) {
      text += "; `" + task_.inputs[i].name + "`: " + ShapeText(shapes_.inputs[i]);
    }
  }
  for (const std::string& constraint : shapes_.constraints) {
    text += "; " + RenameSymbols(constraint, names_) + " = 0";
  }
  return text;
}

std::string SymbolicShapeText::InputsWithValues() const {
  std::string text;
  if (names_.empty()) return text;
  if (std::any_of(shapes_.inputs.begin(), shapes_.inputs.end(), HasSums)) return SymbolsAndInputs();
  for (std::size_t i = 0; i < shapes_.inputs.size() && i < task_.inputs.size(); ++i) {
    if (!IsSymbolic(shapes_.inputs[i])) continue;
    text += (text.empty() ? "`" : "; `") + task_.inputs[i].name +
            "`: " + WithValues(shapes_.inputs[i], task_.inputs[i].shape);
  }
  for (const std::string& constraint : shapes_.constraints) {
    text += "; " + RenameSymbols(constraint, names_) + " = 0";
  }
  return text;
}

std::string SymbolicShapeText::Preamble() const {
  if (names_.empty()) return "";
  std::string values, shapes;
  for (const SizeSymbol& symbol : shapes_.symbols) {
    const auto name = names_.find(symbol.name);
    if (name == names_.end()) continue;
    values += (values.empty() ? "" : ", ") + name->second + " = " + std::to_string(symbol.value);
  }
  for (std::size_t i = 0; i < shapes_.inputs.size() && i < task_.inputs.size(); ++i) {
    const SymbolicShape& shape = shapes_.inputs[i];
    if (!IsSymbolic(shape)) continue;
    shapes += (shapes.empty() ? "`" : ", `") + task_.inputs[i].name + "` is " + ShapeText(shape);
  }
  std::string text = "With symbols, " + shapes + "; in this call " + values + ".";
  for (const std::string& constraint : shapes_.constraints) {
    const std::size_t remainder = constraint.rfind(" % ");
    if (remainder == std::string::npos) continue;
    text +=
        " " + FillPlaceholders("{size} must be divisible by {number}.",
                               {{"size", RenameSymbols(constraint.substr(0, remainder), names_)},
                                {"number", constraint.substr(remainder + 3)}});
  }
  return text;
}

}  // namespace kernelmill
