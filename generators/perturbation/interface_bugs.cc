// Bugs between the parts of an answer: the list of functions, calls, parameters and their order.
#include "generators/perturbation/bug.h"

namespace kernelmill {
namespace {

using Sites = std::vector<BugSite>;

BugSite Swapped(const SyntaxNode& a, const SyntaxNode& b) {
  return {Replaced(a, std::string(b.Text())), Replaced(b, std::string(a.Text()))};
}

std::vector<SyntaxNode> ListedFunctions(const AnswerTrees& answer) {
  std::vector<SyntaxNode> names;
  for (const SyntaxNode& item : answer.LoaderArgument("functions").Children()) {
    if (item.Is("string") && item.Children().size() == 3) names.push_back(item);
  }
  return names;
}

// Another plausible name for the function: "relu_forward" -> "relu", "relu" -> "relu_cuda".
std::string OtherName(std::string_view name) {
  const std::size_t end = name.rfind('_');
  return end == name.npos || end == 0 ? std::string(name) + "_cuda"
                                      : std::string(name.substr(0, end));
}

void FindMisnamedFunctions(const AnswerTrees& answer, Sites* sites) {
  for (const SyntaxNode& item : ListedFunctions(answer)) {
    const SyntaxNode name = item.Children()[1];
    sites->push_back({Replaced(name, OtherName(name.Text()))});
  }
}

void FindUnlistedFunctions(const AnswerTrees& answer, Sites* sites) {
  const std::vector<SyntaxNode> names = ListedFunctions(answer);
  if (names.size() < 2) return;
  for (std::size_t i = 0; i < names.size(); ++i) sites->push_back({ErasedItem(names, i)});
}

void FindMisnamedCalls(const AnswerTrees& answer, Sites* sites) {
  for (const SyntaxNode& call : answer.calls()) {
    const SyntaxNode name = call.Field("function").Field("attribute");
    sites->push_back({Replaced(name, OtherName(TextOf(name)))});
  }
}

void SwapNeighbours(const std::vector<SyntaxNode>& items, Sites* sites) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    sites->push_back(Swapped(items[i - 1], items[i]));
  }
}

void FindSwappedArguments(const AnswerTrees& answer, Sites* sites) {
  for (const SyntaxNode& call : answer.calls()) {
    SwapNeighbours(call.Field("arguments").Children(), sites);
  }
}

void FindMissingArguments(const AnswerTrees& answer, Sites* sites) {
  for (const SyntaxNode& call : answer.calls()) {
    const std::vector<SyntaxNode> arguments = call.Field("arguments").Children();
    if (arguments.size() > 1) sites->push_back({ErasedItem(arguments, arguments.size() - 1)});
  }
}

void FindSwappedForward(const AnswerTrees& answer, Sites* sites) {
  std::vector<SyntaxNode> parameters = answer.model().forward.Field("parameters").Children();
  if (parameters.empty()) return;
  parameters.erase(parameters.begin());
  SwapNeighbours(parameters, sites);
}

// The definition takes its tensors in another order than the callers pass them.
void FindSwappedParameters(const AnswerTrees& answer, Sites* sites) {
  for (const CudaFunction& function : answer.functions()) {
    if (function.OnDevice()) continue;
    for (std::size_t i = 1; i < function.parameters.size(); ++i) {
      const SyntaxNode a = function.parameters[i - 1], b = function.parameters[i];
      if (!a.Is("parameter_declaration") || !b.Is("parameter_declaration")) continue;
      if (TextOf(a.Field("type")) == TextOf(b.Field("type"))) sites->push_back(Swapped(a, b));
    }
  }
}

void FindSwappedLaunchArguments(const AnswerTrees& answer, Sites* sites) {
  for (const CudaLaunchSite& launch : answer.launches()) {
    const CudaFunction* const kernel = answer.FindFunction(launch.kernel);
    if (kernel == nullptr || kernel->parameters.size() != launch.arguments.size()) continue;
    const std::vector<CudaVariable> variables = VariablesOf(*kernel);
    for (std::size_t i = 1; i < launch.arguments.size() && i < variables.size(); ++i) {
      const CudaVariable &a = variables[i - 1], &b = variables[i];
      if (a.parameter && b.parameter && a.IsInteger() && b.IsInteger() && a.type == b.type) {
        sites->push_back(Swapped(launch.arguments[i - 1], launch.arguments[i]));
      }
    }
  }
}

bool UsesMember(const SyntaxNode& function, std::string_view member) {
  for (const SyntaxNode& attribute : NodesOf(function, "attribute")) {
    if (attribute.Text() == member) return true;
  }
  return false;
}

// The statements of the constructor that create a layer or parameter which forward() uses.
std::vector<SyntaxNode> MadeInConstructor(const AnswerTrees& answer) {
  std::vector<SyntaxNode> made;
  for (const SyntaxNode& statement : answer.model().constructor.Field("body").Children()) {
    if (!statement.Is("expression_statement") || statement.Children().size() != 1) continue;
    const SyntaxNode assignment = statement.Children()[0];
    const SyntaxNode left = assignment.Field("left");
    if (assignment.Is("assignment") && left.Is("attribute") &&
        TextOf(left.Field("object")) == "self" && assignment.Field("right").Is("call") &&
        UsesMember(answer.model().forward, left.Text())) {
      made.push_back(statement);
    }
  }
  return made;
}

