#include "generators/lowering/reference_shell.h"

#include <algorithm>
#include <map>
#include <set>

#include "parsers/python_file.h"
#include "parsers/python_signature.h"

namespace kernelmill {
namespace {

constexpr std::string_view kModel = "Model";
constexpr std::string_view kAnswer = "ModelNew";
// Methods that torch's own constructors call.
constexpr std::string_view kHooks[] = {"reset_parameters", "_reset_parameters"};

SyntaxNode Undecorated(const SyntaxNode& node) {
  return node.Is("decorated_definition") ? node.Field("definition") : node;
}

struct Span {
  std::size_t first = 0, last = 0;
  bool Holds(std::size_t offset) const { return first <= offset && offset < last; }
};

class ShellWriter {
 public:
  explicit ShellWriter(const std::string& code)
      : code_(code),
        file_(PythonFile::Parse(code)),
        tree_(SyntaxTree::Parse(Grammar::kPython, code)) {}

  std::optional<ReferenceShell> Write(std::size_t forward_arguments) {
    ReferenceShell shell;
    if (!ReadArguments(forward_arguments, &shell.forward_names)) return std::nullopt;
    const SyntaxNode model = FindDefinition(tree_.Root(), kModel);
    if (!model.Is("class_definition") || !model.Field("body")) return std::nullopt;
    DropIdleMethods();
    KeepWhatIsNeeded();
    for (std::size_t i = 0; i < file_.statements.size(); ++i) {
      const PythonStatement& statement = file_.statements[i];
      if (!kept_.contains(i)) continue;
      if (statement.Binds(kModel)) continue;
      const std::string text = TextOf(statement.first, statement.last);
      if (statement.kind == PythonStatementKind::kImport) {
        shell.imports += text + '\n';
      } else {
        const bool block = text.find('\n') != text.npos;
        shell.definitions += (shell.definitions.empty() ? "" : block || after_block_ ? "\n\n" : "");
        shell.definitions += text + '\n';
        after_block_ = block;
      }
    }
    const SyntaxNode bases = model.Field("superclasses");
    shell.bases = bases ? TextOf(bases.First() + 1, bases.Last() - 1) : "";
    const SyntaxNode body = model.Field("body");
    std::size_t first = body.First();
    while (first > 0 && code_[first - 1] != '\n') --first;
    shell.members = TextOf(first, body.Last());
    if (!shell.members.empty()) shell.members += '\n';
    return shell;
  }

 private:
  bool ReadArguments(std::size_t count, std::vector<std::string>* names) const {
    const SyntaxNode forward = FindInherited(tree_.Root(), kModel, "forward");
    std::vector<PythonParameter> parameters;
    if (forward) parameters = ReadParameters(forward);
    for (std::size_t i = 1; i < parameters.size() && names->size() < count; ++i) {
      if (parameters[i].kind != PythonParameter::Kind::kPositional) break;
      names->emplace_back(parameters[i].name);
    }
    // The remaining arguments go to *args, or to nn.Sequential's own forward().
    const bool open =
        !forward || std::any_of(parameters.begin(), parameters.end(), [](const auto& parameter) {
          return parameter.kind == PythonParameter::Kind::kRest;
        });
    if (names->size() < count && !open) return false;
    for (std::size_t i = names->size(); i < count; ++i) {
      std::string name = count == 1 ? "x" : "x" + std::to_string(i);
      while (std::find(names->begin(), names->end(), name) != names->end()) name += "_more";
      names->push_back(std::move(name));
    }
    return true;
  }

  // Removes methods that no constructor reaches. Reachability is judged by attribute names alone,
  // so that too many methods stay rather than too few.
  void DropIdleMethods() {
    std::multimap<std::string_view, SyntaxNode> methods;
    std::vector<SyntaxNode> pending;  // Definitions whose attributes must still be read.
    for (const SyntaxNode& child : tree_.Root().Children()) {
      const SyntaxNode node = Undecorated(child);
      if (!node.Is("class_definition")) {
        if (node.Is("function_definition")) pending.push_back(node);
        continue;
      }
      if (!node.Field("body")) continue;
      for (const SyntaxNode& member : node.Field("body").Children()) {
        const SyntaxNode method = Undecorated(member);
        if (method.Is("function_definition")) {
          methods.emplace(method.Field("name").Text(), member);
        } else if (IsForCompiler(member)) {
          Drop(member);
        } else {
          pending.push_back(member);
        }
      }
    }
    std::set<std::string_view> reached;
    const auto reach = [&](std::string_view name) {
      if (name == "forward" || !reached.insert(name).second) return;
      const auto [begin, end] = methods.equal_range(name);
      for (auto it = begin; it != end; ++it) pending.push_back(it->second);
    };
    for (const auto& [name, node] : methods) {
      const bool special = name.starts_with("__") && name.ends_with("__") && name != "__call__";
      if (special || std::find(std::begin(kHooks), std::end(kHooks), name) != std::end(kHooks)) {
        reach(name);
      }
    }
    while (!pending.empty()) {
      const SyntaxNode node = pending.back();
      pending.pop_back();
      ForEachNode(node, [&](const SyntaxNode& inner) {
        if (inner.Is("attribute")) reach(inner.Field("attribute").Text());
      });
    }
    for (const auto& [name, node] : methods) {
      if (!reached.contains(name)) Drop(node);
    }
    std::sort(dropped_.begin(), dropped_.end(),
              [](const Span& a, const Span& b) { return a.first < b.first; });
  }

