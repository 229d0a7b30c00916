#include "generators/grounding/unanswerable_claims.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "corpora/operators/operator_table.h"
#include "generators/grounding/supported_facts.h"
#include "generators/reasoning/operator_formulas.h"
#include "manifests/ascii.h"

namespace kernelmill {
namespace {

using Names = SupportedFacts::Names;

// Names that every reader knows: of torch, CUDA, MUSA and C++.
constexpr std::string_view kKnownNames[] = {
    "contiguous", "exp",          "float",   "data_ptr", "warpSize",    "forward",       "ModelNew",
    "Model",      "min",          "max",     "if",       "return",      "__syncthreads", "blockIdx",
    "threadIdx",  "blockDim",     "gridDim", "check",    "load_inline", "inf",           "int",
    "int64_t",    "__restrict__", "sum_j",   "max_j",    "TypeError",   "AttributeError"};

// A word, and texts of which the question has to contain one where an answer uses the word.
struct Witness {
  std::string_view said;
  std::vector<std::string_view> shown;
};

const std::vector<Witness>& AllWitnesses() {
  static const std::vector<Witness> kWitnesses = {
      {"h100", {"H100"}},
      {"l40s", {"L40S"}},
      {"rtx 4090", {"RTX 4090"}},
      {"rates of an mtt s80", {"MTT S80"}},
      {"spill", {"spill"}},
      {"occupancy", {"occupancy", "warps"}},
      {"registers per thread", {"register"}},
      {"sectors on average", {"sector"}},
      {"the counters", {"sector"}},
      {"counted run", {"sector"}},
      {"the warps request", {"sector"}},
      {"passes through shared memory, one", {"shared_load", "shared memory"}},
      {"bank conflict", {"conflict", "__shared__"}},
      {"占用率", {"occupancy", "warps"}},
      {"寄存器溢出", {"spill"}},
      {"bank 冲突", {"conflict", "__shared__"}},
      {"verifier", {"verifier", "Traceback", "rror", "rong", "mismatch", "错"}},
      {"when it is run", {"rror", "rong", "ail", "ismatch", "错"}},
      {"running it", {"rror", "rong", "ail", "ismatch", "错"}},
  };
  return kWitnesses;
}

// Words after which the numbers of a sentence are measured figures.
constexpr std::string_view kMeasured[] = {"registers per thread",
                                          "occupancy",
                                          " sectors on average",
                                          "extra passes",
                                          "bytes of registers",
                                          "占用率",
                                          "个 sector"};
// Numbers of CUDA's programming guide that such sentences may contain: lanes of a warp, banks,
// bytes of a sector and of an element, the sectors that coalesced accesses fill, and the
// multiprocessors of an A100.
constexpr std::string_view kGuideNumbers[] = {"1", "2", "4", "8", "12", "16", "32", "108"};

struct Text {
  std::string prose;   // Outside of fences.
  std::string fenced;  // Inside of them.
};

Text Divided(std::string_view markdown) {
  Text text;
  std::string_view fence;
  for (std::size_t start = 0; start < markdown.size();) {
    const std::size_t end = std::min(markdown.find('\n', start), markdown.size());
    const std::string_view line = markdown.substr(start, end - start);
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    if (fence.empty() && ticks >= 3) {
      fence = line.substr(0, ticks);
    } else if (!fence.empty() && line == fence) {
      fence = {};
    } else {
      (fence.empty() ? text.prose : text.fenced).append(line).push_back('\n');
    }
    start = end + 1;
  }
  return text;
}

std::vector<std::string> SentencesOf(const std::string& prose) {
  std::vector<std::string> sentences;
  std::string sentence;
  bool code = false;
  for (std::size_t at = 0; at < prose.size(); ++at) {
    if (prose[at] == '`') code = !code;
    if (prose[at] == '\n') code = false;
    sentence += prose[at] == '\n' ? ' ' : prose[at];
    const bool stop = !code && prose[at] == '.' && at + 1 < prose.size() &&
                      (prose[at + 1] == ' ' || prose[at + 1] == '\n');
    const bool chinese_stop = !code && sentence.ends_with("。");
    if (!stop && !chinese_stop && prose[at] != '\n') continue;
    if (sentence.find_first_not_of(' ') != sentence.npos) sentences.push_back(sentence);
    sentence.clear();
  }
  return sentences;
}

Names WordsIn(std::string_view text) {
  Names words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && IsNamePart(text[end])) ++end;
    if (end > at) words.emplace(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return words;
}

const Names& GeneralNames() {
  static const Names kNames = [] {
    Names names(std::begin(kKnownNames), std::end(kKnownNames));
    for (const OperatorRow& row : Operators()) {
      names.emplace(row.name);
      names.merge(WordsIn(FormulaOf(row.name)));
    }
    return names;
  }();
  return kNames;
}

// What the reader of a question and its answer sees, beside the prose of the answer.
class Shown {
 public:
  explicit Shown(const TrainingRecord& row) {
    for (std::size_t i = 0; i + 1 < row.messages.size(); ++i) {
      question_ += row.messages[i].content + "\n";
    }
    const Text answer = Divided(row.messages.back().content);
    program_ = answer.fenced.find("class ModelNew") != answer.fenced.npos ||
               answer.fenced.find("def check") != answer.fenced.npos;
    code_ = WithSingleSpaces(question_ + answer.fenced);
    words_ = WordsIn(code_);
    // A comma separates groups of digits, or the columns of a tool's output.
    std::string columns = question_;
    std::replace(columns.begin(), columns.end(), ',', ' ');
    for (const std::string* text : {&question_, &columns}) {
      for (const std::string& number : NumberTextsIn(*text)) {
        numbers_.push_back(std::atof(number.c_str()));
      }
    }
  }

