#include "parsers/cuda_rewrite.h"

#include <algorithm>
#include <vector>

#include "parsers/bit_views.h"
#include "parsers/cuda_accesses.h"
#include "parsers/cuda_attributes.h"
#include "parsers/cuda_restrict.h"
#include "parsers/cuda_unset.h"
#include "parsers/inline_assembly.h"
#include "parsers/macro_items.h"
#include "parsers/recursion.h"
#include "parsers/syntax_tree.h"
#include "parsers/text_edits.h"
#include "parsers/waiting_loops.h"

namespace kernelmill {
namespace {

std::size_t LinesIn(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Without alignments, which the grammar takes for declarators. They are not needed: the block's storage
// is aligned to 128 bytes for every variable, and types keep their own alignment.
std::string ForGrammar(std::string_view text) {
  return WithoutAlignments(BlankAttributes(WithoutMacroItems(text)).text, Alignments::kAll);
}

// The text that a tree was parsed from: the whole source, or the body of a macro in it.
struct Part {
  std::size_t shift = 0;  // Added to an offset in the tree, this gives an offset in the source.
  std::string_view newline = "\n";
  bool macro = false;
  std::size_t end = std::string_view::npos;  // The end of the part in the source.
};
constexpr Part kOfText;

class SourceRewriter {
 public:
  SourceRewriter(std::string_view text, AccessRewrite accesses, WaitRewrite waits)
      : text_(text),
        accesses_(accesses),
        waits_(waits),
        code_(OnlyCode(text)),
        parsed_(ForGrammar(text)) {}

  CudaRewrite Rewrite() {
    const SyntaxTree tree = SyntaxTree::Parse(Grammar::kCuda, parsed_);
    const auto device_words = DeviceWords(tree.Root());
    ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
      if (waits_ == WaitRewrite::kCounted) CountRounds(node);
      if (node.Is("pointer_expression") && IsInDeviceCode(node, code_, device_words) &&
          RewriteBitView(node)) {
        return;
      }
      if (node.Is("kernel_call_syntax")) {
        RewriteLaunch(node, kOfText);
      } else if (node.Is("declaration")) {
        RewriteShared(node, kOfText);
        RewriteDeviceVariable(node);
        if (IsInDeviceCode(node, code_, device_words)) {
          FindUnset(node, [&](const SyntaxNode& name) {
            edits_.Insert(name.Last(), " = ::kernelmill::Unset()");
          });
        }
      } else if (node.Is("field_declaration")) {
        if (IsConstant(node)) DropPlaces(node);
      } else if (node.Is("call_expression") && RewriteLaunchCall(node)) {
        return;
      } else if (node.Is("function_definition")) {
        MarkHostFunction(node);
        KeepReadOnly(node);
      } else if (node.Is("preproc_def") || node.Is("preproc_function_def")) {
        RewriteMacro(node.Field("value"));
      } else if (accesses_ == AccessRewrite::kWhole || accesses_ == AccessRewrite::kReadsWhole) {
        FindWholeAccesses(node, code_, [&](const SyntaxNode& place, WholeAccess access) {
          if (accesses_ == AccessRewrite::kWhole) {
            Wrap(place,
                 access == WholeAccess::kLoad ? "::kernelmill::Loaded" : "::kernelmill::Stored",
                 kOfText);
          } else if (access == WholeAccess::kLoad) {
            Wrap(place, "KM_READ_WHOLE", kOfText);
          }
        });
      } else if (WrapsPlaces() && IsAlignedPlace(node, code_, device_words)) {
        Wrap(node, Wrapper(), kOfText);
      }
    });
    DropPlacesOfLambdas();
    FindRecursion(tree.Root(), [&](const SyntaxNode& body) {
      edits_.Insert(body.First() + 1, " KM_NOTE_FRAME();");
    });
    return {edits_.Apply(text_), launches_};
  }

 private:
  // The words that place a variable in memory of the device. Where they stay, the executor's
  // headers let them stand before functions only (qualifiers.h).
  static constexpr std::string_view kPlaces[] = {"__device__", "__constant__", "__managed__"};

  void DropPlaces(const SyntaxNode& declaration) {
    for (const SyntaxNode& child : declaration.AllChildren()) {
      for (const std::string_view word : kPlaces) {
        if (child.Text() == word) edits_.Replace(child.First(), child.Last(), "");
      }
    }
  }

