#include "generators/kernel_prose/port_changes.h"

#include <algorithm>
#include <cstddef>

#include "corpora/kernel_backend.h"
#include "generators/perturbation/line_changes.h"
#include "manifests/ascii.h"
#include "parsers/cuda_attributes.h"
#include "parsers/cuda_names.h"
#include "parsers/kernel_slices/kernel_twins.h"
#include "parsers/program_tokens.h"
#include "parsers/text_lines.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostChanges = 12;  // That a row can explain.
constexpr std::size_t kMostNames = 200;
constexpr std::size_t kLongestQuote = 240;
constexpr std::size_t kMostPaired = 8;  // Tokens in a row that stand for each other one by one.

enum class TokenKind { kHeader, kName, kText, kOther };

// A name has its namespaces: "at::cuda::CUDAGuard". A header is a whole #include line.
struct Token {
  TokenKind kind;
  std::string_view text;  // A part of the code.
};

// "<cuda.h>" of `#include <cuda.h>`; "" for another line.
std::string_view HeaderOf(std::string_view line) {
  constexpr std::string_view kInclude = "#include ";
  return line.starts_with(kInclude) ? line.substr(kInclude.size()) : std::string_view();
}

void AddTokens(std::string_view text, std::vector<Token>* tokens) {
  bool joins = false;  // The last token was "::" behind or before a name, right at its end.
  ForEachProgramToken(ProgramLanguage::kNative, text, [&](const ProgramToken& token) {
    const bool name = token.kind == ProgramTokenKind::kName;
    const bool beside =
        !tokens->empty() && tokens->back().kind == TokenKind::kName &&
        tokens->back().text.data() + tokens->back().text.size() == token.text.data();
    if (beside && (joins ? name : token.text == "::")) {
      tokens->back().text = {tokens->back().text.data(),
                             tokens->back().text.size() + token.text.size()};
      joins = !name;
      return;
    }
    const bool global = token.text == "::";
    joins = global;
    tokens->push_back({name || global                            ? TokenKind::kName
                       : token.kind == ProgramTokenKind::kString ? TokenKind::kText
                                                                 : TokenKind::kOther,
                       token.text});
  });
}

std::vector<Token> TokensOf(std::string_view code) {
  std::vector<Token> tokens;
  std::size_t first = 0;  // Of the text that is not split yet.
  for (const std::string_view line : LinesOf(code)) {
    if (HeaderOf(line).empty()) continue;
    const auto at = static_cast<std::size_t>(line.data() - code.data());
    AddTokens(code.substr(first, at - first), &tokens);
    tokens.push_back({TokenKind::kHeader, line});
    first = at + line.size();
  }
  AddTokens(code.substr(first), &tokens);
  return tokens;
}

// One token a line, as the backend spells it.
std::string LinesFor(const std::vector<Token>& tokens, const KernelBackend& backend) {
  std::string lines;
  for (const Token& token : tokens) {
    std::string text = RespelledFor(backend, token.text);
    std::replace(text.begin(), text.end(), '\n', ' ');
    lines += text + "\n";
  }
  return lines;
}

std::string_view LastPart(std::string_view name) {
  const std::size_t colon = name.rfind("::");
  return colon == name.npos ? name : name.substr(colon + 2);
}

// Whether the names are the platforms' own for one thing.
bool ArePlatformNames(std::string_view old, std::string_view now, const KernelBackend& backend) {
  const std::string_view last = LastPart(now), cuda = LastPart(old);
  if (CudaNameOf(last, backend) == cuda) return true;
  const auto in_namespace = [](std::string_view name, std::string_view space) {
    return name.find(std::string(space) + "::") != name.npos;
  };
  return in_namespace(old, kCudaBackend.name) && in_namespace(now, backend.name) &&
         RespelledFor(backend, cuda) == last;
}

// A run of tokens of one version that the other one does not have.
struct Run {
  std::string_view code;
  const std::vector<Token>& tokens;
  std::size_t first, last;

  bool empty() const { return first == last; }
  std::size_t size() const { return last - first; }
  const Token& at(std::size_t i) const { return tokens[first + i]; }
  std::size_t Begin() const {
    if (!empty()) return static_cast<std::size_t>(tokens[first].text.data() - code.data());
    return first == 0 ? 0 : End();
  }
  std::size_t End() const {
    if (last == 0) return 0;
    const std::string_view text = tokens[last - 1].text;
    return static_cast<std::size_t>(text.data() - code.data()) + text.size();
  }
  std::size_t LineBegin() const {
    const std::size_t at = Begin();
    const std::size_t line = at == 0 ? code.npos : code.rfind('\n', at - 1);
    return line == code.npos ? 0 : line + 1;
  }
  std::size_t LineEnd() const { return std::min(code.find('\n', End()), code.size()); }
  std::string Lines() const {
    return CodeOnOneLine(code.substr(LineBegin(), LineEnd() - LineBegin()));
  }
  std::string Text() const { return CodeOnOneLine(code.substr(Begin(), End() - Begin())); }
  // Whether its lines hold nothing else.
  bool HasWholeLines() const { return Lines() == Text(); }
};

