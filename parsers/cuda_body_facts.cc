#include "parsers/cuda_body_facts.h"

#include <algorithm>
#include <array>
#include <set>

#include "parsers/cuda_attributes.h"
#include "parsers/cuda_names.h"
#include "parsers/cuda_uses.h"

namespace kernelmill {
namespace {

constexpr std::size_t kLongestQuote = 120;

bool IsInteger(const SyntaxNode& type) {
  static constexpr std::array<std::string_view, 9> kTypes = {"int",   "unsigned",  "long",
                                                             "short", "size_t",    "unsigned int",
                                                             "uint",  "long long", "unsigned long"};
  const std::string text = CodeOnOneLine(type.Text());
  return std::find(kTypes.begin(), kTypes.end(), text) != kTypes.end() ||
         (text.ends_with("_t") && text.find("int") != std::string::npos) ||
         text == "unsigned long long" || text == "auto";
}

// Whether the expression has only operators, numbers, names, min and max, and so does not read
// memory.
bool IsArithmetic(const SyntaxNode& root) {
  std::vector<SyntaxNode> open = {root};
  while (!open.empty()) {
    const SyntaxNode node = open.back();
    open.pop_back();
    if (node.Is("subscript_expression") || node.Is("pointer_expression") ||
        node.Is("assignment_expression") || node.Is("update_expression")) {
      return false;
    }
    if (node.Is("call_expression")) {
      const std::string_view callee = node.Field("function").Text();
      if (callee != "min" && callee != "max" && !callee.starts_with("static_cast")) return false;
    }
    for (const SyntaxNode& child : node.Children()) open.push_back(child);
  }
  return true;
}

bool IsLoop(const SyntaxNode& node) {
  return node.Is("for_statement") || node.Is("while_statement") || node.Is("do_statement");
}

class BodyReader {
 public:
  BodyReader(std::string_view code, KernelFacts* facts) : code_(code), facts_(facts) {
    for (const KernelParameter& parameter : facts->parameters) {
      if (parameter.pointer) arrays_.insert(parameter.name);
    }
  }

  void Read(const SyntaxNode& body) {
    SyntaxCursor cursor(body);
    std::vector<std::size_t> loops;  // The ends of the open loops.
    do {
      const SyntaxNode node = cursor.Node();
      while (!loops.empty() && node.First() >= loops.back()) loops.pop_back();
      Visit(node, !loops.empty());
      if (IsLoop(node)) loops.push_back(node.Last());
    } while (cursor.ToNext());
  }

 private:
  void Visit(const SyntaxNode& node, bool in_loop) {
    const std::string_view kind = node.Kind();
    if (kind == "declaration") {
      TakeDeclaration(node);
    } else if (kind == "for_statement") {
      TakeLoop(node);
    } else if (kind == "if_statement") {
      TakeGuard(node, in_loop);
    } else if (kind == "call_expression") {
      TakeCall(node, in_loop);
    } else if (kind == "assignment_expression") {
      TakeAssignment(node);
    } else if (kind == "subscript_expression") {
      TakeLoad(node);
    } else if (kind == "cast_expression") {
      TakeCast(node.Field("type"));
    } else if (kind == "template_function" && node.Field("name").Text() == "reinterpret_cast") {
      const auto arguments = node.Field("arguments").Children();
      if (arguments.size() == 1) TakeCast(arguments[0]);
    } else if (kind == "preproc_call" && node.Text().find("unroll") != std::string_view::npos) {
      ++facts_->unrolled;
    }
  }

  static std::int64_t LineOf(const SyntaxNode& node) {
    return static_cast<std::int64_t>(node.FirstLine());
  }

  // The node's text, or "" if it is too long to quote.
  std::string Quote(const SyntaxNode& node) const {
    if (!node) return "";
    std::string text = CodeOnOneLine(code_.substr(node.First(), node.Last() - node.First()));
    return text.size() <= kLongestQuote ? text : "";
  }

  static SyntaxNode NameOf(SyntaxNode declarator) {
    while (declarator && !declarator.Is("identifier")) {
      SyntaxNode inner = declarator.Field("declarator");
      if (!inner && declarator.Is("reference_declarator")) {
        const auto children = declarator.Children();
        if (!children.empty()) inner = children.back();
      }
      declarator = inner;
    }
    return declarator;
  }