  // `[=] __device__ (int i)` becomes `[=] (int i)`: C++ has no place for an attribute there.
  void DropPlacesOfLambdas() {
    constexpr std::string_view kWord = "__device__", kHost = "__host__";
    for (std::size_t at = code_.find(kWord); at != code_.npos; at = code_.find(kWord, at + 1)) {
      std::string_view before(code_.data(), at);
      for (bool shrinks = true; shrinks;) {
        const std::size_t last = before.find_last_not_of(" \t\n\\");
        before = before.substr(0, last == before.npos ? 0 : last + 1);
        shrinks = before.ends_with(kHost);
        if (shrinks) before.remove_suffix(kHost.size());
      }
      if (before.ends_with(']')) edits_.Replace(at, at + kWord.size(), "");
    }
  }

  // Whether nothing can change the variables that it declares: they are constexpr, or const and no
  // pointers.
  static bool IsConstant(const SyntaxNode& declaration) {
    if (Has(declaration, "constexpr")) return true;
    if (!Has(declaration, "const")) return false;
    const auto children = declaration.AllChildren();
    return std::none_of(children.begin(), children.end(), [](const SyntaxNode& child) {
      return child.Is("pointer_declarator") ||
             (child.Is("init_declarator") && child.Field("declarator").Is("pointer_declarator"));
    });
  }

  // k<T><<<a, b>>> becomes Launch("k<T>", KM_CALLEE(k<T>), Configuration(a, b), [=](auto... x) {
  // k<T>(x...); }). The parenthesized arguments stay after it.
  void RewriteLaunch(const SyntaxNode& configuration, const Part& part) {
    const auto parts = configuration.AllChildren();
    if (parts.size() < 3 || !parts.front().Is("<<<") || !parts.back().Is(">>>")) return;
    const std::size_t open = configuration.First() + part.shift;
    const std::size_t callee_first = CalleeBefore(open);
    if (callee_first == open) return;
    const std::string_view callee = text_.substr(callee_first, open - callee_first);
    const std::string name = CodeOnOneLine(callee);
    // The text of a macro parameter is known only when the macro is expanded.
    const std::string shown = part.macro ? "KM_NAME(" + name + ")" : '"' + Quoted(name) + '"';
    std::string launch = "::kernelmill::Launch(" + shown + ", KM_CALLEE(" + name +
                         "), ::kernelmill::Configuration(" +
                         NewlinesOf(callee, part);
    edits_.Replace(callee_first, parts.front().Last() + part.shift, std::move(launch));
    edits_.Replace(parts.back().First() + part.shift, parts.back().Last() + part.shift,
                   "), [=](auto... km_arguments) { " + name + "(km_arguments...); })");
    ++launches_;
  }

  // cudaLaunchKernel((void*)k, …) becomes LaunchByAddress("k", KM_CALLEE(k), k, …), because a cast
  // kernel has lost its parameter types. Returns whether the call is one.
  bool RewriteLaunchCall(const SyntaxNode& call) {
    const SyntaxNode function = call.Field("function"), arguments = call.Field("arguments");
    if (!function || !arguments || function.Text() != "cudaLaunchKernel") return false;
    const auto given = arguments.Children();
    if (given.empty()) return false;
    SyntaxNode kernel = given[0];
    if (kernel.Is("cast_expression")) {
      kernel = kernel.Field("value");
    } else if (kernel.Is("call_expression") && kernel.Field("arguments") &&
               kernel.Text().find("_cast") != std::string_view::npos) {
      const auto cast = kernel.Field("arguments").Children();
      if (!cast.empty()) kernel = cast[0];
    }
    if (!kernel) return false;
    const std::string_view replaced = text_.substr(call.First(), given[0].Last() - call.First());
    std::string_view name = kernel.Text();
    if (name.starts_with('&')) name.remove_prefix(1);
    const std::string shown = CodeOnOneLine(name);
    edits_.Replace(call.First(), given[0].Last(),
                   "::kernelmill::LaunchByAddress(\"" + Quoted(shown) + "\", KM_CALLEE(" + shown +
                       "), " + shown + NewlinesOf(replaced, kOfText));
    ++launches_;
    return true;
  }