  bool HasCode(std::string_view span) const {
    const std::string text = WithSingleSpaces(span);
    if (code_.find(text) != std::string::npos) return true;
    for (const std::string& word : WordsIn(text)) {
      const bool plain = word.size() == 1 || IsDigit(word[0]);
      if (!plain && !words_.contains(word) && !GeneralNames().contains(word)) return false;
    }
    return true;
  }
  // Whether the question numbers its lines up to there, or a message of it names the line.
  bool HasLine(const std::string& number) const {
    for (const std::string& form : {"\n" + number + " | ", " " + number + " | ", ":" + number + ":",
                                    "line " + number, "第 " + number + " 行"}) {
      if (question_.find(form) != std::string::npos) return true;
    }
    return false;
  }
  // Whether it is a figure of the question, or the ratio, sum or difference of two, as the prose
  // writes it: with as many decimals.
  bool HasFigure(const std::string& text) const {
    const std::size_t dot = text.find('.');
    const double unit =
        dot == text.npos ? 1 : std::pow(10.0, -static_cast<double>(text.size() - dot - 1));
    const double number = std::atof(text.c_str()), close = 0.51 * unit;
    const auto is = [&](double value) { return std::abs(value - number) < close; };
    for (const double a : numbers_) {
      if (is(a)) return true;
      for (const double b : numbers_) {
        if ((b != 0 && is(a / b)) || is(a + b) || is(a - b)) return true;
      }
    }
    return false;
  }
  bool Has(const std::vector<std::string_view>& texts) const {
    return std::any_of(texts.begin(), texts.end(), [&](std::string_view text) {
      return question_.find(text) != std::string::npos;
    });
  }
  // Whether the answer gives a program of its own, about which it may say what it does.
  bool HasProgram() const { return program_; }

 private:
  std::string question_, code_;
  Names words_;
  // Every reader knows the lanes of a warp and the multiprocessors of an A100.
  std::vector<double> numbers_ = {32, 108};
  bool program_ = false;
};

// Everything that one sentence states and the reader has not seen.
std::vector<std::string> ClaimsOf(const std::string& sentence, const Shown& shown) {
  std::vector<std::string> claims;
  const auto claim = [&](const std::string& what) {
    claims.push_back(what + " in \"" + WithSingleSpaces(sentence) + "\"");
  };
  std::string rest;  // Without code.
  for (std::size_t at = 0; at < sentence.size(); ++at) {
    const std::size_t end = sentence[at] == '`' ? sentence.find('`', at + 1) : sentence.npos;
    if (end == sentence.npos) {
      rest += sentence[at];
      continue;
    }
    const std::string span = sentence.substr(at + 1, end - at - 1);
    if (!shown.HasCode(span)) claim("`" + span + "`");
    at = end;
  }
  for (const std::string_view word : {"ine ", "ines "}) {
    const std::size_t at = rest.find(word);
    if (at == rest.npos || at == 0 || (rest[at - 1] != 'l' && rest[at - 1] != 'L')) continue;
    std::size_t digit = at + word.size();
    const std::string number =
        digit < rest.size() && IsDigit(rest[digit]) ? NumberAt(rest, &digit) : "";
    if (!number.empty() && !shown.HasLine(number)) claim("line " + number);
  }
  std::string lower = rest;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const Witness& witness : AllWitnesses()) {
    if (lower.find(witness.said) != lower.npos && !shown.Has(witness.shown)) {
      claim(std::string(witness.said));
    }
  }
  const bool measured = std::any_of(std::begin(kMeasured), std::end(kMeasured),
                                    [&](auto word) { return rest.find(word) != rest.npos; });
  if (measured && !shown.HasProgram()) {
    for (const std::string& number : NumberTextsIn(rest)) {
      const bool guide = std::find(std::begin(kGuideNumbers), std::end(kGuideNumbers), number) !=
                         std::end(kGuideNumbers);
      if (!guide && !shown.HasFigure(number)) claim(number);
    }
  }
  return claims;
}

}  // namespace

std::vector<std::string> UnanswerableClaims(const TrainingRecord& row) {
  std::vector<std::string> claims;
  if (row.messages.empty()) return claims;
  const Shown shown(row);
  for (const std::string& sentence : SentencesOf(Divided(row.messages.back().content).prose)) {
    for (std::string& claim : ClaimsOf(sentence, shown)) claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace kernelmill
