#include "stages/answer/task_graph.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "stages/capture/captured_graph.h"
#include "stages/capture/run_capture.h"
#include "stages/verify/reference/size_sets.h"

namespace kernelmill {
namespace {

// The reference is captured at up to kOthers other sizes, in at most kTries attempts: first with
// all sizes changed, then with one changed at a time, which tells numbers apart that are equal or
// change together. If the module only runs when one size is tied to another, or to a number in the
// text, some size may not have changed in any of them. Then up to kMoreTries of the smaller sizes
// that a judge would use are tried, those that change most of these sizes first.
constexpr std::size_t kTries = 20, kOthers = 6, kMoreTries = 48;

std::string WhyIncomplete(const CapturedGraph& capture) {
  std::string text = capture.unfit;
  for (const std::string& name : capture.unknown) {
    if (text.starts_with(name + ' ')) continue;
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

// Whether two graphs are equal except for sizes.
bool IsSameModule(const OperatorGraph& a, const OperatorGraph& b) {
  const auto nodes = [&](const Node& x, const Node& y) {
    return x.op == y.op && x.first_result == y.first_result &&
           std::ranges::equal(a.operands(x), b.operands(y));
  };
  return a.values().size() == b.values().size() &&
         std::equal(a.nodes().begin(), a.nodes().end(), b.nodes().begin(), b.nodes().end(),
                    nodes) &&
         std::equal(a.outputs().begin(), a.outputs().end(), b.outputs().begin(), b.outputs().end());
}

bool IsNumber(std::string_view part) {
  return !part.empty() && std::all_of(part.begin(), part.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

// "blocks.0.weight" -> "self.blocks[0].weight"; empty if the name is not such a Python expression.
std::string MemberText(const std::string& name) {
  std::string text = "self";
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('.', at), name.size());
    const std::string part = name.substr(at, end - at);
    const bool word = !part.empty() && std::all_of(part.begin(), part.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_';
    });
    if (!word) return "";
    text += IsNumber(part) ? '[' + part + ']' : '.' + part;
    at = end + 1;
  }
  return text;
}

// The Python expression for each value in forward(). Sets `obstacle` if a value has none.
std::vector<std::string> NamesOf(const CapturedGraph& capture,
                                 const std::vector<std::string>& arguments, std::string* obstacle) {
  std::vector<std::string> names(capture.graph.values().size());
  std::string tensor;  // The first input's name.
  std::vector<std::size_t> plain;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Value& value = capture.graph.values()[i];
    const std::string& known = capture.names[i];
    if (value.role == ValueRole::kResult) continue;
    if (value.role == ValueRole::kInput) {
      const std::size_t number = IsNumber(known) ? std::stoul(known) : arguments.size();
      if (number < arguments.size()) names[i] = arguments[number];
      if (tensor.empty()) tensor = names[i];
      if (names[i].empty()) *obstacle = "an input inside of another one";
    } else {
      if (!known.empty()) names[i] = MemberText(known);
      if (capture.is_plain_attribute[i] && !names[i].empty()) plain.push_back(i);
      if (known.empty()) *obstacle = "a tensor that forward() makes";
      if (names[i].empty() && obstacle->empty()) *obstacle = "a parameter called " + known;
    }
  }
  for (const std::size_t i : plain) names[i] += ".to(" + tensor + ".device)";
  return names;
}

// The integer attributes of a module, with their values at every captured set of sizes.
class NumberSamples {
 public:
  explicit NumberSamples(const CapturedRun& own) {
    for (const auto& [text, value] : own.module_integers) samples_.push_back({text, {value}});
  }
  void Add(const CapturedRun& run) {
    const std::map<std::string, std::int64_t> there(run.module_integers.begin(),
                                                    run.module_integers.end());
    std::erase_if(samples_, [&](const KnownSize& known) { return !there.contains(known.text); });
    for (KnownSize& known : samples_) known.at.push_back(there.at(known.text));
  }
  std::vector<KnownSize> Take() { return std::move(samples_); }

 private:
  std::vector<KnownSize> samples_;
};

}  // namespace

Result<TaskGraphReading> ReadTaskGraph(const std::string& reference, TorchWorker* worker) {
  TaskGraphReading reading;
  KM_ASSIGN(const CapturedRun own, CaptureRun(reference, {}, worker));
  reading.obstacle = own.obstacle;
  if (!own.obstacle.empty()) return reading;
  std::optional<ReferenceShell> shell = ShellOf(reference, own.arguments);
  if (!shell) {
    reading.obstacle = "its forward() takes more than positional arguments";
    return reading;
  }
  CapturedGraph capture = GraphOfRun(own, CreatedTensors::kAsOperators);
  reading.obstacle = WhyIncomplete(capture);
  if (!reading.obstacle.empty()) return reading;
  std::vector<std::string> names = NamesOf(capture, shell->forward_names, &reading.obstacle);
  if (!reading.obstacle.empty()) return reading;

  std::vector<OperatorGraph> others;
  NumberSamples numbers(own);
  std::set<std::int64_t> changed_alone;
  std::set<std::int64_t> unchanged;  // Sites that no capture has changed yet.
  for (const SizeSite& site : own.sites) unchanged.insert(site.id);
  // Captures the module at `sizes`. Returns whether its graph is the same except for sizes.
  const auto capture_at = [&](const Sizes& sizes) -> Result<bool> {
    KM_ASSIGN(const CapturedRun at, CaptureRun(reference, sizes, worker));
    if (!at.obstacle.empty()) return false;
    CapturedGraph there = GraphOfRun(at, CreatedTensors::kAsOperators);
    if (!there.complete() || !IsSameModule(capture.graph, there.graph)) return false;
    others.push_back(std::move(there.graph));
    numbers.Add(at);
    for (const SizeSite& site : own.sites) {
      const auto there = sizes.find(site.id);
      if (there != sizes.end() && there->second != site.value) unchanged.erase(site.id);
    }
    return true;
  };
  std::size_t tries = 0;
  // Whether a capture with several sizes changed has succeeded; one is enough.
  bool all_changed = false;
  for (const int variant : {0, 1, 2}) {
    for (const Sizes& sizes : OtherSizes(own.sites, {}, variant)) {
      const bool one = sizes.size() == 1;
      if (others.size() == kOthers || tries == kTries) break;
      if (one ? changed_alone.contains(sizes.begin()->first) : all_changed) continue;
      ++tries;
      KM_ASSIGN(const bool taken, capture_at(sizes));
      if (!taken) continue;
      if (one) changed_alone.insert(sizes.begin()->first);
      all_changed |= !one;
    }
  }
  const auto count_unchanged = [&](const Sizes& sizes) {
    return std::count_if(sizes.begin(), sizes.end(),
                         [&](const auto& size) { return unchanged.contains(size.first); });
  };
  std::vector<Sizes> more = unchanged.empty() ? std::vector<Sizes>() : ShrinkingSizes(own.sites);
  std::stable_sort(more.begin(), more.end(), [&](const Sizes& a, const Sizes& b) {
    return count_unchanged(a) > count_unchanged(b);
  });
  tries = 0;
  for (const Sizes& sizes : more) {
    if (count_unchanged(sizes) == 0) continue;
    if (++tries > kMoreTries) break;
    KM_RETURN_IF_ERROR(capture_at(sizes).status());
  }
  ModuleText module = ModuleTextOfCapture(capture.graph, std::move(others), std::move(names),
                                          numbers.Take(), *std::move(shell));
  reading.task = TaskGraph{std::move(capture.graph), std::move(module)};
  return reading;
}

}  // namespace kernelmill
