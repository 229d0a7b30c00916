#include "generators/prompts/figure_lines.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "generators/reasoning/reasoning_steps.h"
#include "generators/reasoning/run_figures.h"

namespace kernelmill {
namespace {

// Below it, how many lanes are active decides what the sectors of a request say.
constexpr double kAllLanes = 31.95;

// A column of a table: one number per launch, or "" for a launch without it.
struct Column {
  std::string name;
  std::vector<std::string> cells;
};

std::string Percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f", share * 100);
  return text;
}

std::string OneDecimal(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

bool HasOccupancy(const Verdict& verdict, const VerdictLaunch& launch) {
  return launch.occupancy && !verdict.device.renamed;
}

bool IsKnown(const Verdict& verdict, const VerdictLaunch& launch) {
  return launch.threads > 0 || launch.counts || HasOccupancy(verdict, launch) ||
         DeviceFiguresOf(verdict, launch.kernel) != nullptr;
}

bool UsesSharedMemory(const VerdictLaunch& launch) {
  return launch.counts &&
         launch.counts->shared_load_requests + launch.counts->shared_store_requests > 0;
}

// The words for the figures in one question, which are the same for every kernel.
struct FigureWords {
  explicit FigureWords(SentenceWriter* writer) : tell_lanes(writer->OneIn(3)) {}

  std::string registers = "{n} registers per thread", spills = "{n} bytes of registers spilled",
              shared = "{n} bytes of shared memory per block", block = "{n} threads per block",
              grid = "{b} blocks of {n} threads", occupancy = "{n} % occupancy on {arch}",
              loads = "{r} load requests that touch {s} sectors",
              stores = "{r} store requests that touch {s} sectors",
              on_chip = "{l} load requests and {s} store requests to shared memory",
              conflicts = "{n} bank conflicts", atomics = "{n} atomics",
              lanes = "{n} active lanes per request";
  bool tell_lanes;
};

std::vector<std::string> PhrasesOf(const Verdict& verdict, const VerdictLaunch& launch,
                                   const FigureWords& words) {
  std::vector<std::string> phrases;
  const auto add = [&](const std::string& pattern, const SentenceValues& values) {
    phrases.push_back(FillPlaceholders(pattern, values));
  };
  const auto number = [&](const std::string& pattern, std::int64_t count) {
    if (count > 0) add(pattern, {{"n", CountText(count)}});
  };
  if (launch.counts && launch.threads > 0) {
    add(words.grid, {{"b", CountText(launch.counts->blocks)}, {"n", CountText(launch.threads)}});
  } else {
    number(words.block, launch.threads);
  }
  if (const auto* device = DeviceFiguresOf(verdict, launch.kernel)) {
    number(words.registers, device->registers);
    number(words.spills, device->spills);
    number(words.shared, device->shared);
  }
  if (HasOccupancy(verdict, launch)) {
    add(words.occupancy,
        {{"n", Percent(*launch.occupancy)}, {"arch", verdict.device.architecture}});
  }
  if (!launch.counts) return phrases;
  const VerdictCounts& counts = *launch.counts;
  const auto traffic = [&](const std::string& pattern, std::int64_t requests,
                           std::int64_t sectors) {
    if (requests > 0) add(pattern, {{"r", CountText(requests)}, {"s", CountText(sectors)}});
  };
  traffic(words.loads, counts.global_load_requests, counts.global_load_sectors);
  traffic(words.stores, counts.global_store_requests, counts.global_store_sectors);
  if (counts.shared_load_requests + counts.shared_store_requests > 0) {
    add(words.on_chip, {{"l", CountText(counts.shared_load_requests)},
                        {"s", CountText(counts.shared_store_requests)}});
  }
  // That there are none says something where shared memory is used.
  if (UsesSharedMemory(launch) || counts.bank_conflicts > 0) {
    add(words.conflicts, {{"n", CountText(counts.bank_conflicts)}});
  }
  number(words.atomics, counts.global_atomics + counts.shared_atomics);
  const auto lanes = counts.LanesOfRequest();
  if (lanes && (words.tell_lanes || *lanes < kAllLanes))
    add(words.lanes, {{"n", OneDecimal(*lanes)}});
  return phrases;
}

// The columns with the names that tools use, without those that are zero in every launch.
std::vector<Column> ColumnsOf(const Verdict& verdict, const std::vector<VerdictLaunch>& launches) {
  std::vector<Column> columns;
  const auto add = [&](const std::string& name, auto value) {
    Column column = {name, {}};
    bool known = false;
    for (const VerdictLaunch& launch : launches) {
      column.cells.push_back(value(launch));
      known = known || (!column.cells.back().empty() && column.cells.back() != "0");
    }
    known = known || (name == "bank conflicts" &&
                      std::any_of(launches.begin(), launches.end(), UsesSharedMemory));
    if (known) columns.push_back(std::move(column));
  };
  const auto of_device = [&](auto field) {
    return [&verdict, field](const VerdictLaunch& launch) {
      const auto* const device = DeviceFiguresOf(verdict, launch.kernel);
      return device == nullptr ? std::string() : std::to_string(device->*field);
    };
  };
  add("registers", of_device(&VerdictDeviceKernel::registers));
  add("spills", of_device(&VerdictDeviceKernel::spills));
  add("shared bytes", of_device(&VerdictDeviceKernel::shared));
  add("threads a block", [](const VerdictLaunch& launch) {
    return launch.threads > 0 ? std::to_string(launch.threads) : std::string();
  });
  add("occupancy on " + verdict.device.architecture + " (%)", [&](const VerdictLaunch& launch) {
    return HasOccupancy(verdict, launch) ? Percent(*launch.occupancy) : std::string();
  });
  for (const auto& [name, field] : AllVerdictCounts()) {
    // The number of threads follows from the blocks and the threads per block.
    if (field == &VerdictCounts::threads) continue;
    std::string words(name);
    std::replace(words.begin(), words.end(), '_', ' ');
    add(words, [&, field = field](const VerdictLaunch& launch) {
      return launch.counts ? std::to_string((*launch.counts).*field) : std::string();
    });
  }
  return columns;
}

// A table with one row per kernel or, transposed, one column per kernel.
std::string TableOf(const std::vector<VerdictLaunch>& launches, const std::vector<Column>& columns,
                    bool kernels_down) {
  std::string text;
  if (kernels_down) {
    text = "| kernel |";
    std::string rule = "\n| --- |";
    for (const Column& column : columns) {
      text += " " + column.name + " |";
      rule += " --- |";
    }
    text += rule + "\n";
    for (std::size_t i = 0; i < launches.size(); ++i) {
      text += "| `" + launches[i].kernel + "` |";
      for (const Column& column : columns) text += " " + column.cells[i] + " |";
      text += "\n";
    }
    return text;
  }
  text = "| |";
  std::string rule = "\n| --- |";
  for (const VerdictLaunch& launch : launches) {
    text += " `" + launch.kernel + "` |";
    rule += " --- |";
  }
  text += rule + "\n";
  for (const Column& column : columns) {
    text += "| " + column.name + " |";
    for (const std::string& cell : column.cells) text += " " + cell + " |";
    text += "\n";
  }
  return text;
}

// The figures in the form of a tool's output.
std::string PrintedBy(const std::vector<VerdictLaunch>& launches,
                      const std::vector<Column>& columns, const std::string& sizes) {
  std::string text = "```\n" + (sizes.empty() ? "" : "# " + sizes + "\n") + "kernel";
  for (const Column& column : columns) {
    std::string name = column.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    text += "," + name;
  }
  text += "\n";
  for (std::size_t i = 0; i < launches.size(); ++i) {
    text += launches[i].kernel;
    for (const Column& column : columns) text += "," + column.cells[i];
    text += "\n";
  }
  return text + "```\n";
}

std::string SizesOf(const Verdict& verdict) {
  std::string sizes;
  for (const VerdictSize& size : verdict.sizes) {
    if (size.names.empty()) continue;
    sizes += (sizes.empty() ? "" : ", ") + size.names[0] + " = " + std::to_string(size.value);
  }
  return sizes;
}

}  // namespace

std::string FigureLines(const Verdict& verdict, SentenceWriter* writer) {
  std::vector<VerdictLaunch> launches;
  for (const VerdictLaunch& launch : verdict.launches) {
    if (IsKnown(verdict, launch)) launches.push_back(launch);
  }
  if (launches.empty()) return "";
  enum Layout { kLines, kNested, kSentences, kTable, kPrinted };
  // A single kernel does not get a table with a column per kernel, and many kernels do not get a
  // nested list.
  const auto layout = static_cast<Layout>(writer->Index(5));
  const std::string sizes = SizesOf(verdict);
  if (layout == kTable) {
    const bool down = launches.size() > 1 && writer->OneIn(2);
    const std::string run = sizes.empty() ? "" : "Sizes of the run: " + sizes + "\n\n";
    return run + TableOf(launches, ColumnsOf(verdict, launches), down);
  }
  if (layout == kPrinted) return PrintedBy(launches, ColumnsOf(verdict, launches), sizes);
  const FigureWords words(writer);
  const std::string between = writer->Choose("[, |; ]");
  const bool shuffled = writer->OneIn(2);
  std::string text;
  for (const VerdictLaunch& launch : launches) {
    std::vector<std::string> phrases = PhrasesOf(verdict, launch, words);
    if (shuffled) writer->Shuffle(&phrases);
    text += (layout == kSentences ? "`" : "- `") + launch.kernel + "`:";
    for (const std::string& phrase : phrases) {
      const bool first = &phrase == &phrases.front();
      text += (layout == kNested ? "\n  - " : first ? " " : between) + phrase;
    }
    text += layout == kSentences ? ".\n\n" : "\n";
  }
  while (text.ends_with("\n\n")) text.pop_back();
  if (sizes.empty()) return text;
  if (layout == kSentences) {
    return text + "\nThese figures are of a run with " + sizes + ".\n";
  }
  return text + "- sizes of the run: " + sizes + "\n";
}

}  // namespace kernelmill
