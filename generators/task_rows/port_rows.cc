#include <algorithm>

#include "corpora/kernel_backend.h"
#include "generators/prompts/write_prompt.h"
#include "generators/reasoning/reasoning.h"
#include "generators/task_rows/ported_kernels.h"
#include "generators/task_rows/row_writers.h"
#include "generators/wording/fenced_code.h"
#include "generators/wording/sentence_writer.h"

namespace kernelmill {
namespace {

// Of the tasks with ports in which only names change, one in so many gets a row.
constexpr std::size_t kNamesOneIn = 3;

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

std::string Cell(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "`" : ", `") + item + "`";
  return text;
}

// The names that change, as a table or as a sentence. What a reader of the new program sees at its
// beginning, the imports and headers, is left to the table.
std::string NamesText(const Candidate& from, const Candidate& to, const Wording& wording) {
  const std::vector<Renaming> names = RenamingsIn(from, to);
  if (names.empty()) return "";
  if (wording.Index("port table", 3) == 0) {
    std::string text = "The names that change:\n\n| " + PlatformOf(from) + " | " + PlatformOf(to) +
                       " | |\n| --- | --- | --- |\n";
    for (const Renaming& name : names) {
      text +=
          "| " + Cell(name.old) + " | " + Cell(name.now) + " | " + std::string(name.what) + " |\n";
    }
    return text;
  }
  std::vector<std::string> items;
  for (const Renaming& name : names) {
    if (name.old.size() != 1 || name.now.size() != 1) continue;
    items.push_back(Cell(name.old) + " becomes " + Cell(name.now));
  }
  if (items.empty()) return "";
  return "The rest are names, besides the imports and headers: " + Listed(items) + ".\n";
}

// What is special about this program comes first.
std::string Reasoning(std::string_view level, const Candidate& from, const Candidate& to,
                      const Prompt& prompt, const Wording& wording) {
  if (level == kReasoningNone) return "";
  const std::string names = NamesText(from, to, wording);
  const bool one_width = prompt.text.find("MTT S5000") != std::string::npos;
  return PortedKernelsText(from, to, one_width) + "\n\n" + names + (names.empty() ? "" : "\n");
}

}  // namespace

// One row per task at most: a pair of correct answers of equal structure, one for each backend, in
// one direction, whose device code depends on the platform if there is such a pair. Where only
// names change, a row would repeat what others teach, so that few tasks get one.
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
  PortDifference most = PortDifference::kNames;
  const auto difference = [](const auto& pair) {
    return DifferenceOfPort(pair.first->candidate, pair.second->candidate);
  };
  for (const auto& pair : pairs) most = std::max(most, difference(pair));
  if (most == PortDifference::kNames && choice.Index("few-ports", kNamesOneIn) != 0) return;
  std::erase_if(pairs, [&](const auto& pair) { return difference(pair) != most; });
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
  const std::string reasoning =
      Reasoning(row.training.reasoning, from->candidate, to->candidate, prompt, wording);
  if (!reasoning.empty()) row.training.reasoning_author = kReasonedByRule;
  FinishRow(known, to->candidate, prompt, reasoning + Fenced("python", to->candidate.code), &row);
  rows->push_back(std::move(row));
}

}  // namespace kernelmill