  void TakeDeclaration(const SyntaxNode& node) {
    bool shared = false, external = false;
    for (const SyntaxNode& child : node.AllChildren()) {
      if (child.Is("type_qualifier") && child.Text() == "__shared__") shared = true;
      if (child.Is("storage_class_specifier") && child.Text() == "extern") external = true;
    }
    for (const SyntaxNode& child : node.Children()) {
      const SyntaxNode name = NameOf(child);
      if (!name || child.First() == node.Field("type").First()) continue;
      if (shared) {
        arrays_.emplace(name.Text());
        shared_.emplace(name.Text());
        std::string text = Quote(node);
        if (text.ends_with(';')) text.pop_back();
        facts_->shared.push_back({std::string(name.Text()), text, external, LineOf(node)});
      } else if (child.Is("init_declarator")) {
        TakeValue(node, name, child.Field("declarator"), child.Field("value"));
      }
    }
  }

  void TakeValue(const SyntaxNode& declaration, const SyntaxNode& name,
                 const SyntaxNode& declarator, const SyntaxNode& value) {
    if (!value || value.Is("initializer_list") || value.Is("argument_list")) return;
    if (declarator.Is("pointer_declarator")) {
      if (!Mentions(value, arrays_)) return;
      arrays_.emplace(name.Text());
      if (Mentions(value, shared_)) shared_.emplace(name.Text());
      std::string text = Quote(declaration);
      if (text.ends_with(';')) text.pop_back();
      if (!text.empty() && !Mentions(value, shared_)) {
        facts_->pointers.push_back({text, LineOf(declaration)});
      }
      return;
    }
    if (!IsInteger(declaration.Field("type"))) return;
    TakeIndex(name, value);
    if (IsGridStride(value, strides_)) strides_.emplace(name.Text());
  }

  void TakeIndex(const SyntaxNode& name, const SyntaxNode& value) {
    std::optional<ThreadIndex> index = ThreadIndexOf(value, indices_);
    if (!index || !IsArithmeticOrRank(value, *index)) return;
    index->name = name.Text();
    index->expression = Quote(value);
    index->line = LineOf(name);
    indices_.insert(index->name);
    if (!index->expression.empty()) facts_->indices.push_back(*std::move(index));
  }

  static bool IsArithmeticOrRank(const SyntaxNode& value, const ThreadIndex& index) {
    if (index.kind == ThreadIndex::Kind::kGridRank) return true;
    if (value.Text().find("thread_") != std::string_view::npos ||
        value.Text().find("group_index") != std::string_view::npos) {
      return value.Text().find('[') == std::string_view::npos;
    }
    return IsArithmetic(value);
  }

  void TakeLoop(const SyntaxNode& node) {
    const SyntaxNode initializer = node.Field("initializer");
    KernelLoop loop;
    SyntaxNode start;
    if (initializer.Is("declaration")) {
      const SyntaxNode declarator = initializer.Field("declarator");
      start = declarator.Is("init_declarator") ? declarator.Field("value") : SyntaxNode();
      loop.variable = NameOf(declarator) ? NameOf(declarator).Text() : std::string_view();
    } else if (initializer.Is("assignment_expression")) {
      start = initializer.Field("right");
      loop.variable = initializer.Field("left").Text();
    }
    if (!start || loop.variable.empty()) return;
    const SyntaxNode update = node.Field("update");
    SyntaxNode step;
    if (update.Is("assignment_expression") && update.Field("left").Text() == loop.variable) {
      const std::string_view sign = update.Field("operator").Text();
      if (sign == "+=") step = update.Field("right");
      const SyntaxNode sum = update.Field("right");
      if (sign == "=" && sum.Is("binary_expression") && sum.Field("operator").Text() == "+") {
        step = sum.Field("left").Text() == loop.variable ? sum.Field("right") : sum.Field("left");
      }
    }
    const bool per_thread = ThreadIndexOf(start, indices_).has_value() && IsArithmetic(start);
    if (!per_thread) return;
    loop.kind = step && IsGridStride(step, strides_) ? KernelLoop::Kind::kGridStride
                : step && IsBlockStride(step)        ? KernelLoop::Kind::kBlockStride
                                                     : KernelLoop::Kind::kThreadStart;
    loop.start = Quote(start);
    loop.condition = Quote(node.Field("condition"));
    loop.update = Quote(update);
    loop.line = LineOf(node);
    indices_.insert(loop.variable);
    if (!loop.start.empty() && !loop.condition.empty() && !loop.update.empty()) {
      facts_->loops.push_back(std::move(loop));
    }
  }

