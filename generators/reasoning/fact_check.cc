#include "generators/reasoning/fact_check.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <set>

#include "corpora/operators/operator_table.h"
#include "generators/reasoning/operator_formulas.h"
#include "generators/tensor_words.h"

namespace kernelmill {
namespace {

using Names = std::set<std::string, std::less<>>;

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

Names WordsIn(std::string_view text) {
  Names words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && IsWord(text[end])) ++end;
    if (end > at) words.emplace(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return words;
}

// Runs of white space become one space.
std::string Collapsed(std::string_view text) {
  std::string collapsed;
  for (char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t';
    if (!space) {
      collapsed += c;
    } else if (!collapsed.empty() && collapsed.back() != ' ') {
      collapsed += ' ';
    }
  }
  return collapsed;
}

// A number as prose writes it, from `at` on: digits in groups or not, and decimals.
std::string NumberAt(std::string_view text, std::size_t* at) {
  std::string number;
  std::size_t i = *at;
  while (i < text.size()) {
    const bool digit_follows = i + 1 < text.size() && IsDigit(text[i + 1]);
    const bool group = text[i] == ',' && i + 3 < text.size() && IsDigit(text[i + 1]) &&
                       IsDigit(text[i + 2]) && IsDigit(text[i + 3]) &&
                       (i + 4 == text.size() || !IsDigit(text[i + 4]));
    if (IsDigit(text[i]) || (text[i] == '.' && digit_follows && number.find('.') == number.npos)) {
      number += text[i];
    } else if (!group) {
      break;
    }
    ++i;
  }
  *at = i;
  return number;
}

Names NumbersIn(std::string_view text) {
  Names numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (IsDigit(text[at]) && (at == 0 || !IsWord(text[at - 1]))) {
      numbers.insert(NumberAt(text, &at));
    } else {
      ++at;
    }
  }
  return numbers;
}

// Everything that may be said.
class Facts {
 public:
  Facts(const KnownTask& known, const Candidate& answer)
      : code_(Collapsed(known.task.code) + " " + Collapsed(answer.code)),
        code_words_(WordsIn(code_)) {
    AddTask(known);
    for (const DesignedKernel& kernel : answer.kernels) AddKernel(kernel);
    std::int64_t flops = 0, bytes = 0;
    for (const DesignedKernel& kernel : answer.kernels) {
      flops += kernel.flops;
      bytes += kernel.bytes;
    }
    AddCost(flops, bytes);
    AddVerdict(answer.verdict);
    Add("kernels", static_cast<std::int64_t>(answer.kernels.size()));
    for (const OperatorRow& row : Operators()) names_.emplace(row.name);
    for (const std::string_view name :
         {".contiguous()", "exp", "float", "linear", "matmul", "data_ptr", "warpSize"}) {
      names_.emplace(name);
    }
  }

  bool SupportsCode(std::string_view span) const {
    const std::string text = Collapsed(span);
    if (names_.contains(text) || code_.find(text) != std::string::npos) return true;
    // Put together from pieces of the code: "if (i >= n) return;".
    for (const std::string& word : WordsIn(text)) {
      if (!code_words_.contains(word) && !formula_words_.contains(word)) return false;
    }
    return true;
  }
  bool SupportsShape(const std::string& tuple) const { return shapes_.contains(tuple); }
  bool SupportsNumber(const std::string& number, std::string_view unit) const {
    if (unit.starts_with("-bit") || unit.starts_with("bits")) return true;
    for (const auto& [name, numbers] : by_unit_) {
      if (unit.starts_with(name)) return numbers.contains(number);
    }
    return others_.contains(number) ||
           std::any_of(by_unit_.begin(), by_unit_.end(),
                       [&](const auto& entry) { return entry.second.contains(number); });
  }