  // Whether it is an annotation for torch's compiler: "fast: torch.jit.Final[bool]".
  static bool IsForCompiler(const SyntaxNode& member) {
    if (member.Text().find("torch.jit.") == std::string_view::npos) return false;
    const std::vector<SyntaxNode> inner = member.Children();
    return member.Is("expression_statement") && inner.size() == 1 &&
           inner[0].Is("assignment") && inner[0].Field("type") && !inner[0].Field("right");
  }

  // Removes the node with its line, and the comments and empty lines before it.
  void Drop(const SyntaxNode& node) {
    Span span{node.First(), node.Last()};
    while (span.first > 0 && code_[span.first - 1] != '\n') --span.first;
    while (span.first > 0) {
      std::size_t line = span.first - 1;
      while (line > 0 && code_[line - 1] != '\n') --line;
      const std::size_t word = code_.find_first_not_of(" \t", line);
      if (code_[word] != '#' && code_[word] != '\n') break;
      span.first = line;
    }
    span.last = std::min(code_.find('\n', span.last), code_.size());
    if (span.last < code_.size()) ++span.last;
    dropped_.push_back(span);
  }

  bool IsDropped(std::size_t offset) const {
    return std::any_of(dropped_.begin(), dropped_.end(),
                       [&](const Span& span) { return span.Holds(offset); });
  }

  void KeepWhatIsNeeded() {
    std::vector<std::string> pending = {std::string(kModel)};
    std::set<std::string> known;
    while (!pending.empty()) {
      const std::string name = std::move(pending.back());
      pending.pop_back();
      if (!known.insert(name).second) continue;
      for (std::size_t i = 0; i < file_.statements.size(); ++i) {
        const PythonStatement& statement = file_.statements[i];
        const bool binds = statement.Binds(name);
        if (!binds || IsGiven(statement) || !kept_.insert(i).second) continue;
        for (const PythonUse& use : statement.uses) {
          const bool stays = std::any_of(use.offsets.begin(), use.offsets.end(),
                                         [&](std::int64_t at) { return !IsDropped(at); });
          if (stays) pending.push_back(use.chain.substr(0, use.chain.find('.')));
        }
      }
    }
  }

  // Whether it is one of the imports that every answer begins with.
  bool IsGiven(const PythonStatement& statement) const {
    const std::string_view text =
        std::string_view(code_).substr(statement.first, statement.last - statement.first);
    return text == "import torch" || text == "import torch.nn as nn" ||
           text == "from torch import nn";
  }

  // The text from `first` to `last` without dropped parts and with Model renamed.
  std::string TextOf(std::size_t first, std::size_t last) const {
    std::map<std::size_t, std::pair<std::size_t, std::string_view>> edits;  // first -> last, text
    for (const Span& span : dropped_) {
      if (span.first < last && span.last > first) edits[span.first] = {span.last, ""};
    }
    for (const PythonStatement& statement : file_.statements) {
      for (const PythonUse& use : statement.uses) {
        if (use.chain != kModel && !use.chain.starts_with("Model.")) continue;
        for (const std::int64_t at : use.offsets) {
          if (!IsDropped(at)) edits[at] = {at + kModel.size(), kAnswer};
        }
      }
    }
    std::string text;
    std::size_t at = first;
    for (const auto& [begin, edit] : edits) {
      if (begin >= last || edit.first <= first) continue;
      if (begin > at) text += code_.substr(at, begin - at);
      text += edit.second;
      at = std::max(at, edit.first);
    }
    if (at < last) text += code_.substr(at, last - at);
    return Trimmed(std::move(text));
  }

  static std::string Trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    while (text.starts_with('\n')) text.erase(0, 1);
    // A class without remaining members.
    if (text.starts_with("class ") && text.ends_with(':')) text += "\n    pass";
    return text;
  }

  const std::string& code_;
  const PythonFile file_;
  const SyntaxTree tree_;
  std::vector<Span> dropped_;
  std::set<std::size_t> kept_;  // The statements that stay.
  bool after_block_ = false;
};

}  // namespace

std::optional<ReferenceShell> ShellOf(const std::string& code, std::size_t forward_arguments) {
  return ShellWriter(code).Write(forward_arguments);
}

}  // namespace kernelmill
