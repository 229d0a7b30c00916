#include <algorithm>
#include <regex>

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

// What differs between the two programs: names, or several lines of a kind.
struct Renaming {
  std::string_view what;
  std::vector<std::string> old, now;
};

// The lines of `text` that are not in `other`, without "#include ".
std::vector<std::string> LinesOnlyIn(std::string_view text, std::string_view other) {
  constexpr std::string_view kInclude = "#include ";
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || other.find(line) != other.npos) continue;
    if (line.starts_with(kInclude)) line.remove_prefix(kInclude.size());
    lines.emplace_back(line);
  }
  return lines;
}

std::vector<Renaming> RenamingsIn(const Candidate& from, const Candidate& to) {
  const KernelBackend &old = *FindKernelBackend(from.backend),
                      &now = *FindKernelBackend(to.backend);
  std::vector<Renaming> all;
  const auto lines = [&](std::string_view what, std::string_view before, std::string_view after) {
    all.push_back({what, LinesOnlyIn(before, after), LinesOnlyIn(after, before)});
  };
  const auto name = [&](std::string_view what, std::string_view before, std::string_view after) {
    all.push_back({what, {std::string(before)}, {std::string(after)}});
  };
  // Programs of models import the loader in other ways.
  const bool ours = from.code.find(old.loader_imports) != from.code.npos &&
                    to.code.find(now.loader_imports) != to.code.npos;
  if (ours) {
    lines("the imports", old.loader_imports, now.loader_imports);
  } else {
    name("the loader", old.loader_module, now.loader_module);
  }
  lines("the headers of the runtime, the guard, the stream and the checks", old.headers,
        now.headers);
  lines("the header of `__half`", old.half_header, now.half_header);
  lines("the header of the 16-bit brain float", old.bfloat16_header, now.bfloat16_header);
  name("`load_inline`'s keyword for device code", old.sources_keyword, now.sources_keyword);
  name("`load_inline`'s keyword for the compiler's flags", old.flags_keyword, now.flags_keyword);
  name("the device guard", old.device_guard, now.device_guard);
  name("the current stream", old.current_stream, now.current_stream);
  name("the check after a launch", old.launch_check, now.launch_check);
  name("the 16-bit brain float", old.bfloat16_type, now.bfloat16_type);
  const auto stands = [](const std::vector<std::string>& items, const std::string& code) {
    return !items.empty() && std::all_of(items.begin(), items.end(), [&](const std::string& item) {
      return code.find(item) != code.npos;
    });
  };
  std::erase_if(all, [&](const Renaming& one) {
    return one.old == one.now || !stands(one.old, from.code) || !stands(one.now, to.code);
  });
  return all;
}

// The functions that exchange values within a warp, each once.
std::vector<std::string> WarpFunctionsIn(const std::string& code) {
  static const std::regex kCall(R"(\b(__(?:shfl|ballot|any|all|activemask|match|reduce)\w*)\()");
  std::vector<std::string> names;
  for (std::sregex_iterator at(code.begin(), code.end(), kCall), end; at != end; ++at) {
    const std::string name = (*at)[1];
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

// What of the kernels could depend on the platform, and why it stays as it is.
std::string OnKernels(const Candidate& to) {
  const auto has = [&](std::string_view text) { return to.code.find(text) != to.code.npos; };
  std::vector<std::string> kernels;
  for (const DesignedKernel& plan : to.kernels) {
    for (const std::string& name : plan.kernels) kernels.push_back(name);
  }
  std::string text = "The device code of " + CodeList(kernels, 4) + " stays as it is.";
  const std::vector<std::string> warp = WarpFunctionsIn(to.code);
  const bool wide = has("warpSize"), musa = to.backend != "cuda";
  if (!warp.empty()) {
    text += " What needs care is the exchange within a warp by " + CodeList(warp) + ".";
  }
  if (wide) {
    text +=
        " The width of a warp is read from `warpSize` and not written as a number, so offsets "
        "and strides follow from the device";
    text += musa ? ": warps of an MTT S5000 are as wide as those of NVIDIA GPUs, and warps of an "
                   "S4000 or S80 are four times as wide."
                 : ", and all NVIDIA GPUs have warps of one width.";
  }
  if (!warp.empty() && has("0xffffffff")) {
    text +=
        musa ? " The mask `0xffffffff` is the same argument on both platforms; it names all lanes "
               "of a warp that is as wide as on NVIDIA GPUs."
             : " The mask `0xffffffff` names all lanes of a warp.";
  }
  if (warp.empty() && !wide) {
    text +=
        " No kernel uses warp functions or the width of a warp, so it does not matter that "
        "this differs between devices.";
  }
  if (has("__shared__")) {
    text += " Shared memory and `__syncthreads()` mean the same on both platforms.";
  }
  if (has("__half2float") || has("__float2half")) {
    text +=
        " The conversions of `__half` have the same names on both sides, so 16-bit values need "
        "another header only.";
  }
  if (has("alignas(16)")) {
    text +=
        " The 16-byte accesses are plain C++ and need the same alignment, which the host code "
        "checks as before.";
  }
  if (has("atomicAdd(")) text += " `atomicAdd` is called as before.";
  return text;
}

std::string Cell(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "`" : ", `") + item + "`";
  return text;
}

std::string Reasoning(std::string_view level, const Candidate& from, const Candidate& to) {
  if (level == kReasoningNone) return "";
  const std::vector<Renaming> names = RenamingsIn(from, to);
  std::string text = "What changes is how the program reaches the device:\n\n| " +
                     PlatformOf(from) + " | " + PlatformOf(to) + " | |\n| --- | --- | --- |\n";
  for (const Renaming& name : names) {
    text +=
        "| " + Cell(name.old) + " | " + Cell(name.now) + " | " + std::string(name.what) + " |\n";
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
  // A port has no designs to weigh, so no question asks for a derivation.
  row.training.reasoning =
      ChooseReasoning(wording) == kReasoningNone ? kReasoningNone : kReasoningPlan;
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
