#include "generators/wording/operator_words.h"

#include <algorithm>
#include <map>

#include "corpora/operators/operator_table.h"
#include "manifests/is_one_of.h"

namespace kernelmill {
namespace {

const std::map<std::string_view, const OperatorRow*>& RowsByWord() {
  static const std::map<std::string_view, const OperatorRow*> kRows = [] {
    std::map<std::string_view, const OperatorRow*> rows;
    for (const OperatorRow& row : Operators()) {
      rows.emplace(row.name, &row);
      for (const std::string_view spelling : row.spellings) {
        rows.emplace(spelling.substr(spelling.rfind('.') + 1), &row);
      }
    }
    return rows;
  }();
  return kRows;
}

// Methods of tensors that are no rows of the table.
constexpr std::string_view kFree[] = {"getitem", "size", "dim", "reshape_as", "view_as"};
constexpr std::string_view kSometimesCopies[] = {"getitem", "reshape_as", "view_as"};

}  // namespace

const OperatorRow* OperatorCalled(std::string_view name) {
  const auto& rows = RowsByWord();
  std::vector<std::string_view> forms = {name};
  if (name.ends_with('_')) forms.push_back(name.substr(0, name.size() - 1));
  if (name.starts_with('r')) forms.push_back(name.substr(1));
  for (const std::string_view form : forms) {
    const auto row = rows.find(form);
    if (row != rows.end()) return row->second;
  }
  return nullptr;
}

bool ComputesNothing(std::string_view name) {
  if (IsOneOf(name, kFree)) return true;
  if (const OperatorRow* const row = FindOperator(name); row != nullptr && row->traits.passes_on) {
    return true;
  }
  const OperatorRow* const row = OperatorCalled(name);
  return row != nullptr && row->family == OperatorFamily::kShape;
}

bool SometimesCopies(std::string_view name) {
  const OperatorRow* const row = FindOperator(name);
  return row != nullptr ? row->traits.sometimes_copies : IsOneOf(name, kSometimesCopies);
}

std::vector<std::string> ComputingOperators(const Annotation& annotation) {
  std::vector<std::string> names;
  for (const OperatorCall& call : annotation.operators) {
    if (!ComputesNothing(call.name) &&
        std::find(names.begin(), names.end(), call.name) == names.end())
      names.push_back(call.name);
  }
  return names;
}

}  // namespace kernelmill