  // Whether all places in memory that device code accesses go through one function.
  bool WrapsPlaces() const {
    return accesses_ == AccessRewrite::kAligned || accesses_ == AccessRewrite::kVolatile;
  }
  const char* Wrapper() const {
    return accesses_ == AccessRewrite::kAligned ? "::kernelmill::Aligned"
                                                : "::kernelmill::MaybeVolatile";
  }

  void Wrap(const SyntaxNode& place, const std::string& function, const Part& part) {
    edits_.Insert(place.First() + part.shift, function + '(');
    edits_.Insert(place.Last() + part.shift, ")");
  }

  static std::string NewlinesOf(std::string_view text, const Part& part) {
    std::string newlines;
    for (std::size_t i = LinesIn(text); i > 0; --i) newlines += part.newline;
    return newlines;
  }

  // The start of the expression that ends before `at`: a name with its scopes and template
  // arguments. The tree shows that a launch is here, so the text before it can be nothing else.
  std::size_t CalleeBefore(std::size_t at) const {
    const auto skip_blank = [&](std::size_t end) {
      while (end > 0 &&
             (code_[end - 1] == ' ' || code_[end - 1] == '\t' || code_[end - 1] == '\n' ||
              code_[end - 1] == '\\' || code_[end - 1] == '\r')) {
        --end;
      }
      return end;
    };
    const auto is_name = [](char c) {
      // Macros paste names: a##b.
      return c == '_' || c == '#' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
             (c >= 'A' && c <= 'Z');
    };
    std::size_t first = at;
    while (true) {
      std::size_t end = skip_blank(first);
      if (end > 0 && code_[end - 1] == '>') {
        const std::size_t open = TemplateBefore(end);
        if (open == end) return first;
        end = skip_blank(open);
      } else if (end > 0 && code_[end - 1] == ')' && first == at) {
        // For example (*function)<<<…>>>.
        int depth = 0;
        do {
          --end;
          depth += code_[end] == ')' ? 1 : code_[end] == '(' ? -1 : 0;
        } while (end > 0 && depth > 0);
        return end;
      }
      std::size_t name = end;
      while (name > 0 && is_name(code_[name - 1])) --name;
      if (name == end) return first;
      first = name;
      const std::size_t before = skip_blank(name);
      if (before >= 2 && code_.compare(before - 2, 2, "::") == 0) {
        first = before - 2;
        const std::size_t scope = skip_blank(first);
        if (scope > 0 && (is_name(code_[scope - 1]) || code_[scope - 1] == '>')) continue;
      } else if (before >= 1 && code_[before - 1] == '.') {
        first = before - 1;
        continue;
      } else if (before >= 2 && code_.compare(before - 2, 2, "->") == 0) {
        first = before - 2;
        continue;
      }
      return first;
    }
  }

  // The start of the template argument list that ends at `end`; `end` when there is none.
  std::size_t TemplateBefore(std::size_t end) const {
    int angles = 0, parentheses = 0;
    for (std::size_t at = end; at-- > 0;) {
      const char c = code_[at];
      if (c == ')') ++parentheses;
      if (c == '(') --parentheses;
      if (parentheses < 0 || c == ';' || c == '{' || c == '}') return end;
      if (parentheses > 0) continue;
      if (c == '>') ++angles;
      if (c == '<' && --angles == 0) return at;
    }
    return end;
  }

  static std::string Quoted(std::string_view text) {
    std::string quoted;
    for (const char c : text) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    return quoted;
  }

  static bool Has(const SyntaxNode& node, std::string_view word) {
    const auto children = node.AllChildren();
    return std::any_of(children.begin(), children.end(),
                       [&](const SyntaxNode& child) { return child.Text() == word; });
  }