 private:
  void Add(const std::string& unit, std::int64_t number) {
    by_unit_[unit].insert(std::to_string(number));
  }
  void AddTensor(const std::vector<std::int64_t>& shape, const std::string& dtype) {
    shapes_.insert(ShapeWords(shape));
    Add("elements", ElementsIn(shape));
    Add("bytes", BytesIn(shape, dtype));
    for (const std::int64_t size : shape) others_.insert(std::to_string(size));
  }
  void AddTask(const KnownTask& known) {
    for (const InputSpec& input : known.task.inputs) {
      AddTensor(input.shape, input.dtype);
      names_.insert(input.name);
    }
    const Annotation& facts = known.facts;
    for (const TensorFacts& output : facts.outputs) AddTensor(output.shape, output.dtype);
    for (const LineValue& value : facts.values) {
      AddTensor(value.tensor.shape, value.tensor.dtype);
      names_.insert(value.name);
    }
    for (const OperatorCall& call : facts.operators) {
      for (const TensorFacts& output : call.outputs) AddTensor(output.shape, output.dtype);
      names_.insert(call.name);
    }
    for (const ParameterFacts& parameter : facts.parameters) {
      AddTensor(parameter.shape, parameter.dtype);
      names_.insert(parameter.name);
    }
    for (const SizeSymbol& symbol : facts.symbolic.symbols) {
      others_.insert(std::to_string(symbol.value));
    }
    for (const auto* shapes : {&facts.symbolic.inputs, &facts.symbolic.outputs}) {
      for (const SymbolicShape& shape : *shapes) {
        for (const std::string& size : shape) others_.merge(NumbersIn(size));
      }
    }
    for (const std::string& constraint : facts.symbolic.constraints) {
      others_.merge(NumbersIn(constraint));
      others_.insert("0");
    }
    AddCost(facts.flops, facts.bytes);
    Add("inputs", static_cast<std::int64_t>(known.task.inputs.size()));
  }
  void AddKernel(const DesignedKernel& kernel) {
    names_.insert(kernel.function);
    names_.insert(kernel.grid);
    names_.insert(kernel.index_type);
    names_.insert(kernel.strategy);
    for (const std::string& name : kernel.kernels) names_.insert(name);
    for (const std::string& op : kernel.operators) {
      names_.insert(op);
      const std::string formula = FormulaOf(op);
      if (formula.empty()) continue;
      names_.insert(Collapsed(formula));
      formula_words_.merge(WordsIn(formula));
    }
    formula_words_.merge(WordsIn(kernel.grid));
    Add("threads", kernel.threads);
    Add("warps", (kernel.threads + 31) / 32);
    Add("bytes", kernel.shared_bytes);
    AddCost(kernel.flops, kernel.bytes);
    // The plan's own words.
    others_.merge(NumbersIn(kernel.mapping));
    for (const DesignReason& reason : kernel.reasons) {
      others_.merge(NumbersIn(reason.choice));
      others_.merge(NumbersIn(reason.why));
      for (const std::string_view unit : {"threads", "bytes", "elements"}) {
        by_unit_[std::string(unit)].merge(NumbersIn(kernel.mapping));
        by_unit_[std::string(unit)].merge(NumbersIn(reason.choice + " " + reason.why));
      }
    }
  }
  void AddCost(std::int64_t flops, std::int64_t bytes) {
    Add("bytes", bytes);
    Add("FLOPs", flops);
    if (bytes <= 0) return;
    char text[40];
    const double intensity = static_cast<double>(flops) / static_cast<double>(bytes);
    for (const char* format : {"%.2f", "%.0f"}) {
      std::snprintf(text, sizeof text, format, intensity);
      for (const char* unit : {"FLOPs a byte", "FLOPs for each byte", "FLOPs per byte"}) {
        by_unit_[unit].insert(text);
      }
    }
  }
  void AddVerdict(const Verdict& verdict) {
    for (const VerdictLaunch& launch : verdict.launches) {
      names_.insert(launch.kernel);
      Add("threads", launch.threads);
      Add("warps", (launch.threads + 31) / 32);
      Add("bytes", launch.shared);
      Add("launches", launch.count);
      if (launch.occupancy) {
        char text[40];
        std::snprintf(text, sizeof text, "%.0f", *launch.occupancy * 100);
        by_unit_["%"].insert(text);
      }
      if (!launch.counts) continue;
      for (const auto& [name, field] : AllVerdictCounts()) {
        others_.insert(std::to_string((*launch.counts).*field));
      }
    }
    names_.insert(verdict.device.architecture);
    names_.insert(verdict.device.compiler);
    others_.merge(NumbersIn(verdict.device.compiler));
    for (const VerdictDeviceKernel& kernel : verdict.device.kernels) {
      names_.insert(kernel.kernel);
      Add("registers", kernel.registers);
      for (const std::int64_t bytes : {kernel.stack, kernel.spills, kernel.shared}) {
        Add("bytes", bytes);
      }
    }
  }