class Reader {
 public:
  Reader(const KernelPort& port, const KernelBackend& backend)
      : port_(port), backend_(backend), old_(TokensOf(port.code)), now_(TokensOf(port.port_code)) {}

  PortChanges Read() {
    std::size_t old = 0, now = 0;
    for (const LineChange& change :
         LineChanges(LinesFor(old_, backend_), LinesFor(now_, backend_))) {
      // A pure insertion names the line before it.
      const std::size_t first = change.was.empty() ? change.line : change.line - 1;
      while (old < first) Pair(old_[old++], now_[now++]);
      Replace({port_.code, old_, old, old + change.was.size()},
              {port_.port_code, now_, now, now + change.is.size()});
      old += change.was.size();
      now += change.is.size();
    }
    while (old < old_.size()) Pair(old_[old++], now_[now++]);
    // An #endif without its #if has been moved.
    changes_.too_large = changes_.too_large || changes_.others.size() > kMostChanges ||
                         open_conditions_[false] != 0 || open_conditions_[true] != 0;
    return std::move(changes_);
  }

 private:
  void AddTo(std::vector<PortChanges::Change>* list, std::string old, std::string now) {
    PortChanges::Change change{std::move(old), std::move(now)};
    if (changes_.too_large || std::find(list->begin(), list->end(), change) != list->end()) return;
    list->push_back(std::move(change));
    // Of a text with more names no list is made.
    changes_.too_large = list->size() > kMostNames;
  }

  // A token of both versions, or one that stands for the other.
  void Pair(const Token& old, const Token& now) {
    if (old.text == now.text) return;
    const std::string before(old.text), after(now.text);
    if (old.kind == TokenKind::kHeader || now.kind == TokenKind::kHeader) {
      if (old.kind == TokenKind::kHeader) changes_.old_headers.emplace_back(HeaderOf(old.text));
      if (now.kind == TokenKind::kHeader) changes_.new_headers.emplace_back(HeaderOf(now.text));
    } else if (ArePlatformNames(before, after, backend_)) {
      AddTo(&changes_.platform, before, after);
    } else if (RespelledFor(backend_, before) != after) {
      AddTo(&changes_.others, before, after);
    } else if (old.kind == TokenKind::kText) {
      ++changes_.messages;
    } else {
      AddTo(&changes_.own, before, after);
    }
  }

  // Adds each directive of a run that consists of them. An #endif goes with its #if, of which a
  // change speaks already.
  bool AddDirectives(const Run& run, bool added) {
    const std::string_view text = run.code.substr(run.Begin(), run.End() - run.Begin());
    const std::vector<std::string_view> lines = LinesOf(text);
    const auto is_directive = [](std::string_view line) {
      const std::size_t first = line.find_first_not_of(" \t");
      return first == line.npos || line[first] == '#';
    };
    if (!std::all_of(lines.begin(), lines.end(), is_directive) || text.ends_with('\\'))
      return false;
    for (const std::string_view line : lines) {
      std::string directive = CodeOnOneLine(line);
      if (directive.starts_with("#if")) ++open_conditions_[added];
      if (directive.starts_with("#endif")) --open_conditions_[added];
      if (directive.empty() || directive.starts_with("#endif")) continue;
      if (directive.size() > kLongestQuote) changes_.too_large = true;
      AddTo(&changes_.others, added ? "" : directive, added ? directive : "");
    }
    return true;
  }

  void Replace(Run old, Run now) {
    // Headers stand at the ends of a run: a version begins with them.
    while (!old.empty() && old.at(0).kind == TokenKind::kHeader) {
      changes_.old_headers.emplace_back(HeaderOf(old_[old.first++].text));
    }
    while (!now.empty() && now.at(0).kind == TokenKind::kHeader) {
      changes_.new_headers.emplace_back(HeaderOf(now_[now.first++].text));
    }
    if (old.empty() && now.empty()) return;
    if (old.size() == now.size() && old.size() <= kMostPaired) {
      bool names = true;
      for (std::size_t i = 0; i < old.size(); ++i) {
        names = names && old.at(i).kind == TokenKind::kName && now.at(i).kind == TokenKind::kName;
      }
      if (names) {
        for (std::size_t i = 0; i < old.size(); ++i) Pair(old.at(i), now.at(i));
        return;
      }
    }
    const bool whole = (old.empty() || old.HasWholeLines()) && (now.empty() || now.HasWholeLines());
    if (whole && old.empty() != now.empty() &&
        AddDirectives(old.empty() ? now : old, old.empty())) {
      return;
    }
    const auto quote = [&](const Run& run) {
      return !whole ? run.Lines() : run.empty() ? std::string() : run.Text();
    };
    std::string before = quote(old), after = quote(now);
    if (before.size() > kLongestQuote || after.size() > kLongestQuote) {
      changes_.too_large = true;
      return;
    }
    AddTo(&changes_.others, std::move(before), std::move(after));
  }

  const KernelPort& port_;
  const KernelBackend& backend_;
  const std::vector<Token> old_, now_;
  PortChanges changes_;
  int open_conditions_[2] = {0, 0};  // Of directives that are left out, and of added ones.
};

}  // namespace

PortChanges PortChangesOf(const KernelPort& port) {
  return Reader(port, *FindKernelBackend(port.port_backend)).Read();
}

}  // namespace kernelmill
