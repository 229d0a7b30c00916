// Bugs that break the rules: answers that let torch compute the result.
#include <set>

#include "corpora/operators/operator_table.h"
#include "generators/perturbation/bug.h"
#include "parsers/python_file.h"

namespace kernelmill {
namespace {

using Sites = std::vector<BugSite>;

// The body of the reference's forward(), in a form that ModelNew can run.
struct TorchBody {
  std::string text;     // Indented as in a method, except for the first line.
  std::string imports;  // The imports that the answer lacks.
};

std::set<std::string, std::less<>> NamesOf(const std::string& code, PythonStatementKind kind) {
  std::set<std::string, std::less<>> names;
  for (const PythonStatement& statement : PythonFile::Parse(code).statements) {
    if (statement.kind != kind) continue;
    for (const PythonBinding& binding : statement.bindings) names.insert(binding.name);
  }
  return names;
}

std::optional<TorchBody> TorchBodyOf(const AnswerTrees& answer) {
  const PythonModule& model = answer.reference_model();
  if (!model.forward || model.methods > 2) return std::nullopt;
  const SyntaxNode body = model.forward.Field("body");
  if (TextOf(model.forward.Field("parameters")) !=
      TextOf(answer.model().forward.Field("parameters"))) {
    return std::nullopt;
  }
  // The names at module level of the reference that the answer lacks.
  for (const PythonStatementKind kind :
       {PythonStatementKind::kClass, PythonStatementKind::kFunction,
        PythonStatementKind::kAssignment, PythonStatementKind::kCompound}) {
    for (const std::string& name : NamesOf(answer.reference(), kind)) {
      if (MentionsName(body, name)) return std::nullopt;
    }
  }
  TorchBody torch{.text = std::string(TextOf(body))};
  const auto imported = NamesOf(answer.code(), PythonStatementKind::kImport);
  for (const PythonStatement& statement : PythonFile::Parse(answer.reference()).statements) {
    if (statement.kind != PythonStatementKind::kImport) continue;
    bool needed = false;
    for (const PythonBinding& binding : statement.bindings) {
      needed = needed || (!imported.contains(binding.name) && MentionsName(body, binding.name));
    }
    if (needed) {
      torch.imports +=
          answer.reference().substr(static_cast<std::size_t>(statement.first),
                                    static_cast<std::size_t>(statement.last - statement.first)) +
          '\n';
    }
  }
  return torch;
}

std::string Indented(const std::string& text) {
  std::string indented;
  for (const char c : text) {
    indented += c;
    if (c == '\n') indented += "    ";
  }
  return indented;
}

SyntaxNode BodyOf(const AnswerTrees& answer) { return answer.model().forward.Field("body"); }

// Adds a site: the edit together with the imports at the top of the file.
void AddSite(const AnswerTrees& answer, const TorchBody& torch, TextEdit edit, Sites* sites) {
  BugSite site = {std::move(edit)};
  for (const SyntaxNode& statement : answer.python().Children()) {
    if (!statement.Is("import_statement") && !statement.Is("import_from_statement")) continue;
    if (!torch.imports.empty()) site.push_back(Inserted(statement.First(), torch.imports));
    break;
  }
  sites->push_back(std::move(site));
}

void FindTorchInstead(const AnswerTrees& answer, Sites* sites) {
  const std::optional<TorchBody> torch = TorchBodyOf(answer);
  if (torch) AddSite(answer, *torch, Replaced(BodyOf(answer), torch->text), sites);
}

// A kernel runs, and its result is discarded.
void FindDecoys(const AnswerTrees& answer, Sites* sites) {
  const std::optional<TorchBody> torch = TorchBodyOf(answer);
  if (!torch) return;
  for (const SyntaxNode& call : answer.calls()) {
    bool runs = true;
    for (const SyntaxNode& argument : call.Field("arguments").Children()) {
      const std::string_view text = argument.Text();
      runs = runs && (text.starts_with("self.") ||
                      MentionsName(answer.model().forward.Field("parameters"), text));
    }
    if (!runs) continue;
    AddSite(answer, *torch,
            Replaced(BodyOf(answer), std::string(call.Text()) + "\n        " + torch->text), sites);
  }
}

void FindFallbacks(const AnswerTrees& answer, Sites* sites) {
  const std::optional<TorchBody> torch = TorchBodyOf(answer);
  if (!torch) return;
  const std::string own(BodyOf(answer).Text());
  AddSite(answer, *torch,
          Replaced(BodyOf(answer), "try:\n            " + Indented(own) +
                                       "\n        except Exception:\n            " +
                                       Indented(torch->text)),
          sites);
  for (const std::string_view condition :
       {"self.training", "not torch.cuda.is_available()", "torch.is_grad_enabled()"}) {
    AddSite(answer, *torch,
            Replaced(BodyOf(answer), "if " + std::string(condition) + ":\n            " +
                                         Indented(torch->text) + "\n        " + own),
            sites);
  }
}

void FindCompiledByTorch(const AnswerTrees& answer, Sites* sites) {
  const std::optional<TorchBody> torch = TorchBodyOf(answer);
  if (!torch) return;
  const std::string parameters(TextOf(answer.model().forward.Field("parameters")));
  std::string arguments;
  for (const SyntaxNode& parameter : answer.model().forward.Field("parameters").Children()) {
    if (!parameter.Is("identifier")) return;
    if (parameter.Text() == "self") continue;
    arguments += (arguments.empty() ? "" : ", ") + std::string(parameter.Text());
  }
  AddSite(answer, *torch,
          Replaced(BodyOf(answer), "return torch.compile(self.compute)(" + arguments +
                                       ")\n\n    def compute" + parameters + ":\n        " +
                                       torch->text),
          sites);
}

// forward() calls a layer that exists only for its parameters.
void FindCalledLayers(const AnswerTrees& answer, Sites* sites) {
  for (const SyntaxNode& call : answer.calls()) {
    const std::vector<SyntaxNode> arguments = call.Field("arguments").Children();
    if (arguments.size() < 2) continue;
    const SyntaxNode last = arguments[1];
    if (!last.Is("attribute") || TextOf(last.Field("attribute")) != "weight") continue;
    const std::string layer(TextOf(last.Field("object")));
    if (layer.starts_with("self.") && layer != "self") {
      sites->push_back({Replaced(call, layer + '(' + std::string(arguments[0].Text()) + ')')});
    }
  }
}

// The C++ code calls torch's function in place of the kernel.
void FindTorchInExtension(const AnswerTrees& answer, Sites* sites) {
  for (const CudaFunction& function : answer.functions()) {
    if (function.OnDevice()) continue;
    const std::string_view word = function.name.substr(0, function.name.find('_'));
    const OperatorRow* const row = FindOperator(word);
    if (row == nullptr || !row->cpp.stands_for_wrapper) continue;
    std::string arguments;
    for (const CudaVariable& variable : VariablesOf(function)) {
      if (!variable.parameter) continue;
      arguments += (arguments.empty() ? "" : ", ") + std::string(variable.name);
    }
    for (const SyntaxNode& node : NodesOf(function.body, "return_statement")) {
      if (!node.Parent().Is("compound_statement") || node.Children().size() != 1) continue;
      sites->push_back(
          {Replaced(node.Children()[0], "torch::" + std::string(word) + '(' + arguments + ')')});
    }
  }
}

}  // namespace

void AddLegalityBugs(std::vector<BugClass>* bugs) {
  using enum FailureClass;
  const auto add = [&](std::string_view name, std::string_view cause, std::string_view remedy,
                       auto find) {
    bugs->push_back({name, kLegality, BugProof::kRun, cause, remedy, find});
  };
  add("torch_instead", "`forward` lets PyTorch compute the result and never calls the kernels",
      "call the kernels in `forward`", FindTorchInstead);
  add("decoy_kernel",
      "`forward` launches a kernel, discards what it computed, and returns a result of "
      "PyTorch",
      "return the tensor that the kernel has written", FindDecoys);
  add("torch_fallback",
      "`forward` has a second path on which PyTorch computes the result; whether the "
      "kernels run depends on a condition",
      "remove the path through PyTorch, so that the kernels compute every result", FindFallbacks);
  add("compiled_by_torch",
      "the kernel comes from `torch.compile`, although a kernel in native source code was "
      "asked for",
      "write the kernel in the extension and call it", FindCompiledByTorch);
  add("called_layer", "calling the layer lets PyTorch compute; only its parameters may be used",
      "pass the layer's weight and bias to a kernel", FindCalledLayers);
  add("torch_in_extension",
      "the kernel is launched, but its result is thrown away: the host code returns a tensor that "
      "PyTorch computes",
      "return the tensor that the kernel has written", FindTorchInExtension);
}

}  // namespace kernelmill
