#include "generators/grounding/supported_facts.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "corpora/operators/operator_table.h"
#include "generators/perturbation/bug.h"
#include "generators/perturbation/line_changes.h"
#include "generators/reasoning/alternatives_step.h"
#include "generators/reasoning/call_limit.h"
#include "generators/reasoning/copying_functions.h"
#include "generators/reasoning/operator_formulas.h"
#include "generators/reasoning/performance_numbers.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/reduced_rows.h"
#include "generators/reasoning/result_tiles.h"
#include "generators/reasoning/run_figures.h"
#include "generators/reasoning/value_style.h"
#include "generators/task_rows/bug_lessons.h"
#include "generators/wording/tensor_text.h"
#include "manifests/ascii.h"

namespace kernelmill {
namespace {

using Names = SupportedFacts::Names;

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

// What every reader knows about GPUs: a number with the unit that follows it. A warp has 32 lanes,
// and memory is accessed in sectors of 32 bytes, so 32 lanes with n bytes each fill n sectors.
constexpr std::pair<std::string_view, std::string_view> kGeneralKnowledge[] = {
    {"32", "lanes"},
    {"32", "neighbouring lanes"},
    {"32", "different elements"},
    {"32", "个"},
    {"32", "banks"},
    {"1", "bytes"},
    {"1", "字节"},
    {"2", "sectors"},
    {"4", "sectors"},
    {"8", "sectors"},
    {"16", "sectors"},
    {"2", "bytes"},
    {"4", "bytes"},
    {"8", "bytes"},
    {"12", "bytes"},
    {"16", "bytes"},
    {"16", "bits"},
    {"0", "blocks"},
    {"128", "threads per warp"},
    {"32", "个 lane"},
    {"2", "字节"},
    {"4", "字节"},
    {"8", "字节"},
    {"12", "字节"},
    {"16", "字节"},
    {"2", "个"},
    {"4", "个"},
    {"8", "个"},
    {"12", "个"},
    {"16", "个"},
};

}  // namespace

std::string WithSingleSpaces(std::string_view text) {
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

SupportedFacts::Names NumberTextsIn(std::string_view text) {
  Names numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (IsDigit(text[at]) && (at == 0 || !IsNamePart(text[at - 1]))) {
      numbers.insert(NumberAt(text, &at));
    } else {
      ++at;
    }
  }
  return numbers;
}

SupportedFacts::SupportedFacts(const KnownTask& known, const std::vector<const Candidate*>& about)
    : code_(WithSingleSpaces(known.task.code)) {
  AddTask(known);
  for (const Candidate* candidate : about) {
    AddCandidate(known, *candidate);
    for (const Candidate* other : about) {
      if (other->bug.empty() == candidate->bug.empty()) continue;
      for (const LineChange& change : LineChanges(candidate->code, other->code)) {
        changed_lines_.insert(change.line);
      }
    }
  }
  code_words_ = WordsIn(code_);
  for (const OperatorRow& row : Operators()) names_.emplace(row.name);
  for (const std::string_view name :
       {".contiguous()", "exp", "float", "linear", "matmul", "data_ptr", "warpSize"}) {
    names_.emplace(name);
  }
}

bool SupportedFacts::SupportsCode(std::string_view span) const {
  const std::string text = WithSingleSpaces(span);
  if (names_.contains(text) || code_.find(text) != std::string::npos) return true;
  // Code that was composed of words from the answer: "if (i >= n) return;".
  for (const std::string& word : WordsIn(text)) {
    if (!code_words_.contains(word) && !formula_words_.contains(word)) return false;
  }
  return true;
}

SupportedFacts::Names SupportedFacts::PositionsOf(
    const std::vector<std::int64_t>& coordinates) const {
  Names positions;
  for (const std::vector<std::int64_t>& shape : tensors_) {
    if (shape.size() != coordinates.size()) continue;
    std::int64_t position = 0;
    bool inside = true;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      inside = inside && coordinates[i] < shape[i];
      if (__builtin_mul_overflow(position, shape[i], &position)) inside = false;
      position += coordinates[i];
    }
    if (inside) positions.insert(std::to_string(position));
  }
  return positions;
}

SupportedFacts::Names SupportedFacts::NumbersOfTrace(std::int64_t thread,
                                                     std::int64_t block) const {
  Names numbers;
  for (const std::int64_t threads : block_sizes_) {
    for (const std::vector<std::int64_t>& shape : outputs_) {
      const std::int64_t position = block * threads + thread;
      if (thread >= threads || position >= ElementsIn(shape)) continue;
      for (const std::int64_t number : {thread, block, position}) {
        numbers.insert(std::to_string(number));
      }
    }
  }
  return numbers;
}

