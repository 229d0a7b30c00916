// Writes an answer of ours again in other words, for tests of structural fingerprints: other names,
// other formatting and comments, definitions in another order, other spellings of the same loops,
// assignments, guards and constants. What the program computes stays the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/cuda_attributes.h"
#include "parsers/syntax_tree.h"

namespace kernelmill {

// The kinds of rewriting; a text usually gets several.
enum class Rewording {
  kNames,
  kComments,
  kFormatting,
  kOrder,
  kAssignments,
  kLoops,
  kGuards,
  kConstants,
  kAccesses,
};
inline constexpr int kRewordings = 9;

class EquivalentAnswer {
 public:
  // `answer`: as AnswerText() writes it: the native source is the first r""" string.
  EquivalentAnswer(const std::string& answer, std::uint64_t seed) : random_(seed) {
    constexpr std::string_view kOpen = "cuda_source = r\"\"\"";
    const std::size_t first = answer.find(kOpen) + kOpen.size();
    const std::size_t last = answer.find("\"\"\"", first);
    before_ = answer.substr(0, first);
    native_ = answer.substr(first, last - first);
    after_ = answer.substr(last);
    // The grammar does not know this attribute, so that a declaration with it cannot be moved.
    constexpr std::string_view kAlign = "__align__(16) ";
    for (std::size_t at = native_.find(kAlign); at != native_.npos; at = native_.find(kAlign, at)) {
      native_.erase(at, kAlign.size());
    }
  }

  void Apply(Rewording rewording) {
    switch (rewording) {
      case Rewording::kNames: return Rename();
      case Rewording::kComments: return Comment();
      case Rewording::kFormatting: return Format();
      case Rewording::kOrder: return Reorder();
      case Rewording::kAssignments: return Respell();
      case Rewording::kLoops: return LoopsToWhile();
      case Rewording::kGuards: return GuardsToBlocks();
      case Rewording::kConstants: return NameConstants();
      case Rewording::kAccesses: return PointerAccesses();
    }
  }
  // One to five kinds, in the order of the enumeration backwards: names come last, so that they
  // change what the others wrote.
  void ApplySome() {
    std::set<int> chosen;
    for (int count = 1 + Below(5); count > 0; --count) chosen.insert(Below(kRewordings));
    for (auto it = chosen.rbegin(); it != chosen.rend(); ++it) Apply(static_cast<Rewording>(*it));
  }

  std::string Text() const { return before_ + native_ + after_; }

 private:
  struct Edit {
    std::size_t first, last;
    std::string text;
  };
  using Names = std::set<std::string, std::less<>>;

