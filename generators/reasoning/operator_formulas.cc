#include "generators/reasoning/operator_formulas.h"

#include "corpora/operators/operator_table.h"

namespace kernelmill {
std::string_view NoteOf(std::string_view op) {
  const OperatorRow* const row = FindOperator(op);
  return row == nullptr ? "" : row->words.note;
}

std::string FormulaOf(std::string_view op) {
  const OperatorRow* const row = FindOperator(op);
  if (row == nullptr) return "";
  if (!row->words.formula.empty()) return std::string(row->words.formula);
  if (row->family == OperatorFamily::kLoss) return "";
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