void FindOtherOrders(const AnswerTrees& answer, Sites* sites) {
  SwapNeighbours(MadeInConstructor(answer), sites);
}

void FindMissingMembers(const AnswerTrees& answer, Sites* sites) {
  for (const SyntaxNode& statement : MadeInConstructor(answer)) {
    sites->push_back({ErasedStatement(statement, answer.code())});
  }
}

void FindOtherInitialValues(const AnswerTrees& answer, Sites* sites) {
  for (const SyntaxNode& statement : MadeInConstructor(answer)) {
    for (const SyntaxNode& call : NodesOf(statement, "call")) {
      const SyntaxNode name = call.Field("function").Field("attribute");
      if (TextOf(name) == "randn") sites->push_back({Replaced(name, "ones")});
    }
  }
}

void FindMissingSuper(const AnswerTrees& answer, Sites* sites) {
  if (MadeInConstructor(answer).empty()) return;
  for (const SyntaxNode& statement : answer.model().constructor.Field("body").Children()) {
    if (statement.Text().starts_with("super(")) {
      sites->push_back({ErasedStatement(statement, answer.code())});
    }
  }
}

void FindOtherClassNames(const AnswerTrees& answer, Sites* sites) {
  sites->push_back({Replaced(answer.model().node.Field("name"), "Model")});
}

// The sizes in "torch::empty({rows, cols}, …)".
std::vector<SyntaxNode> AllocatedSizes(const SyntaxNode& call) {
  const std::string_view callee = TextOf(call.Field("function"));
  const std::vector<SyntaxNode> arguments = call.Field("arguments").Children();
  if (!callee.ends_with("::empty") || arguments.empty()) return {};
  return arguments[0].Is("initializer_list") ? arguments[0].Children() : std::vector<SyntaxNode>();
}

void FindOtherOutputShapes(const AnswerTrees& answer, Sites* sites) {
  ForEachIn(answer, false, "call_expression", [&](const SyntaxNode& call, const CudaFunction&) {
    const std::vector<SyntaxNode> sizes = AllocatedSizes(call);
    SwapNeighbours(sizes, sites);
    if (sizes.size() > 1) {
      // All sizes become one dimension.
      std::string product;
      for (const SyntaxNode& size : sizes) {
        product += (product.empty() ? "" : " * ") + std::string(size.Text());
      }
      sites->push_back({{sizes.front().First(), sizes.back().Last(), product}});
    }
  });
}

}  // namespace

void AddInterfaceBugs(std::vector<BugClass>* bugs) {
  using enum FailureClass;
  const auto add = [&](std::string_view name, std::string_view cause, std::string_view remedy,
                       auto find) {
    bugs->push_back({name, kInterface, BugProof::kRun, cause, remedy, find});
  };
  add("misnamed_function",
      "the list `functions` names a function that the source does not define, so the build "
      "of the extension fails",
      "list the function by the name that it has in the source", FindMisnamedFunctions);
  add("unlisted_function",
      "`forward` calls a function that the list `functions` does not contain, so the "
      "extension does not export it",
      "add the function to the list `functions`", FindUnlistedFunctions);
  add("misnamed_call",
      "`forward` calls the extension by a name that it does not export, which raises an "
      "`AttributeError`",
      "call the function by the name that the list `functions` contains", FindMisnamedCalls);
  add("swapped_arguments",
      "`forward` passes two arguments in the wrong order, so each of them is used in the "
      "role of the other",
      "pass the arguments in the order of the function's parameters", FindSwappedArguments);
  add("missing_argument", "`forward` passes one argument too few, so the call raises a `TypeError`",
      "pass every argument that the function takes", FindMissingArguments);
  add("swapped_forward",
      "`forward` takes its inputs in another order than the reference, so a caller that "
      "passes them in the reference's order gets them exchanged",
      "use the order of the reference's parameters", FindSwappedForward);
  add("swapped_parameters",
      "the host function declares its tensors in another order than `forward` passes them, "
      "so two tensors exchange their roles",
      "declare the parameters in the order of the call", FindSwappedParameters);
  add("swapped_launch_arguments",
      "the launch passes two sizes in the wrong order, so the kernel uses each of them in "
      "place of the other",
      "pass the sizes in the order of the kernel's parameters", FindSwappedLaunchArguments);
  add("other_parameter_order",
      "the constructor creates the layers in another order than the reference; each draws "
      "its initial values from the same random stream, so equal seeds no longer give equal "
      "weights",
      "create layers and parameters in the order of the reference", FindOtherOrders);
  add("missing_member",
      "`forward` uses a layer or parameter that the constructor does not create, which "
      "raises an `AttributeError`",
      "create every layer and parameter of the reference in the constructor", FindMissingMembers);
  add("other_initial_values",
      "the initial values of this parameter are not drawn as in the reference, so the results "
      "differ even if the kernels are right",
      "initialise the parameter as the reference does", FindOtherInitialValues);
  add("missing_super",
      "the constructor assigns layers before `nn.Module` is initialised, which raises an "
      "`AttributeError`",
      "call `super().__init__()` first", FindMissingSuper);
  add("other_class_name",
      "the program has to define a class `ModelNew`, and this class has another name",
      "name the class `ModelNew`", FindOtherClassNames);
  add("other_output_shape", "the output is allocated with another shape than the reference returns",
      "allocate the output with the shape of the reference's result", FindOtherOutputShapes);
}

}  // namespace kernelmill
