#include "generators/perturbation/answer_trees.h"

#include <algorithm>

#include "parsers/inline_cuda.h"

namespace kernelmill {
namespace {

PythonModule FindModule(const SyntaxNode& python, std::string_view name) {
  PythonModule module;
  for (const SyntaxNode& statement : python.Children()) {
    if (!statement.Is("class_definition") || TextOf(statement.Field("name")) != name) continue;
    module = {.node = statement};
    for (const SyntaxNode& member : statement.Field("body").Children()) {
      if (!member.Is("function_definition")) continue;
      ++module.methods;
      if (TextOf(member.Field("name")) == "__init__") module.constructor = member;
      if (TextOf(member.Field("name")) == "forward") module.forward = member;
    }
  }
  return module;
}

SyntaxNode FunctionDeclarator(const SyntaxNode& definition) {
  SyntaxNode node = definition.Field("declarator");
  while (node && !node.Is("function_declarator")) node = node.Field("declarator");
  return node;
}

CudaFunction ReadFunction(const SyntaxNode& node) {
  CudaFunction function{.node = node, .body = node.Field("body")};
  const SyntaxNode declarator = FunctionDeclarator(node);
  function.name = TextOf(declarator.Field("declarator"));
  for (const SyntaxNode& parameter : declarator.Field("parameters").Children()) {
    function.parameters.push_back(parameter);
  }
  for (const SyntaxNode& child : node.AllChildren()) {
    if (child.First() >= function.body.First()) break;
    if (child.Text() == "__global__") function.kind = CudaFunction::Kind::kKernel;
    if (child.Text() == "__device__") function.kind = CudaFunction::Kind::kDevice;
  }
  return function;
}

void AddDeclarators(const SyntaxNode& declaration, bool parameter,
                    std::vector<CudaVariable>* variables) {
  CudaVariable shape{.type = TextOf(declaration.Field("type")), .declaration = declaration};
  shape.parameter = parameter;
  for (const SyntaxNode& child : declaration.AllChildren()) {
    if (child.Text() == "__shared__") shape.shared = true;
    if (child.Text() == "const" || child.Text() == "constexpr") shape.constant = true;
  }
  for (const SyntaxNode& child : declaration.AllChildren()) {
    if (child.Role() != "declarator") continue;
    CudaVariable variable = shape;
    SyntaxNode node = child;
    while (node && !node.Is("identifier")) {
      if (node.Is("init_declarator")) variable.initial = node.Field("value");
      if (node.Is("pointer_declarator")) variable.pointer = true;
      if (node.Is("array_declarator")) variable.array = true;
      const SyntaxNode inner = node.Field("declarator");
      // The declarator of a C++ reference has no field name.
      node = inner || node.Children().empty() ? inner : node.Children().back();
    }
    variable.name = TextOf(node);
    if (!variable.name.empty()) variables->push_back(variable);
  }
}

}  // namespace

std::string_view TextOf(const SyntaxNode& node) { return node ? node.Text() : std::string_view(); }

std::string_view OperatorOf(const SyntaxNode& node) { return TextOf(node.Field("operator")); }

std::vector<SyntaxNode> NodesOf(const SyntaxNode& root, std::string_view kind) {
  std::vector<SyntaxNode> nodes;
  if (!root) return nodes;
  ForEachNode(root, [&](const SyntaxNode& node) {
    if (node.Is(kind)) nodes.push_back(node);
  });
  return nodes;
}

SyntaxNode EnclosingNode(SyntaxNode node, std::string_view kind) {
  do node = node.Parent();
  while (node && !node.Is(kind));
  return node;
}

bool IsWithin(const SyntaxNode& node, const SyntaxNode& outer) {
  return outer && node.First() >= outer.First() && node.Last() <= outer.Last();
}

bool MentionsName(const SyntaxNode& root, std::string_view name) {
  if (!root) return false;
  SyntaxCursor cursor(root);
  do {
    if (cursor.Node().Is("identifier") && cursor.Node().Text() == name) return true;
  } while (cursor.ToNext());
  return false;
}

SyntaxNode WithoutParentheses(SyntaxNode node) {
  while (node.Is("parenthesized_expression") && node.Children().size() == 1) {
    node = node.Children()[0];
  }
  return node;
}

bool CudaVariable::IsFloat() const {
  return !pointer && !array && (type == "float" || type == "double");
}

bool CudaVariable::IsInteger() const {
  return !pointer && !array &&
         (type == "int" || type == "int64_t" || type == "size_t" || type == "unsigned");
}

std::vector<CudaVariable> VariablesOf(const CudaFunction& function) {
  std::vector<CudaVariable> variables;
  for (const SyntaxNode& parameter : function.parameters) {
    AddDeclarators(parameter, true, &variables);
  }
  for (const SyntaxNode& declaration : NodesOf(function.body, "declaration")) {
    AddDeclarators(declaration, false, &variables);
  }
  return variables;
}

const CudaVariable* FindVariable(const std::vector<CudaVariable>& variables,
                                 std::string_view name) {
  for (const CudaVariable& variable : variables) {
    if (variable.name == name) return &variable;
  }
  return nullptr;
}

SyntaxNode SubscriptIndex(const SyntaxNode& subscript) {
  const std::vector<SyntaxNode> indices = subscript.Field("indices").Children();
  return indices.size() == 1 ? indices[0] : SyntaxNode();
}

std::unique_ptr<const AnswerTrees> AnswerTrees::Parse(std::string code, std::string reference) {
  std::optional<CudaFile> file = ReadInlineCuda(code);
  if (!file) return nullptr;
  std::unique_ptr<AnswerTrees> answer(new AnswerTrees);
  answer->code_ = std::move(code);
  answer->reference_ = std::move(reference);
  answer->cuda_text_ = std::move(file->source);
  answer->python_tree_ = SyntaxTree::Parse(Grammar::kPython, answer->code_);
  answer->cuda_tree_ = SyntaxTree::Parse(Grammar::kCuda, answer->cuda_text_);
  answer->reference_tree_ = SyntaxTree::Parse(Grammar::kPython, answer->reference_);
  answer->python_ = answer->python_tree_.Root();
  answer->cuda_ = answer->cuda_tree_.Root();
  answer->reference_python_ = answer->reference_tree_.Root();
  answer->model_ = FindModule(answer->python_, "ModelNew");
  if (answer->python_.HasError() || !answer->model_.forward) return nullptr;
  answer->reference_model_ = FindModule(answer->reference_python_, "Model");
  answer->ReadFunctions();
  answer->ReadDeclarations();
  answer->ReadCalls();
  return answer;
}

void AnswerTrees::ReadFunctions() {
  for (const SyntaxNode& node : NodesOf(cuda_, "function_definition")) {
    if (!node.HasError() && node.Field("body")) functions_.push_back(ReadFunction(node));
  }
  for (const CudaFunction& function : functions_) {
    if (function.OnDevice()) continue;
    for (const SyntaxNode& call : NodesOf(function.body, "call_expression")) {
      CudaLaunchSite launch{.call = call};
      for (const SyntaxNode& child : call.Children()) {
        if (child.Is("kernel_call_syntax")) launch.configuration = child.Children();
      }
      if (launch.configuration.size() < 2) continue;
      SyntaxNode callee = call.Field("function");
      if (callee.Is("template_function")) callee = callee.Field("name");
      launch.kernel = TextOf(callee);
      launch.arguments = call.Field("arguments").Children();
      launches_.push_back(std::move(launch));
    }
  }
}

SyntaxNode AnswerTrees::LoaderArgument(std::string_view keyword) const {
  for (const SyntaxNode& argument : loader_.Field("arguments").Children()) {
    if (argument.Is("keyword_argument") && TextOf(argument.Field("name")) == keyword) {
      return argument.Field("value");
    }
  }
  return {};
}

void AnswerTrees::ReadDeclarations() {
  for (const SyntaxNode& call : NodesOf(python_, "call")) {
    const std::string_view callee = TextOf(call.Field("function"));
    if (callee == "load_inline" || callee.ends_with(".load_inline")) loader_ = call;
  }
  SyntaxNode sources = LoaderArgument("cpp_sources");
  if (sources.Is("list") && sources.Children().size() == 1) sources = sources.Children()[0];
  if (sources.Is("identifier")) {
    for (const SyntaxNode& assignment : NodesOf(python_, "assignment")) {
      if (TextOf(assignment.Field("left")) == sources.Text()) {
        sources = assignment.Field("right");
        break;
      }
    }
  }
  if (!sources.Is("string")) return;
  declarations_text_ = code_;
  for (std::size_t i = 0; i < code_.size(); ++i) {
    if (code_[i] != '\n') declarations_text_[i] = ' ';
  }
  for (const SyntaxNode& part : sources.Children()) {
    if (!part.Is("string_content")) continue;
    declarations_text_.replace(part.First(), part.Text().size(), part.Text());
  }
  declarations_tree_ = SyntaxTree::Parse(Grammar::kCuda, declarations_text_);
  for (const SyntaxNode& node : NodesOf(declarations_tree_.Root(), "declaration")) {
    if (!node.HasError() && FunctionDeclarator(node)) {
      declarations_.push_back(FunctionDeclarator(node));
    }
  }
}

void AnswerTrees::ReadCalls() {
  const SyntaxNode assignment = EnclosingNode(loader_, "assignment");
  const std::string_view extension = loader_ ? TextOf(assignment.Field("left")) : "";
  if (extension.empty()) return;
  for (const SyntaxNode& call : NodesOf(model_.forward, "call")) {
    const SyntaxNode function = call.Field("function");
    if (function.Is("attribute") && TextOf(function.Field("object")) == extension) {
      calls_.push_back(call);
    }
  }
}

const CudaFunction* AnswerTrees::FindFunction(std::string_view name) const {
  const auto found = std::find_if(functions_.begin(), functions_.end(),
                                  [&](const CudaFunction& one) { return one.name == name; });
  return found == functions_.end() ? nullptr : &*found;
}

}  // namespace kernelmill