  static bool Returns(const SyntaxNode& statement) {
    if (statement.Is("return_statement")) return true;
    if (!statement.Is("compound_statement")) return false;
    const auto children = statement.Children();
    return children.size() == 1 && children[0].Is("return_statement");
  }

  // Recognizes guards: `if (i < n)`, `if (i >= n)`, comparisons of a thread index.
  void TakeGuard(const SyntaxNode& node, bool in_loop) {
    const SyntaxNode condition = node.Field("condition").Field("value");
    if (!condition || !Mentions(condition, indices_)) return;
    if (condition.Is("declaration") || !HasComparison(condition)) return;
    KernelGuard guard;
    guard.condition = Quote(condition);
    guard.line = LineOf(condition);
    if (guard.condition.empty()) return;
    const SyntaxNode consequence = node.Field("consequence");
    guard.leaves = Returns(consequence);
    if (!guard.leaves && (in_loop || node.Field("alternative") || !StoresIn(consequence))) return;
    if (guard.leaves && in_loop) return;
    facts_->guards.push_back(std::move(guard));
  }

  static bool HasComparison(const SyntaxNode& condition) {
    const std::string_view text = condition.Text();
    for (std::size_t at = text.find_first_of("<>"); at != std::string_view::npos;
         at = text.find_first_of("<>", at + 1)) {
      // Exclude "->", "<<" and ">>".
      const char before = at > 0 ? text[at - 1] : ' ';
      const char after = at + 1 < text.size() ? text[at + 1] : ' ';
      if (before != '-' && before != '<' && before != '>' && after != '<' && after != '>') {
        return true;
      }
    }
    return false;
  }

  bool StoresIn(const SyntaxNode& root) const {
    std::vector<SyntaxNode> open = {root};
    while (!open.empty()) {
      const SyntaxNode node = open.back();
      open.pop_back();
      if (node.Is("assignment_expression") && !TargetOf(node.Field("left")).empty()) return true;
      for (const SyntaxNode& child : node.Children()) open.push_back(child);
    }
    return false;
  }

  void TakeCall(const SyntaxNode& node, bool in_loop) {
    const std::string callee = CalleeOf(node);
    std::vector<KernelCall>* calls = nullptr;
    if (IsBarrier(callee))
      calls = &facts_->barriers;
    else if (IsWarpFunction(callee))
      calls = &facts_->warp_calls;
    else if (IsAtomic(callee))
      calls = &facts_->atomics;
    else if (callee.starts_with("__ldg") || callee.starts_with("__ldc")) {
      calls = &facts_->cached_loads;
    }
    if (calls == nullptr) return;
    auto at = std::find_if(calls->begin(), calls->end(),
                           [&](const KernelCall& call) { return call.name == callee; });
    if (at == calls->end()) {
      calls->push_back({callee, Quote(node), 0, 0, LineOf(node)});
      at = calls->end() - 1;
    }
    ++at->count;
    if (in_loop) ++at->in_loops;
  }

  // The known array that the expression accesses: x[i], *x, s[i][j]; "" for other expressions.
  std::string_view TargetOf(SyntaxNode node) const {
    while (node.Is("subscript_expression")) node = node.Field("argument");
    if (node.Is("pointer_expression") && node.Field("operator").Text() == "*") {
      node = StripParenthesesAndCasts(node.Field("argument"));
      if (node.Is("update_expression")) node = node.Field("argument");
    }
    return node.Is("identifier") && arrays_.contains(node.Text()) ? node.Text()
                                                                  : std::string_view();
  }

