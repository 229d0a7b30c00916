#include "corpora/operators/called_name.h"

#include <algorithm>
#include <map>
#include <utility>

#include "corpora/operators/operator_table.h"

namespace kernelmill {
namespace {

// The torch operator behind a special method of Python ("__invert__" without its underscores),
// where the two names differ.
std::string_view OperatorOfSpecialMethod(std::string_view method) {
  static constexpr std::pair<std::string_view, std::string_view> kMethods[] = {
      {"invert", "bitwise_not"},
      {"and", "bitwise_and"},
      {"or", "bitwise_or"},
      {"xor", "bitwise_xor"},
      {"truediv", "div"},
      {"rtruediv", "reciprocal_div"},
      {"floordiv", "floor_divide"},
      {"mod", "remainder"},
      {"rpow", "rpow"},
      {"radd", "add"},
      {"rmul", "mul"},
      {"lshift", "bitwise_left_shift"},
      {"rshift", "bitwise_right_shift"}};
  for (const auto& [there, here] : kMethods) {
    if (method == there) return here;
  }
  return method;
}

using RowsByName = std::map<std::string, std::vector<const OperatorRow*>, std::less<>>;

RowsByName AllRowsByName() {
  RowsByName rows;
  for (const OperatorRow& row : Operators()) {
    const auto add = [&](std::string name) {
      std::vector<const OperatorRow*>& named = rows[std::move(name)];
      if (named.empty() || named.back() != &row) named.push_back(&row);
    };
    add(std::string(row.name));
    for (const std::string_view spelling : row.spellings) add(CalledName(spelling));
  }
  return rows;
}

}  // namespace

std::string CalledName(std::string_view function) {
  if (function.ends_with(".__get__")) function.remove_suffix(std::string_view(".__get__").size());
  const std::size_t dot = function.rfind('.');
  std::string_view name = dot == function.npos ? function : function.substr(dot + 1);
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) {
    name = name.substr(2, name.size() - 4);
    if (name.size() > 2 && name[0] == 'i' &&
        OperatorOfSpecialMethod(name.substr(1)) != name.substr(1)) {
      name.remove_prefix(1);
    }
    return std::string(OperatorOfSpecialMethod(name));
  }
  while (name.size() > 1 && name.ends_with('_')) name.remove_suffix(1);
  if (name == "spmm") return "mm";  // torch.mm and torch.spmm are the same object.
  return std::string(name);
}

const std::vector<const OperatorRow*>& RowsCalled(std::string_view name) {
  static const RowsByName kRows = AllRowsByName();
  static const std::vector<const OperatorRow*> kNone;
  // `name` is that of a function, an in-place method or a special method of Python.
  for (const std::string& called :
       {std::string(name), CalledName(name), CalledName("__" + std::string(name) + "__")}) {
    if (const auto rows = kRows.find(called); rows != kRows.end()) return rows->second;
  }
  return kNone;
}

}  // namespace kernelmill
