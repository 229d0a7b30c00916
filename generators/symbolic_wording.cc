#include "generators/symbolic_wording.h"

#include <algorithm>
#include <set>

#include "generators/voice.h"

namespace kernelmill {
namespace {

// What people call a dimension of a tensor of that rank.
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

bool IsOpen(const SymbolicShape& shape) {
  return std::any_of(shape.begin(), shape.end(),
                     [](const std::string& size) { return !IsNumber(size); });
}

// The symbols of an expression, in the order of its text.
std::vector<std::string> SymbolsIn(const std::string& expression, const SymbolicShapes& shapes) {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const SizeSymbol& symbol : shapes.symbols) {
    // Renaming it changes the text exactly when it is there.
    if (RenameSymbols(expression, {{symbol.name, "#"}}) != expression) {
      found.emplace_back(expression.find(symbol.name), symbol.name);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> symbols;
  for (auto& [at, name] : found) symbols.push_back(std::move(name));
  return symbols;
}

std::string Ordinal(std::size_t axis) {
  static constexpr const char* kNames[] = {"first", "second", "third", "fourth", "fifth"};
  return axis < std::size(kNames) ? kNames[axis] : "dimension " + std::to_string(axis);
}

}  // namespace

SymbolicWording::SymbolicWording(const Task& task, const SymbolicShapes& shapes)
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

std::string SymbolicWording::ShapeText(const SymbolicShape& shape) const {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + RenameSymbols(shape[i], names_);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string SymbolicWording::Equals(const SymbolicShape& shape) const {
  return IsOpen(shape) ? " = " + ShapeText(shape) : "";
}

std::string SymbolicWording::OpenSizes() const {
  std::string text;
  for (const SizeSymbol& symbol : shapes_.symbols) {
    const auto name = names_.find(symbol.name);
    if (name == names_.end()) continue;
    text += (text.empty() ? "" : ", ") + name->second + " = " + std::to_string(symbol.value);
  }
  if (text.empty()) return text;
  for (std::size_t i = 0; i < shapes_.inputs.size() && i < task_.inputs.size(); ++i) {
    if (IsOpen(shapes_.inputs[i])) {
      text += "; `" + task_.inputs[i].name + "`: " + ShapeText(shapes_.inputs[i]);
    }
  }
  for (const std::string& constraint : shapes_.constraints) {
    text += "; " + RenameSymbols(constraint, names_) + " = 0";
  }
  return text;
}

std::string SymbolicWording::Preamble(Voice* voice) const {
  if (names_.empty()) return "";
  std::string text = voice->Choose("[Open sizes|Open|Free sizes|Symbols|Sizes that can vary]:");
  const std::string equals = voice->Choose("[ = |=| is ]"), is = voice->Choose("[ is |: | = ]");
  for (std::size_t i = 0; i < shapes_.symbols.size(); ++i) {
    const SizeSymbol& symbol = shapes_.symbols[i];
    const auto name = names_.find(symbol.name);
    if (name == names_.end()) continue;
    text += (i > 0 ? ", " : " ") + name->second + equals + std::to_string(symbol.value);
  }
  text += ".";
  // A number among the symbols says the same.
  const bool told = voice->OneIn(2);
  for (std::size_t i = 0; i < shapes_.inputs.size() && i < task_.inputs.size(); ++i) {
    const SymbolicShape& shape = shapes_.inputs[i];
    text += " `" + task_.inputs[i].name + "`" + is + ShapeText(shape);
    std::vector<std::string> fixed;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (IsNumber(shape[axis])) fixed.push_back(Ordinal(axis));
    }
    if (!fixed.empty() && IsOpen(shape) && told) {
      text += voice->Say({", its {which} size fixed by the module", " ({which} size fixed)",
                          "; the module fixes the {which} size", " with a fixed {which} size"},
                         {{"which", Listed(fixed)}});
    }
    text += ".";
  }
  for (const std::string& constraint : shapes_.constraints) {
    const std::size_t remainder = constraint.rfind(" % ");
    if (remainder == std::string::npos) continue;
    text += " " + RenameSymbols(constraint.substr(0, remainder), names_) +
            voice->Choose("[ must be divisible by | has to be a multiple of ]") +
            constraint.substr(remainder + 3) + ".";
  }
  return text;
}

}  // namespace kernelmill
