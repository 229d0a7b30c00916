#include "stages/answer/task_graph.h"

#include <algorithm>
#include <cctype>

#include "stages/capture/graph_capture.h"
#include "stages/capture/module_capture.h"
#include "stages/verify/size_sets.h"

namespace kernelmill {
namespace {

// Other sizes are tried until the module takes some.
constexpr std::size_t kTries = 8;

std::string WhyIncomplete(const GraphCapture& capture) {
  std::string text = capture.unfit;
  for (const std::string& name : capture.unknown) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Equal but for sizes.
bool IsSameModule(const OperatorGraph& a, const OperatorGraph& b) {
  const auto nodes = [](const Node& x, const Node& y) {
    return x.op == y.op && x.operand_count == y.operand_count && x.first_result == y.first_result;
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

// "blocks.0.weight" -> "self.blocks[0].weight"; empty for what Python cannot say like that.
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

// What forward() calls each value; a reason to refuse goes to `refusal`.
std::vector<std::string> NamesOf(const GraphCapture& capture,
                                 const std::vector<std::string>& arguments, std::string* refusal) {
  std::vector<std::string> names(capture.graph.values().size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Value& value = capture.graph.values()[i];
    const std::string& known = capture.names[i];
    if (value.role == ValueRole::kResult) continue;
    if (value.role == ValueRole::kInput) {
      const std::size_t number = IsNumber(known) ? std::stoul(known) : arguments.size();
      if (number < arguments.size()) names[i] = arguments[number];
      if (names[i].empty()) *refusal = "an input inside of another one";
    } else {
      if (!known.empty()) names[i] = MemberText(known);
      if (known.empty()) *refusal = "a tensor that forward() makes";
      if (names[i].empty() && refusal->empty()) *refusal = "a parameter called " + known;
    }
  }
  return names;
}

}  // namespace

Result<TaskGraphReading> ReadTaskGraph(const std::string& code, TorchWorker* worker) {
  TaskGraphReading reading;
  KM_ASSIGN(const ModuleCapture own, CaptureModule(code, {}, worker));
  reading.refusal = own.problem;
  if (!own.problem.empty()) return reading;
  std::optional<ReferenceShell> shell = ShellOf(code, own.run.arguments);
  if (!shell) {
    reading.refusal = "its forward() takes more than positional arguments";
    return reading;
  }
  GraphCapture capture = CaptureGraph(own.run);
  reading.refusal = WhyIncomplete(capture);
  if (!reading.refusal.empty()) return reading;
  std::vector<std::string> names = NamesOf(capture, shell->arguments, &reading.refusal);
  if (!reading.refusal.empty()) return reading;

  std::vector<Sizes> others = OtherSizes(own.run.sites, {}, 0);
  others.resize(std::min(others.size(), kTries));
  OperatorGraph other = capture.graph;
  for (const Sizes& sizes : others) {
    KM_ASSIGN(const ModuleCapture at, CaptureModule(code, sizes, worker));
    if (!at.problem.empty()) continue;
    GraphCapture there = CaptureGraph(at.run);
    if (!there.complete() || !IsSameModule(capture.graph, there.graph)) continue;
    other = std::move(there.graph);
    break;
  }
  ModuleText module = ModuleTextOf(capture.graph, other, std::move(names), *std::move(shell));
  reading.task = TaskGraph{std::move(capture.graph), std::move(module)};
  return reading;
}

}  // namespace kernelmill