bool SupportedFacts::SupportsLine(const std::string& number,
                                  const std::vector<std::string>& spans) const {
  const auto line = static_cast<std::size_t>(std::atoll(number.c_str()));
  for (const std::vector<std::string>& lines : lines_) {
    if (changed_lines_.contains(line)) return true;
    if (line < 1 || line > lines.size()) continue;
    for (const std::string& span : spans) {
      if (lines[line - 1].find(span) != std::string::npos) return true;
    }
  }
  return false;
}

bool SupportedFacts::SupportsNumber(const std::string& number, std::string_view unit) const {
  if (unit.starts_with("-bit") || unit.starts_with("bits")) return true;
  for (const auto& [known, of] : kGeneralKnowledge) {
    if (number == known && unit.starts_with(of)) return true;
  }
  // "32 neighbouring lanes with 12 bytes each need 12: …"
  const bool after_width = unit.starts_with(": ") || unit.starts_with(", so ") ||
                           unit.starts_with("that 32 ") || unit.starts_with("个：") ||
                           unit.starts_with("个，");
  for (const std::string_view width : {"1", "2", "4", "8", "12", "16"}) {
    if (number == width && after_width) return true;
  }
  if (unit.starts_with("entries")) unit = "elements";
  for (const auto& [name, numbers] : by_unit_) {
    if (unit.starts_with(name)) return numbers.contains(number);
  }
  return others_.contains(number) ||
         std::any_of(by_unit_.begin(), by_unit_.end(),
                     [&](const auto& entry) { return entry.second.contains(number); });
}

void SupportedFacts::Add(const std::string& unit, std::int64_t number) {
  by_unit_[unit].insert(std::to_string(number));
  if (unit != "bytes") return;
  for (const std::string& rounded : RoundedBytes(number)) {
    const std::size_t space = rounded.find(' ');
    by_unit_[rounded.substr(space + 1)].insert(rounded.substr(0, space));
  }
}

void SupportedFacts::AddTensor(const std::vector<std::int64_t>& shape, const std::string& dtype) {
  shapes_.insert(ShapeText(shape));
  shapes_.insert(ShapeText(RowMajorStrides(shape)));
  tensors_.insert(shape);
  Add("elements", ElementsIn(shape));
  Add("bytes", BytesIn(shape, dtype));
  for (const std::int64_t size : shape) others_.insert(std::to_string(size));
}

void SupportedFacts::AddTask(const KnownTask& known) {
  for (const InputSpec& input : known.task.inputs) {
    AddTensor(input.shape, input.dtype);
    names_.insert(input.name);
  }
  const Annotation& facts = known.facts;
  for (const TensorFacts& output : facts.outputs) {
    AddTensor(output.shape, output.dtype);
    outputs_.push_back(output.shape);
    output_bytes_.push_back(BytesIn(output.shape, output.dtype));
  }
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
      for (const std::string& size : shape) others_.merge(NumberTextsIn(size));
    }
  }
  for (const std::string& constraint : facts.symbolic.constraints) {
    others_.merge(NumberTextsIn(constraint));
    others_.insert("0");
  }
  AddCost(facts.flops, facts.bytes);
  others_.insert(std::to_string(EagerLaunches(facts)));
  boundary_bytes_ = BoundaryBytes(known.task, facts);
}

