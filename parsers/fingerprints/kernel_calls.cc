// Calls in a kernel, for KernelReader: of the functions that threads work together by, of those of
// the program, and of others.
#include <algorithm>
#include <array>
#include <iterator>

#include "parsers/cuda_attributes.h"
#include "parsers/cuda_body_facts.h"
#include "parsers/fingerprints/kernel_reader.h"

namespace kernelmill {
namespace {

constexpr std::size_t kDeepestCall = 12;

// cub's BlockReduce(storage).Sum(value) and the like.
bool IsBlockCollective(const SyntaxNode& function, std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "Sum",          "Reduce",       "InclusiveSum", "ExclusiveSum",
      "InclusiveScan", "ExclusiveScan", "Sort",         "SortDescending"};
  return function.Is("field_expression") &&
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

ThreadValue KernelReader::CallOf(const SyntaxNode& node) {
  const SyntaxNode function = node.Field("function");
  const std::vector<SyntaxNode> arguments = node.Field("arguments").Children();
  const std::string callee = CalleeOf(node);
  if (callee.ends_with("_cast") && function.Is("template_function") && arguments.size() == 1) {
    return Cast(function.Field("arguments"), Eval(arguments[0]));
  }
  if (callee.starts_with("__syncthreads") || callee == ".sync" || callee == "syncthreads") {
    Emit("bar");
    return {};
  }
  if (callee.starts_with("__ld") || callee.starts_with("__st")) return Cached(callee, arguments);
  if (callee.find("mma") != std::string::npos) return Word("mma", arguments);
  if (callee.find("matrix_sync") != std::string::npos) return Matrix(callee, arguments);
  if (callee.find("memcpy_async") != std::string::npos) return Word("async", arguments);
  if (IsAtomic(callee) && !arguments.empty()) {
    const ThreadValue place = Eval(arguments[0]);
    for (std::size_t i = 1; i < arguments.size(); ++i) Eval(arguments[i]);
    Emit(place.space == MemorySpace::kShared ? "satomic" : "atomic");
    return {};
  }
  if (IsWarpFunction(callee)) {
    if (callee == "__activemask") return {};
    const bool moves = callee.find("shfl") != std::string::npos ||
                       callee.find("reduce") != std::string::npos;
    return Word(moves ? "shfl" : "vote", arguments);
  }
  return Known(node, callee, arguments);
}

// Calls of functions of the program, of lambdas and macros, and all others.
ThreadValue KernelReader::Known(const SyntaxNode& node, const std::string& callee,
                                const std::vector<SyntaxNode>& arguments) {
  const SyntaxNode function = node.Field("function");
  const bool method = callee.starts_with('.');
  const std::string_view name = std::string_view(callee).substr(method ? 1 : 0);
  if (method) Eval(function.Field("argument"));
  std::vector<ThreadValue> values;
  ThreadValue all;
  for (const SyntaxNode& argument : arguments) {
    values.push_back(Eval(argument));
    all = Joined(all, values.back());
  }
  if (const ThreadValue* const variable = method ? nullptr : Find(name);
      variable != nullptr && variable->lambda) {
    const SyntaxNode body = variable->lambda.Field("body");
    if (calls_ < kDeepestCall) {
      ++calls_;
      Statement(body);
      --calls_;
    }
    return {};
  }
  const auto functions = program_.Find(name);
  if (!functions.empty()) {
    Overloads(functions, values);
  } else if (IsBlockCollective(function, name)) {
    Emit("cub");
  } else if (name == "reduce" && NodeText(function).find("::") != std::string_view::npos) {
    Emit("shfl");  // cooperative_groups::reduce
  } else {
    MacroWords(name);
  }
  all.number.reset();
  all.space = all.width > 1 || functions.empty() ? MemorySpace::kNone : all.space;
  return all;
}

// Methods with one name, of several structures, are taken in an order of their own.
void KernelReader::Overloads(const std::vector<const NativeFunction*>& functions,
                             const std::vector<ThreadValue>& values) {
  std::vector<Skeleton> skeletons;
  for (const NativeFunction* function : functions) {
    if (function->kernel || calls_ >= kDeepestCall) continue;
    Skeleton skeleton;
    EmitInto(&skeleton, [&] { Call(*function, values); });
    skeleton = Simplified(std::move(skeleton));
    if (std::find(skeletons.begin(), skeletons.end(), skeleton) == skeletons.end()) {
      skeletons.push_back(std::move(skeleton));
    }
  }
  std::sort(skeletons.begin(), skeletons.end(), [](const Skeleton& a, const Skeleton& b) {
    return SkeletonText(a) < SkeletonText(b);
  });
  for (Skeleton& skeleton : skeletons) {
    std::move(skeleton.begin(), skeleton.end(), std::back_inserter(*items_));
  }
}

void KernelReader::Call(const NativeFunction& function, const std::vector<ThreadValue>& arguments) {
  const std::size_t frame = frame_, size = variables_.size();
  std::vector<Variable> own;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const SyntaxNode& parameter = function.parameters[i];
    const std::string_view name = DeclaredName(parameter);
    ThreadValue value = i < arguments.size() ? arguments[i] : ThreadValue();
    const std::string_view text = parameter.Text();
    const bool points = text.find_first_of("*&[") != std::string_view::npos;
    const bool holds = text.find("Accessor") != std::string_view::npos;
    if (function.kernel && !points && !holds) value.space = MemorySpace::kNone;
    if (points && WidthOf(text) > 1) value.width = WidthOf(text);
    own.push_back({name, value});
  }
  frame_ = size;
  variables_.insert(variables_.end(), own.begin(), own.end());
  ++calls_;
  Statement(function.body);
  --calls_;
  variables_.resize(size);
  frame_ = frame;
}

ThreadValue KernelReader::Word(std::string_view word, const std::vector<SyntaxNode>& arguments) {
  ThreadValue all;
  for (const SyntaxNode& argument : arguments) all = Joined(all, Eval(argument));
  Emit(std::string(word));
  all.space = MemorySpace::kNone;
  return all;
}

// __ldg(p), __stcs(p, value) …
ThreadValue KernelReader::Cached(std::string_view callee,
                                 const std::vector<SyntaxNode>& arguments) {
  if (arguments.empty()) return {};
  const ThreadValue pointer = Eval(arguments[0]);
  for (std::size_t i = 1; i < arguments.size(); ++i) Eval(arguments[i]);
  Access(pointer, callee.starts_with("__st"));
  return {};
}

// Loads and stores of fragments.
ThreadValue KernelReader::Matrix(std::string_view callee,
                                 const std::vector<SyntaxNode>& arguments) {
  for (const SyntaxNode& argument : arguments) {
    const ThreadValue value = Eval(argument);
    if (value.space != MemorySpace::kGlobal && value.space != MemorySpace::kShared) continue;
    Access(value, callee.find("store") != std::string_view::npos);
  }
  return {};
}

// What a macro with parameters does, as far as its names say.
void KernelReader::MacroWords(std::string_view name) {
  for (const std::string_view part : IdentifiersIn(program_.Macro(name))) {
    if (part.starts_with("__syncthreads")) Emit("bar");
    if (IsAtomic(part)) Emit("atomic");
    if (part.starts_with("__shfl")) Emit("shfl");
  }
}

}  // namespace kernelmill