  // `__shared__ float a[4], b;` becomes a typedef of the types of a and b, and references of these
  // types.
  void RewriteShared(const SyntaxNode& declaration, const Part& part) {
    if (!Has(declaration, "__shared__") || declaration.HasError()) return;
    const bool dynamic = Has(declaration, "extern");
    std::string specifiers, types, references;
    for (const SyntaxNode& child : declaration.AllChildren()) {
      const std::string_view text = child.Text();
      if (text == "__shared__" || text == "extern" || text == "static" || text == "," ||
          text == ";" || child.Is("comment")) {
        continue;
      }
      const SyntaxNode name = NameOf(child);
      if (!name || specifiers.empty()) {
        if (child.Is("init_declarator")) return;
        specifiers += std::string(text) + " ";
        continue;
      }
      if (child.Is("init_declarator")) return;
      const std::string variable(name.Text());
      // In a macro the name may be a parameter of the macro.
      const std::string paste = part.macro ? "##" : "";
      const std::string type = "km_shared_" + paste + variable;
      const std::string slot = "km_slot_" + paste + variable;
      types += (types.empty() ? "" : ", ") +
               std::string(text.substr(0, name.First() - child.First())) + type +
               std::string(text.substr(name.Last() - child.First()));
      references += dynamic ? " " + type + "& " + variable + " = *static_cast<" + type +
                                  "*>(::kernelmill::DynamicShared());"
                            : " static ::kernelmill::SharedSlot " + slot + "; " + type + "& " +
                                  variable + " = *" + slot + ".template Get<" + type + ">();";
    }
    if (types.empty()) return;
    // After the last declaration of a macro the semicolon may be missing, because the macro's user
    // writes it.
    const std::size_t first = declaration.First() + part.shift;
    const std::size_t last = std::min(declaration.Last() + part.shift, part.end);
    const std::string_view replaced = text_.substr(first, last - first);
    if (part.macro && replaced.find('#') != std::string_view::npos) return;
    if (!replaced.ends_with(';')) references.pop_back();
    edits_.Replace(first, last,
                   "typedef " + CodeOnOneLine(specifiers) + " " + CodeOnOneLine(types) + ";" +
                       references + NewlinesOf(replaced, part));
  }

  // `__device__ float a[4];` becomes a variable of another name, which holds the initial value, and
  // a reference to memory of the device. Constants, which neither side can change, become ordinary
  // ones. Variables of templates, classes and macros stay as they are.
  void RewriteDeviceVariable(const SyntaxNode& declaration) {
    const bool constant = Has(declaration, "__constant__");
    const bool managed = Has(declaration, "__managed__");
    if (!constant && !managed && !Has(declaration, "__device__")) return;
    if (Has(declaration, "__shared__")) return;
    if (IsConstant(declaration) || Has(declaration, "extern")) {
      const auto children = declaration.AllChildren();
      if (std::none_of(children.begin(), children.end(), DeclaresFunction)) DropPlaces(declaration);
      return;
    }
    if (Has(declaration, "inline")) return;
    for (SyntaxNode scope = declaration.Parent(); scope; scope = scope.Parent()) {
      if (scope.Is("compound_statement") || scope.Is("template_declaration")) return;
    }
    const std::string kind = constant ? "kConstant" : managed ? "kManaged" : "kDevice";
    std::vector<SyntaxNode> names;
    for (const SyntaxNode& child : declaration.AllChildren()) {
      if (!child.Is("identifier") && !child.Kind().ends_with("declarator")) continue;
      if (child.HasError() || DeclaresFunction(child)) return;
      names.push_back(NameOf(child));
      if (!names.back()) return;
    }
    DropPlaces(declaration);
    std::string references;
    for (const SyntaxNode& name : names) {
      edits_.Replace(name.First(), name.First(), "km_value_");
      const std::string variable(name.Text());
      references += " static auto& " + variable + " = ::kernelmill::DeviceVariable(km_value_" +
                    variable + ", ::kernelmill::VariableKind::" + kind + ");";
    }
    edits_.Replace(declaration.Last(), declaration.Last(), references);
  }

  static bool DeclaresFunction(SyntaxNode node) {
    for (; node; node = node.Field("declarator")) {
      if (node.Is("function_declarator")) return true;
    }
    return false;
  }

  // The identifier that a declarator declares; empty for a specifier.
  static SyntaxNode NameOf(SyntaxNode node) {
    while (node) {
      if (node.Is("identifier")) return node;
      if (!node.Kind().ends_with("declarator")) return {};
      SyntaxNode inner = node.Field("declarator");
      if (!inner) {
        const auto children = node.Children();
        if (children.empty()) return {};
        inner = children[0];
      }
      node = inner;
    }
    return {};
  }

