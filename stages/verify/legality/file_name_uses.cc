#include "stages/verify/legality/file_name_uses.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "manifests/ascii.h"
#include "parsers/cuda_uses.h"
#include "parsers/function_declarator.h"
#include "stages/verify/legality/name_prefix.h"

namespace kernelmill {
namespace {

constexpr std::string_view kFile = "__FILE__";

// How the names of functions that only print or raise start.
constexpr std::array<std::string_view, 10> kMessages = {
    "printf",        "fprintf",          "puts", "fputs", "TORCH_", "AT_", "C10_",
    "__assert_fail", "invalid_argument", "Error"};
// Streams whose texts nobody reads again.
constexpr std::array<std::string_view, 6> kStreams = {"std::cerr", "std::cout", "std::clog",
                                                      "cerr",      "cout",      "clog"};
// Functions whose result is the text that they get, or a part of a text.
constexpr std::array<std::string_view, 3> kTexts = {"string", "str", "c_str"};

// A function or macro of the text that gets arguments.
struct Own {
  std::vector<std::string> parameters;
  SyntaxNode body;
};

// What an operator of the preprocessor makes has no meaning for a parser: #name becomes a string as
// long as that, and ## a blank.
void ForgetOperators(std::string* text) {
  for (std::size_t at = 0; (at = text->find('#', at)) != text->npos; ++at) {
    std::size_t end = at + 1;
    while (end < text->size() && IsNamePart((*text)[end])) ++end;
    (*text)[at] = end > at + 1 && (at == 0 || (*text)[at - 1] != '#') ? '"' : ' ';
    if ((*text)[at] == '"') (*text)[end - 1] = '"';
  }
}

// Whether a node only hands its operand on: to a message, or to what is around it.
bool HandsOn(const SyntaxNode& node) {
  if (node.Is("binary_expression")) {
    const std::string_view sign = node.Field("operator").Text();
    return sign == "<<" || sign == "+";
  }
  return node.Is("argument_list") || node.Is("parenthesized_expression") ||
         node.Is("concatenated_string") || node.Is("initializer_list") ||
         node.Is("compound_literal_expression") || node.Is("call_expression") ||
         node.Is("field_expression");
}

class Uses {
 public:
  explicit Uses(const SyntaxTree& tree) : tree_(tree) {
    ForEachNode(tree.Root(), [&](const SyntaxNode& node) { Note(node); });
  }

  std::vector<VerdictFinding> Find(std::string_view file) {
    std::vector<VerdictFinding> findings;
    const auto report = [&](std::size_t line) {
      findings.push_back({"fallback", std::string(file), static_cast<std::int64_t>(line),
                          "code reads " + std::string(kFile) +
                              ", which names the folder of this build: a device may get other code "
                              "than the judge; it may only be printed or raised"});
    };
    ForEachNode(tree_.Root(), [&](const SyntaxNode& node) {
      if (node.Is("preproc_def") || node.Is("preproc_function_def")) {
        const auto body = bodies_.find(node.First());
        if (body != bodies_.end() && !OnlyTold(body->second.Root(), kFile)) {
          report(node.FirstLine());
        }
      } else if (node.Is("identifier") && node.Text() == kFile && !IsTold(node)) {
        report(node.FirstLine());
      }
    });
    return findings;
  }

 private:
  void Note(const SyntaxNode& node) {
    if (node.Is("function_definition")) {
      const SyntaxNode declarator = DeclaratorOfFunction(node);
      if (!declarator || !node.Field("body")) return;
      Own own{{}, node.Field("body")};
      for (const SyntaxNode& parameter : declarator.Field("parameters").Children()) {
        SyntaxNode name = parameter.Field("declarator");
        while (name && !name.Is("identifier") && !name.Children().empty()) {
          name = name.Children().back();
        }
        own.parameters.emplace_back(name ? name.Text() : std::string_view());
      }
      std::vector<Own>& same = own_[std::string(LastNameOf(declarator.Field("declarator").Text()))];
      same.push_back(own);
      for (const SyntaxNode& part : node.Children()) {
        if (part.Is("field_initializer_list")) same.push_back({own.parameters, part});
      }
    } else if (node.Is("preproc_def") || node.Is("preproc_function_def")) {
      NoteMacro(node);
    }
  }

  // The body of a macro is one token of the tree.
  void NoteMacro(const SyntaxNode& node) {
    const SyntaxNode value = node.Field("value");
    if (!value) return;
    std::string text(value.Text());
    for (std::size_t at = 0; (at = text.find("\\\n", at)) != text.npos;) text.replace(at, 2, "  ");
    ForgetOperators(&text);
    // As an argument of a call, so that what is only a text or a list of arguments is one, too.
    const bool statement = text.find(';') != text.npos || text.find('{') != text.npos;
    texts_.push_back("void f() { " + (statement ? text : "km_value(" + text + ")") + "; }");
    const SyntaxTree& body =
        bodies_.emplace(node.First(), SyntaxTree::Parse(Grammar::kCuda, texts_.back()))
            .first->second;
    Own own{{}, body.Root()};
    if (const SyntaxNode parameters = node.Field("parameters")) {
      for (const SyntaxNode& parameter : parameters.Children()) {
        own.parameters.emplace_back(parameter.Text() == "..." ? "__VA_ARGS__" : parameter.Text());
      }
    }
    own_[std::string(node.Field("name").Text())].push_back(std::move(own));
  }

