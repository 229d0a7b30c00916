// The native source of an answer as one program: its functions, macros and constants by name, and
// which kernels its host functions launch. The reader of a kernel's skeleton looks names up here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/syntax_tree.h"

namespace kernelmill {

struct NativeFunction {
  std::string_view name;
  SyntaxNode definition;
  SyntaxNode body;
  std::vector<SyntaxNode> parameters;
  bool kernel = false;
};

// A kernel that the host code launches.
struct LaunchedKernel {
  const NativeFunction* kernel = nullptr;
  bool in_loop = false;  // Of the host.
};

class NativeProgram {
 public:
  explicit NativeProgram(std::string_view source);
  NativeProgram(const NativeProgram&) = delete;

  // The functions and methods with this name.
  std::vector<const NativeFunction*> Find(std::string_view name) const;
  // The replacement text of a macro, or "".
  std::string_view Macro(std::string_view name) const;
  // The value of a named constant: an object-like macro, or a constexpr or const integer.
  std::optional<std::int64_t> Constant(std::string_view name) const;

  // The kernels that the host functions named by `called` launch, directly or through other
  // functions, in source order. `called`: names by which Python calls them. All launched kernels
  // when `called` names no function that launches one, and all kernels when none is launched.
  std::vector<LaunchedKernel> Launched(const std::set<std::string, std::less<>>& called) const;
  // Whether it is a structure or class of the program.
  bool IsRecord(std::string_view name) const { return records_.contains(name); }
  // The vendor libraries whose functions the source calls: "cublas".
  std::set<std::string> Libraries() const;

 private:
  void ReadFunction(const SyntaxNode& definition);
  void ReadConstants(const SyntaxNode& declaration);
  std::optional<std::int64_t> ConstantAt(std::string_view name, int depth) const;
  std::optional<std::int64_t> ValueOf(const SyntaxNode& expression, int depth) const;

  const std::string text_;  // Without attributes that the grammar does not know.
  const SyntaxTree tree_;
  std::vector<std::unique_ptr<NativeFunction>> functions_;
  std::map<std::string_view, std::vector<const NativeFunction*>> by_name_;
  std::map<std::string_view, std::string_view> macros_;
  std::map<std::string_view, SyntaxNode> constants_;
  std::set<std::string_view> records_;
};

// The node's text; "" for a node that does not exist.
std::string_view NodeText(const SyntaxNode& node);
// The value of an integer literal such as 32, 0x20 or 32u.
std::optional<std::int64_t> NumberOf(std::string_view literal);
// left sign right, for the operators of integers that sizes are made of.
std::optional<std::int64_t> Folded(std::string_view sign, std::int64_t left, std::int64_t right);

}  // namespace kernelmill
