#include "generators/reasoning/run_figures.h"

#include <cstdio>

#include "generators/reasoning/reasoning_steps.h"

namespace kernelmill {
namespace {

std::string Percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f", share * 100);
  return text;
}

// Sectors that 32 lanes touch which load 16 bytes each, side by side: the widest access.
constexpr std::int64_t kMostOfNeighbours = 16;

// "4.0" of `part` for each of `whole`.
std::string PerOne(std::int64_t part, std::int64_t whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

// Of "scale<float, 4>": "scale".
std::string_view PlainName(std::string_view kernel) { return kernel.substr(0, kernel.find('<')); }

// Nothing of MUSA's kernels: CUDA's compiler saw them.
const VerdictDeviceKernel* FindDeviceKernel(const Verdict& verdict, const std::string& kernel) {
  if (verdict.device.renamed) return nullptr;
  for (const VerdictDeviceKernel& item : verdict.device.kernels) {
    if (PlainName(item.kernel) == PlainName(kernel)) return &item;
  }
  return nullptr;
}

}  // namespace

std::string FigureLines(const Verdict& verdict) {
  std::string text;
  for (const VerdictLaunch& launch : verdict.launches) {
    std::vector<std::string> parts;
    if (const auto* device = FindDeviceKernel(verdict, launch.kernel)) {
      parts.push_back(std::to_string(device->registers) + " registers a thread");
      if (device->spills > 0) parts.push_back(std::to_string(device->spills) + " bytes spilled");
      if (device->shared > 0) parts.push_back(std::to_string(device->shared) + " bytes shared");
    }
    if (launch.threads > 0) parts.push_back(std::to_string(launch.threads) + " threads a block");
    if (launch.occupancy && !verdict.device.renamed) {
      parts.push_back("occupancy " + Percent(*launch.occupancy) + " % on " +
                      verdict.device.architecture);
    }
    if (launch.counts) {
      for (const auto& [name, field] : AllVerdictCounts()) {
        const std::int64_t count = (*launch.counts).*field;
        if (count == 0) continue;
        std::string words(name);
        for (char& c : words) c = c == '_' ? ' ' : c;
        parts.push_back(words + " " + CountText(count));
      }
    }
    if (parts.empty()) continue;
    std::string line;
    for (const std::string& part : parts) line += (line.empty() ? "" : ", ") + part;
    text += "- `" + launch.kernel + "`: " + line + "\n";
  }
  std::string sizes;
  for (const VerdictSize& size : verdict.sizes) {
    if (size.names.empty()) continue;
    sizes += (sizes.empty() ? "" : ", ") + size.names[0] + " = " + std::to_string(size.value);
  }
  if (!text.empty() && !sizes.empty()) text += "- run with " + sizes + "\n";
  return text;
}

std::string ReadFigures(const Candidate& answer, const Wording& wording) {
  Voice voice(wording, "figures");
  std::string text;
  constexpr std::size_t kMostLaunches = 2;  // The others stand in the question.
  std::size_t told = 0;
  for (const VerdictLaunch& launch : answer.verdict.launches) {
    if (told++ == kMostLaunches) break;
    std::string paragraph;
    const auto add = [&](const std::string& sentence) {
      paragraph += (paragraph.empty() ? "" : " ") + sentence;
    };
    const auto* device = FindDeviceKernel(answer.verdict, launch.kernel);
    if (device != nullptr) {
      add(voice.Say({"`{kernel}` takes {registers} registers a thread",
                     "A thread of `{kernel}` [needs|occupies|holds] {registers} registers",
                     "The compiler gives `{kernel}` {registers} registers a thread"},
                    {{"kernel", launch.kernel}, {"registers", std::to_string(device->registers)}}) +
          (device->spills > 0
               ? voice.Say({" and still spills {bytes} bytes to local memory.",
                            ", with {bytes} bytes of spills that cost traffic of their own."},
                           {{"bytes", std::to_string(device->spills)}})
               : voice.Say({"[ and|, and it] spills nothing.", " without spills.",
                            "; there are no spills."})));
    }
    if (launch.occupancy && launch.threads > 0 && !answer.verdict.device.renamed) {
      add(voice.Say({"With {threads} threads a block [that allows|this leaves] {percent} % "
                     "occupancy on {arch}.",
                     "Blocks of {threads} threads [reach|get to] {percent} % of the warps that "
                     "{arch} can hold.",
                     "Occupancy is {percent} % on {arch} for blocks of {threads} threads."},
                    {{"threads", std::to_string(launch.threads)},
                     {"percent", Percent(*launch.occupancy)},
                     {"arch", answer.verdict.device.architecture}}));
    }
    if (launch.counts) {
      const VerdictCounts& counts = *launch.counts;
      if (counts.global_load_requests > 0) {
        add(voice.Say({"A load request touches {ratio} sectors on average ({sectors} sectors for "
                       "{requests} requests).",
                       "{requests} load requests fetch {sectors} sectors, {ratio} for each.",
                       "Loads: {sectors} sectors over {requests} requests, so {ratio} for one."},
                      {{"ratio", PerOne(counts.global_load_sectors, counts.global_load_requests)},
                       {"sectors", CountText(counts.global_load_sectors)},
                       {"requests", CountText(counts.global_load_requests)}}));
        if (counts.global_load_sectors > kMostOfNeighbours * counts.global_load_requests) {
          add(voice.Say({"That many sectors mean that lanes reach for addresses far apart.",
                         "Neighbouring lanes do not read neighbouring addresses[ here|].",
                         "Such loads are not coalesced."}));
        }
      }
      if (counts.global_store_requests > 0) {
        add(voice.Say({"Stores need {ratio} sectors a request.", "Stores touch {ratio} a request.",
                       "{sectors} sectors are written by {requests} requests, {ratio} each."},
                      {{"ratio", PerOne(counts.global_store_sectors, counts.global_store_requests)},
                       {"sectors", CountText(counts.global_store_sectors)},
                       {"requests", CountText(counts.global_store_requests)}}));
      }
      if (counts.shared_load_requests + counts.shared_store_requests > 0) {
        add(counts.bank_conflicts == 0
                ? voice.Say({"Shared memory is used without bank conflicts.",
                             "No two lanes [fight over|meet in] a bank of shared memory.",
                             "There are no bank conflicts."})
                : voice.Say({"Shared memory loses {conflicts} passes to bank conflicts.",
                             "{conflicts} passes through shared memory are repeats, because words "
                             "share a bank.",
                             "Bank conflicts add {conflicts} passes."},
                            {{"conflicts", CountText(counts.bank_conflicts)}}));
      }
      if (counts.global_atomics + counts.shared_atomics > 0) {
        add(voice.Say({"{atomics} atomic operations serialise where addresses coincide.",
                       "It also issues {atomics} atomics."},
                      {{"atomics", CountText(counts.global_atomics + counts.shared_atomics)}}));
      }
      if (const auto lanes = counts.LanesOfRequest()) {
        char number[16];
        std::snprintf(number, sizeof number, "%.1f", *lanes);
        add(voice.Say({"On average {lanes} lanes take part in a request.",
                       "Of a warp {lanes} lanes are active in a request."},
                      {{"lanes", number}}));
      }
    }
    if (!paragraph.empty()) text += (text.empty() ? "" : "\n\n") + paragraph;
  }
  return text;
}

CountedWork CountedIn(const Verdict& verdict) {
  CountedWork work;
  work.whole = !verdict.launches.empty();
  for (const VerdictLaunch& launch : verdict.launches) {
    work.launches += launch.count;
    if (!launch.counts) {
      work.whole = false;
      continue;
    }
    const VerdictCounts& counts = *launch.counts;
    work.threads += counts.threads;
    work.requests += counts.global_load_requests + counts.global_store_requests;
    work.sectors += counts.global_load_sectors + counts.global_store_sectors;
    work.bank_conflicts += counts.bank_conflicts;
    work.atomics += counts.global_atomics + counts.shared_atomics;
  }
  return work;
}

bool IsStrictlyBetter(const CountedWork& after, const CountedWork& before) {
  constexpr std::int64_t kFewestThreads = 8;
  const auto fewer = [](std::int64_t is, std::int64_t was) { return was - is >= (was + 9) / 10; };
  const bool no_worse = after.launches <= before.launches && after.requests <= before.requests &&
                        after.sectors <= before.sectors &&
                        after.bank_conflicts <= before.bank_conflicts &&
                        after.atomics <= before.atomics;
  const bool much_less =
      (before.sectors > 0 && fewer(after.sectors, before.sectors)) ||
      fewer(after.launches, before.launches) ||
      (before.requests > 0 && fewer(after.requests, before.requests)) ||
      (before.bank_conflicts > 0 && fewer(after.bank_conflicts, before.bank_conflicts));
  return after.whole && before.whole && no_worse && much_less &&
         after.threads >= before.threads / kFewestThreads;
}

}  // namespace kernelmill