  // Whether each use of the name below a node is a part of a message.
  bool OnlyTold(const SyntaxNode& within, std::string_view name) {
    bool told = true;
    ForEachNode(within, [&](const SyntaxNode& node) {
      if (told && node.Is("identifier") && node.Text() == name) told = IsTold(node);
    });
    return told;
  }

  // Whether a statement writes to a string stream of its function, whose text is only told.
  bool IsToldByStream(const SyntaxNode& statement) {
    const std::string_view text = statement.Text();
    const std::string_view name = text.substr(0, text.find_first_of(" \n<"));
    SyntaxNode scope = statement.Parent();
    while (scope.Parent() && !scope.Is("function_definition")) scope = scope.Parent();
    bool declared = false, told = true;
    ForEachNode(scope, [&](const SyntaxNode& node) {
      if (!told || !node.Is("identifier") || node.Text() != name) return;
      SyntaxNode around = node.Parent();
      while (around.Parent() && !around.Is("declaration") && !around.Is("expression_statement") &&
             !around.Is("compound_statement")) {
        around = around.Parent();
      }
      if (around.Is("declaration") && around.Text().find("stringstream ") != text.npos) {
        declared = true;
      } else if (!(around.Is("expression_statement") && around.Text().starts_with(name) &&
                   around.Text().substr(name.size()).find_first_not_of(" \n") !=
                       std::string_view::npos &&
                   around.Text()
                       .substr(around.Text().find_first_not_of(" \n", name.size()))
                       .starts_with("<<"))) {
        told = IsTold(node);
      }
    });
    return declared && told;
  }

  bool IsTold(SyntaxNode node) {
    SyntaxNode argument;
    for (SyntaxNode around = node.Parent(); around; node = around, around = around.Parent()) {
      if (around.Is("throw_statement")) return true;
      if (around.Is("expression_statement")) {
        return StartsWithAny(around.Text(), kStreams) || IsToldByStream(around);
      }
      if (around.Is("argument_list")) argument = node;
      if (around.Is("field_initializer")) return IsToldBy(around, node, argument).value_or(false);
      if (around.Is("call_expression") && node.Is("argument_list")) {
        if (const auto told = IsToldBy(around, node, argument)) return *told;
      } else if (!HandsOn(around)) {
        return false;
      }
    }
    return false;
  }

  // Whether a call only tells its argument; nothing if it hands it on.
  std::optional<bool> IsToldBy(const SyntaxNode& call, const SyntaxNode& arguments,
                               const SyntaxNode& which) {
    const bool initializes = call.Is("field_initializer");
    const SyntaxNode function = initializes ? call.Children().front() : call.Field("function");
    const SyntaxNode field =
        function && function.Is("field_expression") ? function.Field("field") : function;
    if (!field) return false;
    const std::string_view name = LastNameOf(field.Text());
    if (const auto own = own_.find(std::string(name)); own != own_.end()) {
      std::size_t place = 0;
      for (const SyntaxNode& argument : arguments.Children()) {
        if (argument.First() < which.First()) ++place;
      }
      for (const Own& each : own->second) {
        if (each.parameters.empty()) return false;
        const std::string& parameter = each.parameters[std::min(place, each.parameters.size() - 1)];
        if (!asked_.insert({&each, parameter}).second) continue;
        if (!OnlyTold(each.body, parameter)) return false;
      }
      return true;
    }
    for (const std::string_view text : kTexts) {
      if (name == text) return std::nullopt;
    }
    return StartsWithAny(name, kMessages) || name.ends_with("_error") || name.ends_with("Error") ||
           (initializes && IsToldByMember(name));
  }

  // Whether each use of a member that holds it is a part of a message.
  bool IsToldByMember(std::string_view name) {
    if (!members_.insert(name).second) return true;
    bool told = true;
    ForEachNode(tree_.Root(), [&](const SyntaxNode& node) {
      if (!told || node.Text() != name) return;
      const SyntaxNode around = node.Parent();
      const bool field = node.Is("field_identifier") && around && around.Is("field_expression");
      if (node.Is("identifier") || field) told = IsTold(node);
    });
    return told;
  }

  const SyntaxTree& tree_;
  std::deque<std::string> texts_;             // That the following are trees of.
  std::map<std::size_t, SyntaxTree> bodies_;  // Of macros, by the place of their directive.
  std::map<std::string, std::vector<Own>> own_;
  std::set<std::pair<const Own*, std::string>> asked_;
  std::set<std::string_view> members_;  // The same for members.
};

}  // namespace

std::vector<VerdictFinding> FileNameUses(const SyntaxTree& tree, std::string_view file) {
  if (tree.Root().Text().find(kFile) == std::string_view::npos) return {};
  return Uses(tree).Find(file);
}

}  // namespace kernelmill