  int Below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  // Edits that lie within an earlier one are left out.
  void Edited(std::vector<Edit> edits) {
    std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
      return std::make_pair(a.first, b.last) < std::make_pair(b.first, a.last);
    });
    std::string text;
    std::size_t at = 0;
    for (const Edit& edit : edits) {
      if (edit.first < at) continue;
      text += native_.substr(at, edit.first - at) + edit.text;
      at = edit.last;
    }
    native_ = text + native_.substr(at);
  }

  template <typename Visit>
  void ForEach(std::string_view kind, Visit visit) const {
    const SyntaxTree tree = SyntaxTree::Parse(Grammar::kCuda, native_);
    ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
      if (node.Is(kind)) visit(node);
    });
  }

  static bool IsWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  // Replaces whole words outside of literals and comments; `members` also after a dot.
  static std::string Renamed(const std::string& text, const std::map<std::string, std::string>& to,
                             bool members) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t skipped = members ? i : SkipCommentOrLiteral(text, i);
      if (skipped > i) {
        result += text.substr(i, skipped - i);
        i = skipped;
        continue;
      }
      if (!IsWord(text[i])) {
        result += text[i++];
        continue;
      }
      std::size_t last = i;
      while (last < text.size() && IsWord(text[last])) ++last;
      const std::string word = text.substr(i, last - i);
      const bool member = !members && ((i > 0 && text[i - 1] == '.') ||
                                       (i > 1 && text.compare(i - 2, 2, "->") == 0) ||
                                       (i > 1 && text.compare(i - 2, 2, "::") == 0) ||
                                       text.compare(last, 2, "::") == 0);
      const auto found = to.find(word);
      result += found == to.end() || member ? word : found->second;
      i = last;
    }
    return result;
  }

  static std::string_view DeclaredName(SyntaxNode node) {
    while (node && !node.Is("identifier")) {
      SyntaxNode inner = node.Field("declarator");
      if (!inner && node.Is("reference_declarator") && !node.Children().empty()) {
        inner = node.Children().back();
      }
      node = inner;
    }
    return node ? node.Text() : std::string_view();
  }

  void Rename() {
    static constexpr const char* kWords[] = {"tmp", "val", "pos", "acc0", "foo", "Bar", "my_value",
                                             "q",   "idx", "buf", "w",    "res", "cur", "elem"};
    Names functions, names;
    const SyntaxTree tree = SyntaxTree::Parse(Grammar::kCuda, native_);
    ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
      if (node.Is("function_declarator") && node.Field("declarator").Is("identifier")) {
        functions.emplace(node.Field("declarator").Text());
      } else if (node.Is("parameter_declaration") || node.Is("init_declarator")) {
        names.emplace(DeclaredName(node.Field("declarator")));
      } else if (node.Is("declaration")) {
        names.emplace(DeclaredName(node.Field("declarator")));
      }
    });
    // A member keeps its name, and so does what shares it.
    ForEachNode(tree.Root(), [&](const SyntaxNode& node) {
      if (node.Is("field_identifier")) names.erase(std::string(node.Text()));
    });
    std::map<std::string, std::string> called, all;
    int number = Below(100);
    const auto fresh = [&](const std::string& name) {
      std::string word;
      do {
        word = std::string(kWords[Below(std::size(kWords))]) + "_" + std::to_string(number++);
      } while (native_.find(word) != std::string::npos || after_.find(word) != std::string::npos);
      return name.empty() ? name : word;
    };
    for (const std::string& name : functions) all[name] = called[name] = fresh(name);
    for (const std::string& name : names) {
      if (!name.empty() && !all.contains(name)) all[name] = fresh(name);
    }
    native_ = Renamed(native_, all, false);
    called["ops"] = fresh("ops");
    called["cpp_source"] = fresh("cpp_source");
    called["h1"] = fresh("h1");
    after_ = Renamed(after_, called, true);
  }

  void Comment() {
    std::vector<Edit> edits;
    ForEach("comment", [&](const SyntaxNode& node) {
      if (Below(2) == 0) edits.push_back({node.First(), node.Last(), "/* see above */"});
    });
    ForEach("expression_statement", [&](const SyntaxNode& node) {
      if (Below(3) == 0) edits.push_back({node.First(), node.First(), "/* step */ "});
    });
    Edited(std::move(edits));
    after_ += "\n# The end.\n";
  }

  void Format() {
    std::string text;
    const std::string indent(static_cast<std::size_t>(1 + Below(6)), Below(2) == 0 ? ' ' : '\t');
    const bool tight = Below(2) == 0;
    for (std::size_t first = 0; first < native_.size();) {
      const std::size_t end = std::min(native_.find('\n', first), native_.size());
      const std::string line = native_.substr(first, end - first);
      first = end + 1;
      const std::size_t start = std::min(line.find_first_not_of(" \t"), line.size());
      const std::string code = line.substr(start);
      const bool directive = code.starts_with('#') || code.ends_with('\\');
      const bool comment = code.find("//") != std::string::npos;
      text += directive ? line : std::string(start == 0 ? 0 : 1 + Below(3), ' ') + indent + code;
      // A line may go on after this one, unless it is a directive or ends in a comment.
      const bool next_directive = native_.find_first_not_of(" \t", first) != std::string::npos &&
                                  native_[native_.find_first_not_of(" \t", first)] == '#';
      text += tight && !directive && !comment && !next_directive ? " " : "\n";
      if (!tight && Below(4) == 0) text += '\n';
    }
    native_ = text;
  }

  // The definitions of the file in another order that defines each name before it is used, and
  // neighbouring declarations of a block in another order.
  void Reorder() {
    std::vector<Edit> swaps;
    ForEach("compound_statement", [&](const SyntaxNode& block) {
      const auto children = block.Children();
      for (std::size_t i = 0; i + 1 < children.size(); ++i) {
        const SyntaxNode &a = children[i], &b = children[i + 1];
        if (!a.Is("declaration") || !b.Is("declaration") || Below(2) == 0 || Uses(b, a) ||
            a.Text().find('(') != std::string::npos || b.Text().find('(') != std::string::npos ||
            native_.substr(a.Last(), b.First() - a.Last()).find_first_not_of(" \n") !=
                std::string::npos) {
          continue;
        }
        swaps.push_back({a.First(), b.Last(), std::string(b.Text()) + '\n' + std::string(a.Text())});
        ++i;
      }
    });
    Edited(std::move(swaps));
    const SyntaxTree tree = SyntaxTree::Parse(Grammar::kCuda, native_);
    std::vector<SyntaxNode> left;
    std::string text;
    for (const SyntaxNode& node : tree.Root().Children()) {
      if (node.Kind().starts_with("preproc_")) {
        text += std::string(node.Text()) + '\n';
      } else {
        left.push_back(node);
      }
    }
    while (!left.empty()) {
      std::vector<std::size_t> free;
      for (std::size_t i = 0; i < left.size(); ++i) {
        const bool waits = std::any_of(left.begin(), left.end(), [&](const SyntaxNode& other) {
          return other.First() < left[i].First() && Uses(left[i], other);
        });
        if (!waits) free.push_back(i);
      }
      const std::size_t next = free[static_cast<std::size_t>(Below(static_cast<int>(free.size())))];
      const std::string definition(left[next].Text());
      // A function ends without a semicolon, and a structure with one that is no part of its node.
      const bool function = definition.ends_with('}') &&
                            definition.find("struct ") == std::string::npos;
      text += definition + (function || definition.ends_with(';') ? "\n" : ";\n");
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(next));
    }
    native_ = '\n' + text;
  }

  // Whether `user` mentions a name that `definition` declares.
  static bool Uses(const SyntaxNode& user, const SyntaxNode& definition) {
    Names declared;
    ForEachNode(definition, [&](const SyntaxNode& node) {
      if (node.Is("function_declarator") || node.Is("init_declarator") ||
          node.Is("array_declarator") || node.Is("declaration")) {
        declared.emplace(DeclaredName(node.Field("declarator")));
      } else if (node.Is("struct_specifier")) {
        declared.emplace(node.Field("name").Text());
      }
    });
    declared.erase("");
    bool uses = false;
    ForEachNode(user, [&](const SyntaxNode& node) {
      uses = uses || ((node.Is("identifier") || node.Is("type_identifier")) &&
                      declared.contains(node.Text()));
    });
    return uses;
  }

  // x += y as x = x + (y), ++i as i += 1 or i++.
  void Respell() {
    std::vector<Edit> edits;
    ForEach("assignment_expression", [&](const SyntaxNode& node) {
      const std::string sign(node.Field("operator").Text());
      const std::string left(node.Field("left").Text()), right(node.Field("right").Text());
      if (sign.size() == 2 && Below(3) != 0) {
        edits.push_back(
            {node.First(), node.Last(), left + " = " + left + ' ' + sign[0] + " (" + right + ')'});
      }
    });
    ForEach("update_expression", [&](const SyntaxNode& node) {
      const SyntaxNode parent = node.Parent();
      if (!parent.Is("expression_statement") && !parent.Is("for_statement")) return;
      const std::string name(node.Field("argument").Text());
      if (node.Text().find("++") == std::string::npos) return;
      const std::string ways[] = {name + "++", name + " += 1", name + " = " + name + " + 1",
                                  "++" + name};
      edits.push_back({node.First(), node.Last(), ways[Below(4)]});
    });
    Edited(std::move(edits));
  }

  void LoopsToWhile() {
    std::vector<Edit> edits;
    ForEach("for_statement", [&](const SyntaxNode& node) {
      if (!node.Field("initializer")) return;
      const std::string body(node.Field("body").Text()), init(node.Field("initializer").Text());
      const SyntaxNode condition = node.Field("condition"), update = node.Field("update");
      const std::size_t line = native_.rfind('\n', node.First());
      const std::size_t above = line == 0 || line == native_.npos ? 0 : native_.rfind('\n', line - 1);
      // A pragma wants a for loop after it.
      const bool pragma = native_.substr(above, node.First() - above).find("#pragma") != native_.npos;
      if (!condition || !update || init.empty() || pragma || Below(3) == 0 ||
          body.find("continue") != std::string::npos) {
        return;
      }
      edits.push_back({node.First(), node.Last(),
                       "{ " + init + (init.ends_with(';') ? " " : "; ") + "while (" +
                           std::string(condition.Text()) + ") { " + body + '\n' +
                           std::string(update.Text()) + "; } }"});
    });
    Edited(std::move(edits));
  }

  // `if (c) return; rest` as `if (!(c)) { rest }`, in kernels.
  void GuardsToBlocks() {
    std::vector<Edit> edits;
    ForEach("function_definition", [&](const SyntaxNode& node) {
      const SyntaxNode body = node.Field("body");
      if (native_.substr(node.First(), body.First() - node.First()).find("__global__") ==
          std::string::npos) {
        return;
      }
      for (const SyntaxNode& child : body.Children()) {
        if (!child.Is("if_statement") || child.Field("alternative") ||
            !child.Field("consequence").Is("return_statement")) {
          continue;
        }
        edits.push_back({child.First(), child.Last(),
                         "if (!" + std::string(child.Field("condition").Text()) + ") {"});
        edits.push_back({body.Last() - 1, body.Last() - 1, "}\n"});
        return;
      }
    });
    Edited(std::move(edits));
  }

  // Gives numbers names, by constexpr or #define.
  void NameConstants() {
    std::set<std::string, std::less<>> numbers;
    ForEach("number_literal", [&](const SyntaxNode& node) {
      const std::string text(node.Text());
      const bool whole = text.find_first_not_of("0123456789") == std::string::npos;
      if (whole && text.size() < 5 && text != "0" && Below(2) == 0) numbers.insert(text);
    });
    std::string definitions;
    for (const std::string& number : numbers) {
      const std::string name = "kNumber" + number;
      definitions += Below(2) == 0 ? "#define " + name + ' ' + number + '\n'
                                   : "constexpr int " + name + " = " + number + ";\n";
    }
    std::vector<Edit> edits;
    ForEach("number_literal", [&](const SyntaxNode& node) {
      bool directive = false;
      for (SyntaxNode outer = node; outer; outer = outer.Parent()) {
        directive = directive || outer.Kind().starts_with("preproc_");
      }
      if (!directive && numbers.contains(node.Text())) {
        edits.push_back({node.First(), node.Last(), "kNumber" + std::string(node.Text())});
      }
    });
    Edited(std::move(edits));
    const std::size_t include = native_.rfind("#include");
    const std::size_t at = include == std::string::npos ? 0 : native_.find('\n', include) + 1;
    native_.insert(at, definitions);
  }

  // p[i] as *(p + (i)), for the pointers among a kernel's parameters.
  void PointerAccesses() {
    Names pointers;
    ForEach("parameter_declaration", [&](const SyntaxNode& node) {
      if (node.Field("declarator").Is("pointer_declarator")) {
        pointers.emplace(DeclaredName(node.Field("declarator")));
      }
    });
    // A local array may have the name of another kernel's parameter.
    ForEach("array_declarator", [&](const SyntaxNode& node) {
      pointers.erase(std::string(DeclaredName(node.Field("declarator"))));
    });
    std::vector<Edit> edits;
    ForEach("subscript_expression", [&](const SyntaxNode& node) {
      const SyntaxNode array = node.Field("argument");
      if (!array.Is("identifier") || !pointers.contains(array.Text()) || Below(2) == 0) return;
      std::string index = native_.substr(array.Last(), node.Last() - array.Last());
      const std::size_t open = index.find('['), close = index.rfind(']');
      index = index.substr(open + 1, close - open - 1);
      edits.push_back({node.First(), node.Last(),
                       "(*(" + std::string(array.Text()) + " + (" + index + ")))"});
    });
    Edited(std::move(edits));
  }

  std::mt19937_64 random_;
  std::string before_, native_, after_;
};

}  // namespace kernelmill