  std::string code_;
  Names code_words_, formula_words_, names_, shapes_, others_;
  // Longer units come first: "FLOPs a byte" before "FLOPs".
  std::map<std::string, Names, std::greater<>> by_unit_;
};

std::string Around(std::string_view text, std::size_t at) {
  const std::size_t start = at > 30 ? at - 30 : 0;
  return Collapsed(text.substr(start, 70));
}

class Reader {
 public:
  Reader(std::string_view text, const Facts& facts) : text_(text), facts_(facts) {}

  std::vector<std::string> Read() {
    bool fenced = false;
    for (std::size_t start = 0; start < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', start), text_.size());
      const std::string_view line = text_.substr(start, end - start);
      if (line.starts_with("```")) {
        fenced = !fenced;
      } else if (!fenced) {
        ReadLine(line);
      }
      start = end + 1;
    }
    return std::move(claims_);
  }

 private:
  void ReadLine(std::string_view line) {
    std::size_t at = 0;
    while (at < line.size() && (line[at] == '*' || line[at] == '#' || line[at] == ' ')) ++at;
    // "3. Shapes": the number of a paragraph.
    std::size_t digits = at;
    while (digits < line.size() && IsDigit(line[digits])) ++digits;
    if (digits > at && line.substr(digits).starts_with(". ")) at = digits;
    while (at < line.size()) {
      if (line[at] == '`') {
        const std::size_t end = std::min(line.find('`', at + 1), line.size());
        const std::string_view span = line.substr(at + 1, end - at - 1);
        if (!facts_.SupportsCode(span)) Claim("`" + std::string(span) + "`", line, at);
        at = end + 1;
      } else if (line[at] == '(' && ReadTuple(line, &at)) {
        continue;
      } else if (IsDigit(line[at]) && (at == 0 || !IsWord(line[at - 1]))) {
        const std::size_t start = at;
        const std::string number = NumberAt(line, &at);
        std::string_view unit = line.substr(at);
        while (unit.starts_with(' ')) unit.remove_prefix(1);
        if (!facts_.SupportsNumber(number, unit)) Claim(number, line, start);
      } else {
        ++at;
      }
    }
  }

  // "(2, 64)", "(8,)": a shape, which has to be some tensor's.
  bool ReadTuple(std::string_view line, std::size_t* at) {
    const std::size_t end = line.find(')', *at);
    if (end == line.npos) return false;
    const std::string tuple(line.substr(*at, end + 1 - *at));
    const bool shape =
        tuple.find(',') != tuple.npos && tuple.find_first_not_of("0123456789, ()") == tuple.npos;
    if (!shape) return false;
    if (!facts_.SupportsShape(tuple)) Claim(tuple, line, *at);
    *at = end + 1;
    return true;
  }

  void Claim(const std::string& what, std::string_view line, std::size_t at) {
    claims_.push_back(what + " in \"" + Around(line, at) + "\"");
  }

  std::string_view text_;
  const Facts& facts_;
  std::vector<std::string> claims_;
};

}  // namespace

std::vector<std::string> UnsupportedClaims(std::string_view markdown, const KnownTask& known,
                                           const Candidate& answer) {
  const Facts facts(known, answer);
  return Reader(markdown, facts).Read();
}

}  // namespace kernelmill
