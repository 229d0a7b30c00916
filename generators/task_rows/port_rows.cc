#include <algorithm>

#include "corpora/kernel_backend.h"
#include "generators/prompts/write_prompt.h"
#include "generators/reasoning/reasoning.h"
#include "generators/reasoning/reasoning_steps.h"
#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"

namespace kernelmill {
namespace {

std::string PlatformOf(const Candidate& candidate) {
  return std::string(FindKernelBackend(candidate.backend)->title);
}

// A name that differs between the two programs.
struct Renaming {
  std::string_view what;
  std::string old, now;
};

std::vector<Renaming> RenamingsIn(const Candidate& from, const Candidate& to) {
  const KernelBackend &old = *FindKernelBackend(from.backend),
                      &now = *FindKernelBackend(to.backend);
  std::vector<Renaming> all = {
      {"the loader", std::string(old.loader_module), std::string(now.loader_module)},
      {"the keyword for device code", std::string(old.sources_keyword),
       std::string(now.sources_keyword)},
      {"the keyword for the compiler's flags", std::string(old.flags_keyword),
       std::string(now.flags_keyword)},
      {"the device guard", std::string(old.device_guard), std::string(now.device_guard)},
      {"the current stream", std::string(old.current_stream), std::string(now.current_stream)},
      {"the check after a launch", std::string(old.launch_check), std::string(now.launch_check)},
      {"the 16-bit brain float", std::string(old.bfloat16_type), std::string(now.bfloat16_type)}};
  std::erase_if(all, [&](const Renaming& name) {
    return name.old == name.now || from.code.find(name.old) == std::string::npos ||
           to.code.find(name.now) == std::string::npos;
  });
  return all;
}

// What is the same on both platforms, and why.
std::string OnKernels(const Candidate& to) {
  std::vector<std::string> kernels;
  for (const DesignedKernel& plan : to.kernels) {
    for (const std::string& name : plan.kernels) kernels.push_back(name);
  }
  std::string text = "The indices, bounds and arithmetic of " + CodeList(kernels, 4) +
                     " do not depend on the platform, so the device code stays as it is.";
  if (to.code.find("warpSize") != to.code.npos) {
    text +=
        " It reads the width of a warp from `warpSize`, so it is also right on older MUSA devices "
        "with 128 threads per warp.";
  }
  return text;
}

std::string Reasoning(std::string_view level, const Candidate& from, const Candidate& to) {
  if (level == kReasoningNone) return "";
  const std::vector<Renaming> names = RenamingsIn(from, to);
  std::string text = "What changes is how the host code reaches the device:\n\n| " +
                     PlatformOf(from) + " | " + PlatformOf(to) + " | |\n| --- | --- | --- |\n";
  for (const Renaming& name : names) {
    text += "| `" + name.old + "` | `" + name.now + "` | " + std::string(name.what) + " |\n";
  }
  if (names.empty()) text.clear();
  return text + (text.empty() ? "" : "\n") + OnKernels(to) + "\n\n";
}

}  // namespace

// One row per task at most: a pair of correct answers of equal structure, one for each backend, in
// one direction.
void WritePortRows(const KnownTask& known, std::vector<WrittenRow>* rows) {
  std::vector<std::pair<const KnownCandidate*, const KnownCandidate*>> pairs;
  for (const KnownCandidate& from : known.candidates) {
    for (const KnownCandidate& to : known.candidates) {
      if (from.candidate.IsAnswer() && to.candidate.IsTaught() &&
          !from.candidate.structure.empty() && from.candidate.structure == to.candidate.structure &&
          from.candidate.backend != to.candidate.backend) {
        pairs.emplace_back(&from, &to);
      }
    }
  }
  if (pairs.empty()) return;
  const Wording choice(known.id, known.seed);
  const auto& [from, to] = pairs[choice.Index("port", pairs.size())];
  const Wording wording = known.WordingFor(to->id, Family::kPort);
  WrittenRow row = NewRow(known, *to, Family::kPort);
  row.training.reasoning = ChooseReasoning(wording);
  const Prompt prompt = WritePrompt({.family = Family::kPort,
                                     .backend = to->candidate.backend,
                                     .reasoning = row.training.reasoning,
                                     .may_be_chinese = row.training.reasoning == kReasoningNone,
                                     .facts = {{"code", Fenced("python", from->candidate.code)},
                                               {"from", PlatformOf(from->candidate)}}},
                                    known, wording);
  row.training.prompt_template = prompt.name;
  row.inputs.push_back(from->id);
  const std::string reasoning = Reasoning(row.training.reasoning, from->candidate, to->candidate);
  if (!reasoning.empty()) row.training.reasoning_author = kReasonedByRule;
  FinishRow(known, to->candidate, prompt, reasoning + Fenced("python", to->candidate.code), &row);
  rows->push_back(std::move(row));
}

}  // namespace kernelmill