  // Disables optimization for host functions. They run once per call and contain much inlined torch
  // code, so optimizing them would take longer than all kernels together.
  void MarkHostFunction(const SyntaxNode& definition) {
    const SyntaxNode body = definition.Field("body");
    if (!body || definition.HasError()) return;
    const std::string_view head =
        std::string_view(parsed_).substr(definition.First(), body.First() - definition.First());
    for (const std::string_view word : {"__global__", "__device__", "inline", "constexpr",
                                        "PYBIND11_MODULE", "TORCH_LIBRARY", "operator"}) {
      if (head.find(word) != head.npos) return;
    }
    if (head.find("Tensor") == head.npos) return;
    if (!definition.Field("type")) return;
    edits_.Replace(definition.First(), definition.First(), "__attribute__((optnone)) ");
  }

  void KeepReadOnly(const SyntaxNode& definition) {
    if (accesses_ != AccessRewrite::kAligned || definition.HasError()) return;
    FindReadOnlyParameters(definition, [&](std::string_view name) {
      edits_.Insert(definition.Field("body").First() + 1, " KM_AT_LAUNCH(" + std::string(name) + ")");
    });
  }

  // `*(const int*)&x` becomes BitsAsRead((const int*)&x, x). Returns whether the node is such a
  // place.
  bool RewriteBitView(const SyntaxNode& node) {
    bool found = false;
    FindBitView(node, [&](const SyntaxNode& place, const SyntaxNode& variable) {
      edits_.Replace(place.First(), place.First() + 1, "::kernelmill::BitsAsRead(");
      edits_.Insert(place.Last(), ", " + std::string(variable.Text()) + ")");
      found = true;
    });
    return found;
  }

  void CountRounds(const SyntaxNode& node) {
    FindWaitingLoop(node, [&](std::size_t first, std::size_t last, bool block) {
      const std::string count = " ::kernelmill::CountRound();";
      edits_.Insert(block ? first + 1 : first, block ? count : "{" + count + " ");
      if (!block) edits_.Insert(last, " }");
    });
  }

  // The grammar treats the body of a macro as text. It is parsed as file-scope code if it defines
  // kernels, otherwise as the body of a function.
  void RewriteMacro(const SyntaxNode& value) {
    if (!value) return;
    const auto has = [&](std::string_view word) { return value.Text().find(word) != word.npos; };
    const bool accesses = WrapsPlaces() && (has("_cast<") || has("*)"));
    if (!has("<<<") && !has("__shared__") && !accesses) return;
    const bool file_scope = has("__global__") || has("__device__");
    const std::string_view before = file_scope ? "" : "void f(){";
    std::string body(value.Text());
    for (std::size_t at = 0; at < body.size(); ++at) {
      if (body[at] == '#') body[at] = '_';
      if (body.compare(at, 2, "\\\n") == 0) body[at] = body[at + 1] = ' ';
    }
    const std::string snippet = std::string(before) +
                                ForGrammar(body) +
                                (file_scope ? "" : ";}");
    const SyntaxTree tree = SyntaxTree::Parse(Grammar::kCuda, snippet);
    const Part part{value.First() - before.size(), "\\\n", true, value.Last()};
    ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
      if (node.Is("kernel_call_syntax")) {
        RewriteLaunch(node, part);
      } else if (node.Is("declaration")) {
        RewriteShared(node, part);
      } else if (accesses && IsAlignedPlace(node)) {
        Wrap(node, Wrapper(), part);
      }
    });
  }

  const std::string_view text_;
  const AccessRewrite accesses_;
  const WaitRewrite waits_;
  const std::string code_;  // Without comments and string literals.
  // As long as the text, without attributes and alignments that the grammar does not know.
  const std::string parsed_;
  TextEdits edits_;
  std::size_t launches_ = 0;
};

}  // namespace

CudaRewrite RewriteForCpu(std::string_view source, const KernelBackend& backend,
                          AccessRewrite accesses, WaitRewrite waits) {
  const std::string named = RewriteAssembly(RewriteDeviceNames(source, backend));
  return SourceRewriter(named, accesses, waits).Rewrite();
}

}  // namespace kernelmill