void SupportedFacts::AddCandidate(const KnownTask& known, const Candidate& candidate) {
  code_ += " " + WithSingleSpaces(candidate.code);
  std::vector<std::string>& lines = lines_.emplace_back();
  for (std::size_t start = 0; start < candidate.code.size();) {
    const std::size_t end = std::min(candidate.code.find('\n', start), candidate.code.size());
    lines.push_back(WithSingleSpaces(candidate.code.substr(start, end - start)));
    start = end + 1;
  }
  std::int64_t flops = 0, bytes = 0;
  for (const DesignedKernel& kernel : candidate.kernels) {
    AddKernel(kernel);
    const auto tiles = ResultTilesOf(known.task, known.facts, kernel);
    for (const std::int64_t grid :
         {BlocksOfReduction(known.facts, kernel), tiles ? tiles->Count() : 0}) {
      Add("blocks", grid);
      for (const KnownDevice& device : KnownDevicesOf(candidate.backend)) {
        const std::int64_t all = device.multiprocessors;
        if (all > grid) others_.insert(std::to_string(all - grid));
      }
    }
    if (tiles) {
      for (const std::int64_t number : {tiles->rows, tiles->columns, tiles->Count()}) {
        others_.insert(std::to_string(number));
      }
      Add("blocks", tiles->RowsOfTiles());
      Add("blocks", tiles->ColumnsOfTiles());
      by_unit_["%"].insert(std::to_string(tiles->PercentOutside()));
    }
    if (const auto split = SplitGridOf(known.task, known.facts, kernel, candidate.code)) {
      Add("parts", split->parts);
      Add("blocks", split->groups * split->parts);
      others_.insert(std::to_string(split->parts));
    }
    if (const auto rows = ReducedRowsOf(known.task, known.facts, kernel);
        rows && kernel.threads > 0) {
      Add("elements", rows->length);
      constexpr std::int64_t kLanes = 32, kBlock = 256;
      for (const std::int64_t team : {kernel.threads, kLanes}) {
        others_.insert(std::to_string((rows->length + team - 1) / team));
      }
      others_.insert(std::to_string(kBlock - rows->length));
      by_unit_["threads"].insert(std::to_string(kBlock));
    }
    flops += kernel.flops;
    bytes += kernel.bytes;
  }
  AddCost(flops, bytes);
  for (const KnownDevice& device : KnownDevicesOf(candidate.backend)) {
    by_unit_["µs"].insert(LeastMicroseconds(flops, bytes, device));
    by_unit_["FLOPs per byte"].insert(Decimal(device.Ridge()));
    others_.merge(NumberTextsIn(device.name));
    for (const std::string_view unit : {"TB/s", "GB/s", "TFLOP/s"}) {
      by_unit_[std::string(unit)].merge(NumberTextsIn(device.peaks));
    }
    others_.insert({Decimal(device.Ridge()), std::to_string(device.multiprocessors)});
  }
  others_.insert(Decimal(TimesOfPlannedBytes(candidate)));
  AddDevice(known, candidate);
  if (bytes > boundary_bytes_) Add("bytes", bytes - boundary_bytes_);
  others_.insert(SpeedText(candidate.estimated_speed));
  AddVerdict(candidate.verdict);
  others_.insert(std::to_string(candidate.kernels.size()));
  others_.insert(std::to_string(LaunchesWithCopies(candidate, known.task, known.facts)));
  for (const CopyingFunction& one : CopyingFunctions(candidate, known.task, known.facts)) {
    Add("bytes", one.bytes);
  }
  // The description of the bug.
  if (const BugClass* const bug = FindBug(candidate.bug); bug != nullptr) {
    const std::string words = CauseIn(*bug, candidate.code) + " " + std::string(bug->remedy) + " " +
                              std::string(LessonOf(bug->name));
    others_.merge(NumberTextsIn(words));
    by_unit_["threads"].merge(NumberTextsIn(words));
    formula_words_.merge(WordsIn(words));
  }
}

void SupportedFacts::AddKernel(const DesignedKernel& kernel) {
  names_.insert(kernel.function);
  names_.insert(kernel.grid);
  names_.insert(kernel.index_type);
  names_.insert(kernel.strategy);
  for (const std::string& name : kernel.kernels) names_.insert(name);
  for (const std::string& op : kernel.operators) {
    names_.insert(op);
    const std::string formula = FormulaOf(op);
    if (formula.empty()) continue;
    names_.insert(WithSingleSpaces(formula));
    formula_words_.merge(WordsIn(formula));
  }
  formula_words_.merge(WordsIn(kernel.grid));
  Add("threads", kernel.threads);
  if (kernel.threads > 0) {
    block_sizes_.insert(kernel.threads);
    // The number of blocks with one thread per element, and the threads at work in the last block.
    for (const std::vector<std::int64_t>& shape : outputs_) {
      const std::int64_t elements = ElementsIn(shape);
      Add("threads", elements % kernel.threads);
      by_unit_["of its threads"].insert(std::to_string(elements % kernel.threads));
      Add("blocks", (elements + kernel.threads - 1) / kernel.threads);
    }
  }
  Add("bytes", kernel.shared_bytes);
  AddCost(kernel.flops, kernel.bytes);
  // The sentences of the plan itself.
  others_.merge(NumberTextsIn(kernel.mapping));
  for (const DesignReason& reason : kernel.reasons) {
    others_.merge(NumberTextsIn(reason.choice));
    others_.merge(NumberTextsIn(reason.why));
    for (const std::string_view unit : {"threads", "bytes", "elements", "blocks"}) {
      by_unit_[std::string(unit)].merge(NumberTextsIn(kernel.mapping));
      by_unit_[std::string(unit)].merge(NumberTextsIn(reason.choice + " " + reason.why));
    }
  }
}

