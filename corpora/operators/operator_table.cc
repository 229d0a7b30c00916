#include "corpora/operators/operator_table.h"

#include <map>

#include "corpora/operators/table/families.h"

namespace kernelmill {
namespace {

struct Table {
  std::vector<OperatorRow> rows;
  std::map<std::string_view, const OperatorRow*> by_name;
  std::map<std::string_view, std::vector<const OperatorRow*>> by_spelling;

  Table() {
    for (const auto add : kFamilies) add(&rows);
    for (const OperatorRow& row : rows) {
      by_name.emplace(row.name, &row);
      for (const std::string_view spelling : row.spellings) by_spelling[spelling].push_back(&row);
    }
  }
};

const Table& TheTable() {
  static const Table* const table = new Table;
  return *table;
}

}  // namespace

std::span<const OperatorRow> Operators() { return TheTable().rows; }

const OperatorRow* FindOperator(std::string_view name) {
  const auto found = TheTable().by_name.find(name);
  return found == TheTable().by_name.end() ? nullptr : found->second;
}

std::span<const OperatorRow* const> OperatorsSpelled(std::string_view spelling) {
  const auto found = TheTable().by_spelling.find(spelling);
  if (found == TheTable().by_spelling.end()) return {};
  return found->second;
}

}  // namespace kernelmill
