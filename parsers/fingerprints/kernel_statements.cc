// Statements of a kernel, for KernelReader, and what it emits.
#include <algorithm>
#include <iterator>

#include "parsers/cuda_index.h"
#include "parsers/fingerprints/kernel_reader.h"

namespace kernelmill {
namespace {

// Trees may be deeper than the stack allows; what is below is not read.
constexpr int kDeepestNode = 300;
constexpr std::size_t kMostNodes = 500000;

bool IsStatement(std::string_view kind) {
  return (kind.ends_with("_statement") && kind != "expression_statement" &&
          kind != "return_statement" && kind != "asm_statement") ||
         kind.starts_with("preproc_if") || kind.starts_with("preproc_el") ||
         kind == "else_clause" || kind == "ERROR";
}

// Whether the condition is index == number or !index.
bool TestsOneThread(const SyntaxNode& condition) {
  bool tests = false;
  ForEachNode(condition, [&](const SyntaxNode& node) {
    if (node.Is("binary_expression")) {
      tests = tests || NodeText(node.Field("operator")) == "==";
    } else if (node.Is("unary_expression")) {
      tests = tests || node.Text().starts_with('!');
    }
  });
  return tests;
}

}  // namespace

bool KernelReader::Deeper::too_deep() const {
  return reader_->depth_ > kDeepestNode || reader_->visited_ > kMostNodes;
}

KernelReading KernelReader::Read(const NativeFunction& kernel) {
  std::vector<ThreadValue> arguments(kernel.parameters.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    arguments[i].space = MemorySpace::kGlobal;  // Where it is a pointer.
  }
  Call(kernel, arguments);
  reading_.skeleton = Simplified(std::move(root_));
  return std::move(reading_);
}

void KernelReader::Emit(std::string word) {
  items_->push_back({std::move(word), {}});
}

void KernelReader::Access(const ThreadValue& place, bool write) {
  if (place.space == MemorySpace::kShared) return Emit(write ? "swrite" : "sread");
  if (place.space == MemorySpace::kLocal) {
    if (write && loops_ > 0) reading_.register_tile = true;
    return;
  }
  if (place.space != MemorySpace::kGlobal) return;
  std::string word = write ? "write" : "read";
  if (place.width == kStructureWidth) {
    word += 'v';
  } else if (place.width > 1) {
    word += std::to_string(place.width);
  }
  if (place.stride == ThreadStride::kScaled && place.width == 1) word += "/s";
  Emit(std::move(word));
}

void KernelReader::Statement(const SyntaxNode& node) {
  if (!node) return;
  Deeper deeper(this);
  if (deeper.too_deep()) return;
  const std::string_view kind = node.Kind();
  if (kind == "compound_statement") {
    const std::size_t size = variables_.size();
    for (const SyntaxNode& child : node.Children()) Statement(child);
    variables_.resize(size);
  } else if (kind == "declaration") {
    Declare(node);
  } else if (kind == "for_statement" || kind == "while_statement" || kind == "do_statement") {
    Loop(node);
  } else if (kind == "for_range_loop") {
    Eval(node.Field("right"));
    Enclosed("for", [&] { Statement(node.Field("body")); });
  } else if (kind == "if_statement") {
    Branch(node);
  } else if (IsStatement(kind)) {
    for (const SyntaxNode& child : node.Children()) Statement(child);
  } else {
    Eval(node);
  }
}

void KernelReader::Branch(const SyntaxNode& node) {
  const SyntaxNode condition = node.Field("condition");
  const ThreadValue value = Eval(condition);
  Skeleton yes, no;
  const bool one = value.thread && !value.block && TestsOneThread(condition);
  EmitInto(&yes, [&] { Statement(node.Field("consequence")); });
  EmitInto(&no, [&] { Statement(node.Field("alternative")); });
  if (one && !yes.empty()) {
    items_->push_back({"one", std::move(yes)});
  } else {
    std::move(yes.begin(), yes.end(), std::back_inserter(*items_));
  }
  std::move(no.begin(), no.end(), std::back_inserter(*items_));
}

void KernelReader::Declare(const SyntaxNode& node) {
  const std::string_view text = node.Text();
  const bool shared = text.find("__shared__") != std::string_view::npos;
  if (shared) reading_.shared_memory = true;
  const SyntaxNode type = node.Field("type");
  for (const SyntaxNode& child : node.Children()) {
    if (child.Role() == "type" || child.Is("type_qualifier") ||
        child.Is("storage_class_specifier")) {
      continue;
    }
    const SyntaxNode declarator = child.Is("init_declarator") ? child.Field("declarator") : child;
    const std::string_view name = DeclaredName(declarator);
    if (name.empty()) continue;
    ThreadValue value;
    if (child.Is("init_declarator")) value = Eval(child.Field("value"));
    const bool array = declarator.Is("array_declarator");
    if (shared) {
      value = {.space = MemorySpace::kShared};
    } else if (array) {
      value = {.space = MemorySpace::kLocal};
    } else if (declarator.Is("pointer_declarator") && WidthOf(NodeText(type)) > 1) {
      value.width = WidthOf(NodeText(type));
    }
    variables_.push_back({name, value});
  }
}

std::string_view KernelReader::DeclaredName(SyntaxNode node) {
  for (int depth = 0; node && depth < 16; ++depth) {
    if (node.Is("identifier")) return node.Text();
    SyntaxNode inner = node.Field("declarator");
    if (!inner && (node.Is("reference_declarator") || node.Is("parenthesized_declarator"))) {
      const auto children = node.Children();
      if (!children.empty()) inner = children.back();
    }
    node = inner;
  }
  return {};
}

void KernelReader::Loop(const SyntaxNode& node) {
  const std::size_t size = variables_.size();
  const SyntaxNode initializer = node.Field("initializer");
  if (initializer.Is("declaration")) {
    Declare(initializer);
  } else {
    Eval(initializer);
  }
  const SyntaxNode condition = node.Field("condition"), body = node.Field("body");
  const Advance advance = AdvanceOf(condition, node.Field("update"), body);
  const ThreadValue* const variable = Find(advance.variable);
  const ThreadValue start = variable == nullptr ? ThreadValue() : *variable;
  std::string word = WordOf(start, advance);
  const bool unrolled = word == "for" && IsShort(condition, start, advance);
  if (ThreadValue* const changing = Find(advance.variable)) changing->number.reset();
  ++loops_;
  const auto read = [&] {
    Eval(condition);
    Statement(body);
    Eval(node.Field("update"));
  };
  if (unrolled) {
    read();
  } else {
    Enclosed(std::move(word), read);
  }
  --loops_;
  variables_.resize(size);
}

// The first of the updates, or of the assignments in the body, that changes a variable that the
// condition tests.
KernelReader::Advance KernelReader::AdvanceOf(const SyntaxNode& condition, const SyntaxNode& update,
                                              const SyntaxNode& body) {
  NameSet tested;
  if (condition) {
    ForEachNode(condition, [&](const SyntaxNode& node) {
      if (node.Is("identifier")) tested.emplace(node.Text());
    });
  }
  for (const SyntaxNode& root : {update, body}) {
    if (!root) continue;
    Advance found;
    ForEachNode(root, [&](const SyntaxNode& node) {
      if (!found.variable.empty()) return;
      if (node.Is("update_expression") && tested.contains(NodeText(node.Field("argument")))) {
        found = {.variable = NodeText(node.Field("argument")), .one = true};
      } else if (node.Is("assignment_expression") && tested.contains(NodeText(node.Field("left")))) {
        found = AssignmentOf(node);
      }
    });
    if (!found.variable.empty()) return found;
  }
  return {};
}

KernelReader::Advance KernelReader::AssignmentOf(const SyntaxNode& node) {
  Advance advance{.variable = NodeText(node.Field("left"))};
  std::string_view sign = NodeText(node.Field("operator"));
  SyntaxNode step = node.Field("right");
  if (sign == "=") {  // i = i + step
    const SyntaxNode sum = StripParenthesesAndCasts(step);
    if (!sum.Is("binary_expression")) return advance;
    sign = NodeText(sum.Field("operator"));
    const bool first = NodeText(sum.Field("left")) == advance.variable;
    step = first ? sum.Field("right") : sum.Field("left");
  } else {
    sign.remove_suffix(1);
  }
  advance.halves = sign == ">>" || sign == "<<" || sign == "/" || sign == "*";
  Skeleton unused;
  EmitInto(&unused, [&] { advance.step = Eval(step); });
  advance.one = advance.step.number && *advance.step.number == 1 && !advance.halves;
  return advance;
}

std::string KernelReader::WordOf(const ThreadValue& start, const Advance& advance) {
  if (advance.halves) return "halve";
  if (advance.step.grid_size) return "grid";
  const bool strides = !advance.one && !advance.variable.empty();
  if (!start.thread || !strides) return "for";
  const bool whole_warp = advance.step.number && *advance.step.number == kLanesOfWarp;
  return start.lane || whole_warp ? "warp" : "block";
}

// Whether the loop counts from one number to another in a few rounds.
bool KernelReader::IsShort(const SyntaxNode& condition, const ThreadValue& start,
                           const Advance& advance) {
  SyntaxNode test = condition;
  if (test.Is("condition_clause")) {
    const auto children = test.Children();
    if (children.size() == 1) test = children[0];
  }
  if (!test.Is("binary_expression") || !start.number) return false;
  Skeleton unused;
  ThreadValue bound;
  EmitInto(&unused, [&] { bound = Eval(test.Field("right")); });
  const std::int64_t step = advance.one ? 1 : advance.step.number.value_or(0);
  if (!bound.number || step == 0) return false;
  return std::abs(*bound.number - *start.number) <= kUnrolledTrips * std::abs(step);
}

KernelReading ReadKernel(const NativeProgram& program, const NativeFunction& kernel) {
  return KernelReader(program).Read(kernel);
}

}  // namespace kernelmill