void SupportedFacts::AddCost(std::int64_t flops, std::int64_t bytes) {
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

void SupportedFacts::AddVerdict(const Verdict& verdict) {
  for (const VerdictLaunch& launch : verdict.launches) {
    names_.insert(launch.kernel);
    Add("threads", launch.threads);
    Add("bytes", launch.shared);
    Add("launches", launch.count);
    if (launch.occupancy) {
      char text[40];
      std::snprintf(text, sizeof text, "%.0f", *launch.occupancy * 100);
      by_unit_["%"].insert(text);
    }
    if (launch.counts) AddCounts(*launch.counts);
  }
  AddTotals(verdict);
  if (verdict.diagnosis) others_.merge(NumberTextsIn(verdict.diagnosis->where));
  for (const VerdictSize& size : verdict.sizes) others_.insert(std::to_string(size.value));
  names_.insert(verdict.device.architecture);
  names_.insert(verdict.device.compiler);
  others_.merge(NumberTextsIn(verdict.device.compiler));
  for (const VerdictDeviceKernel& kernel : verdict.device.kernels) {
    names_.insert(kernel.kernel);
    Add("registers", kernel.registers);
    for (const std::int64_t bytes : {kernel.stack, kernel.spills, kernel.shared}) {
      Add("bytes", bytes);
    }
  }
}

void SupportedFacts::AddCounts(const VerdictCounts& counts) {
  for (const auto& [name, field] : AllVerdictCounts()) {
    others_.insert(std::to_string(counts.*field));
  }
  others_.insert(std::to_string(counts.global_atomics + counts.shared_atomics));
  const auto ratio = [&](std::int64_t part, std::int64_t whole) {
    if (whole > 0) others_.insert(Decimal(static_cast<double>(part) / static_cast<double>(whole)));
  };
  // How many times the fewest sectors the requests touch, for each width of an access, with 32
  // lanes and with those that are active.
  for (const double lanes : {32.0, counts.LanesOfRequest().value_or(32)}) {
    for (const double width : {1.0, 2.0, 4.0, 8.0, 12.0, 16.0}) {
      const double fewest = std::max(1.0, width * lanes / 32);
      for (const auto& [sectors, requests] :
           {std::pair(counts.global_load_sectors, counts.global_load_requests),
            std::pair(counts.global_store_sectors, counts.global_store_requests)}) {
        if (requests == 0) continue;
        const double times = static_cast<double>(sectors) / static_cast<double>(requests) / fewest;
        others_.insert({Decimal(times), Short(times)});
      }
    }
  }
  others_.insert(std::to_string(counts.shared_load_requests + counts.shared_store_requests));
  ratio(counts.global_load_sectors, counts.global_load_requests);
  ratio(counts.global_store_sectors, counts.global_store_requests);
  if (const auto lanes = counts.LanesOfRequest()) others_.insert(Decimal(*lanes));
}

void SupportedFacts::AddTotals(const Verdict& verdict) {
  VerdictCounts total;
  std::int64_t launches = 0;
  for (const VerdictLaunch& launch : verdict.launches) {
    launches += launch.count;
    if (!launch.counts) continue;
    for (const auto& [name, field] : AllVerdictCounts()) total.*field += (*launch.counts).*field;
  }
  Add("launches", launches);
  const std::vector<std::int64_t> sums = {launches,
                                          total.GlobalRequests(),
                                          total.GlobalSectors(),
                                          total.bank_conflicts,
                                          total.global_atomics + total.shared_atomics,
                                          total.blocks};
  Add("blocks", total.blocks);
  for (const std::int64_t number : sums) {
    others_.insert(std::to_string(number));
  }
  // How many times fewer one of two answers needs.
  for (const std::vector<std::int64_t>& other : totals_) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      for (const auto& [more, fewer] :
           {std::pair(sums[i], other[i]), std::pair(other[i], sums[i])}) {
        if (fewer > 0)
          others_.insert(Decimal(static_cast<double>(more) / static_cast<double>(fewer)));
      }
    }
  }
  totals_.push_back(sums);
}

}  // namespace kernelmill