  void TakeAssignment(const SyntaxNode& node) {
    const SyntaxNode left = node.Field("left");
    if (left.Is("identifier")) {
      const std::string_view sign = node.Field("operator").Text();
      if (arrays_.contains(left.Text()) && (sign == "+=" || sign == "-=") &&
          !shared_.contains(left.Text()) && Mentions(node.Field("right"), indices_)) {
        if (std::string text = Quote(node); !text.empty()) {
          facts_->offsets.push_back({text, LineOf(node)});
        }
      } else if (sign == "=" && !indices_.contains(left.Text())) {
        const auto index = ThreadIndexOf(node.Field("right"), {});
        if (index && IsArithmeticOrRank(node.Field("right"), *index)) {
          TakeIndex(left, node.Field("right"));
        }
      }
      return;
    }
    const std::string_view array = TargetOf(left);
    if (array.empty()) return;
    stored_.insert(left.First());
    Add(&facts_->stores, array, left);
  }

  void TakeLoad(const SyntaxNode& node) {
    // The outermost subscript of s[i][j] is visited first. The inner one is not another access.
    if (node.First() == last_subscript_ || stored_.contains(node.First())) return;
    last_subscript_ = node.First();
    const std::string_view array = TargetOf(node);
    if (!array.empty()) Add(&facts_->loads, array, node);
  }

  void Add(std::vector<MemoryAccess>* accesses, std::string_view array, const SyntaxNode& node) {
    std::string text = Quote(node);
    const bool known = std::any_of(accesses->begin(), accesses->end(),
                                   [&](const MemoryAccess& access) { return access.text == text; });
    if (text.empty() || known) return;
    accesses->push_back(
        {std::string(array), std::move(text), shared_.contains(array), LineOf(node)});
  }

  void TakeCast(const SyntaxNode& type) {
    const std::string text = CodeOnOneLine(type.Text());
    if (!text.ends_with('*')) return;
    for (std::string_view name : IdentifiersIn(text)) {
      const bool half = name == "half2" || name == "__half2" || name == "__nv_bfloat162";
      if (!(IsVectorType(name) && name.back() > '1' && name != "dim3") && !half) continue;
      auto& types = facts_->vector_types;
      if (std::find(types.begin(), types.end(), name) == types.end()) types.emplace_back(name);
    }
  }

  const std::string_view code_;
  KernelFacts* const facts_;
  NameSet arrays_;  // Pointers to global memory, and shared arrays.
  NameSet shared_;
  NameSet indices_;               // Variables that depend on the thread.
  NameSet strides_;               // Variables that hold the grid's size.
  std::set<std::size_t> stored_;  // The offsets of the left sides of assignments.
  std::size_t last_subscript_ = static_cast<std::size_t>(-1);
};

}  // namespace

void ReadBodyFacts(const SyntaxNode& body, std::string_view code, KernelFacts* facts) {
  BodyReader(code, facts).Read(body);
}

std::vector<SyntaxNode> CallsIn(const SyntaxNode& root) {
  std::vector<SyntaxNode> calls, open = {root};
  while (!open.empty()) {
    const SyntaxNode node = open.back();
    open.pop_back();
    if (node.Is("call_expression")) calls.push_back(node);
    const auto children = node.Children();
    open.insert(open.end(), children.rbegin(), children.rend());
  }
  return calls;
}

std::string CalleeOf(const SyntaxNode& call) {
  const SyntaxNode function = call.Field("function");
  if (function.Is("field_expression")) {
    SyntaxNode method = function.Field("field");
    if (method.Is("template_method")) method = method.Field("name");
    return "." + std::string(method.Text());
  }
  return std::string(LastNameOf(QualifiedNameOf(function)));
}

bool IsBarrier(std::string_view callee) {
  return callee.starts_with("__syncthreads") || callee == "__syncwarp" || callee == ".sync" ||
         callee == "__threadfence" || callee == "__threadfence_block";
}

bool IsWarpFunction(std::string_view callee) {
  static constexpr std::array<std::string_view, 6> kMethods = {
      ".shfl", ".shfl_down", ".shfl_up", ".shfl_xor", ".any", ".all"};
  return callee.starts_with("__shfl") || callee.starts_with("__ballot") ||
         callee.starts_with("__any") || callee.starts_with("__all") ||
         callee.starts_with("__reduce_") || callee == "__activemask" || callee == ".ballot" ||
         std::find(kMethods.begin(), kMethods.end(), callee) != kMethods.end();
}

bool IsAtomic(std::string_view callee) {
  return callee.starts_with("atomic") || callee.starts_with("gpuAtomic");
}

}  // namespace kernelmill
