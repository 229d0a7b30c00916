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

// The sectors of the widest coalesced request: 32 lanes that load 16 adjacent bytes each.
constexpr std::int64_t kMostOfNeighbours = 16;

// The quotient with one decimal: "4.0".
std::string PerOne(std::int64_t part, std::int64_t whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

// The name without template arguments: "scale" of "scale<float, 4>".
std::string_view PlainName(std::string_view kernel) { return kernel.substr(0, kernel.find('<')); }

std::string OnRegisters(const VerdictLaunch& launch, const VerdictDeviceKernel& device,
                        SentenceWriter* writer) {
  const SentenceValues values = {{"kernel", launch.kernel},
                                 {"registers", std::to_string(device.registers)},
                                 {"bytes", std::to_string(device.spills)}};
  if (device.spills > 0) {
    return writer->Say(
        {"`{kernel}` takes {registers} registers a thread and still spills {bytes} "
         "bytes to local memory.",
         "[Even {registers} registers|{registers} registers a thread] are not enough "
         "for `{kernel}`: {bytes} bytes [are spilled|go to local memory].",
         "`{kernel}` has {registers} registers a thread, with {bytes} bytes of spills "
         "that cost traffic of their own."},
        values);
  }
  return writer->Say(
      {"`{kernel}` [takes|needs|uses|gets by with] {registers} registers a thread[ and spills "
       "nothing|, without spills|; there are no spills|].",
       "A thread of `{kernel}` [needs|occupies|holds|has] {registers} registers[, none of them "
       "spilled|].",
       "The compiler gives `{kernel}` {registers} registers a thread[ and spills none|].",
       "[At|With] {registers} registers a thread, `{kernel}` [spills nothing|has no spills]."},
      values);
}

std::string OnOccupancy(const Verdict& verdict, const VerdictLaunch& launch,
                        SentenceWriter* writer) {
  return writer->Say(
      {"[With|At] {threads} threads a block [that allows|this leaves|it comes to] {percent} % "
       "occupancy[ on {arch}|].",
       "Blocks of {threads} threads [reach|get to|fill] {percent} % of the warps that {arch} [can "
       "hold|has room for].",
       "Occupancy is {percent} % on {arch}[ for blocks of {threads} threads|].",
       "{arch} [holds|keeps] {percent} % of its warps busy[ with blocks of {threads} threads|].",
       "{threads} threads a block [make|give|allow] {percent} % occupancy[ on {arch}|]."},
      {{"threads", std::to_string(launch.threads)},
       {"percent", Percent(*launch.occupancy)},
       {"arch", verdict.device.architecture}});
}

std::string OnLoads(const VerdictCounts& counts, SentenceWriter* writer) {
  std::string text = writer->Say(
      {"A load request [touches|fetches|needs] {ratio} sectors on average ({sectors} [sectors "
       "for|over] {requests}[ requests|]).",
       "{requests} load requests [fetch|touch|bring in] {sectors} sectors[, {ratio} for each|: "
       "{ratio} each|].",
       "[Loads|Reading]: {sectors} sectors [over|for|in] {requests} requests[, so {ratio} for "
       "one|].",
       "[It reads|Reading takes] {sectors} sectors by {requests} requests[, {ratio} [a request|"
       "apiece]|].",
       "{ratio} sectors a load request[ ({requests} requests)|, {sectors} in all]."},
      {{"ratio", PerOne(counts.global_load_sectors, counts.global_load_requests)},
       {"sectors", CountText(counts.global_load_sectors)},
       {"requests", CountText(counts.global_load_requests)}});
  if (counts.global_load_sectors > kMostOfNeighbours * counts.global_load_requests) {
    text +=
        " " + writer->Say({"[That many|So many] sectors mean that lanes reach for addresses far "
                           "apart.",
                           "Neighbouring lanes do not read neighbouring addresses[ here|].",
                           "[Such|These] loads are not coalesced.",
                           "[Coalesced|Neighbouring] accesses would need fewer."});
  }
  return text;
}

std::string OnStores(const VerdictCounts& counts, SentenceWriter* writer) {
  return writer->Say(
      {"Stores [need|touch|take] {ratio}[ sectors|] a request.",
       "{sectors} sectors are written by {requests} requests[, {ratio} each|].",
       "[Writing|Stores]: {requests} requests, {sectors} sectors[ ({ratio} each)|].",
       "[To write|For its stores] it [takes|needs] {requests} requests and {sectors} "
       "sectors."},
      {{"ratio", PerOne(counts.global_store_sectors, counts.global_store_requests)},
       {"sectors", CountText(counts.global_store_sectors)},
       {"requests", CountText(counts.global_store_requests)}});
}

std::string OnBanks(const VerdictCounts& counts, SentenceWriter* writer) {
  const SentenceValues values = {{"conflicts", CountText(counts.bank_conflicts)},
                                 {"loads", CountText(counts.shared_load_requests)},
                                 {"stores", CountText(counts.shared_store_requests)}};
  if (counts.bank_conflicts == 0) {
    return writer->Say(
        {"Shared memory is [used|read and written] without bank conflicts.",
         "No two lanes [fight over|meet in] a bank of shared memory.",
         "[In|Among] {loads} loads from shared memory and {stores} stores to it there "
         "[is no bank conflict|are no bank conflicts].",
         "There are no bank conflicts[ in {loads} loads and {stores} stores|]."},
        values);
  }
  return writer->Say(
      {"Shared memory loses {conflicts} passes to bank conflicts.",
       "{conflicts} passes through shared memory are repeats[, because words share a bank|].",
       "Bank conflicts add {conflicts} passes[ to {loads} loads and {stores} stores|]."},
      values);
}

std::string OnAtomics(const VerdictCounts& counts, SentenceWriter* writer) {
  return writer->Say({"{atomics} atomic operations serialise where addresses coincide.",
                      "It also issues {atomics} atomics.",
                      "[Atomics|Atomic operations]: {atomics}[, in turn where addresses meet|]."},
                     {{"atomics", CountText(counts.global_atomics + counts.shared_atomics)}});
}

std::string OnLanes(double lanes, SentenceWriter* writer) {
  char number[16];
  std::snprintf(number, sizeof number, "%.1f", lanes);
  return writer->Say({"On average {lanes} lanes [take part|are active] in a request.",
                      "Of a warp {lanes} lanes are [active|at work] in a request.",
                      "[Active|Working] lanes a request: {lanes}.",
                      "[A request|Each request] serves {lanes} lanes.",
                      "{lanes} lanes [share|ask in] a request[ on average|].",
                      "[Lanes|Active lanes]: {lanes} [a request|on average|of a warp].",
                      "[Requests|Warps] come with {lanes} lanes[ each|].",
                      "[The mean|An average] request has {lanes} lanes[ behind it|].",
                      "{lanes} of the lanes [do something|have work][ per request|]."},
                     {{"lanes", number}});
}

}  // namespace

const VerdictDeviceKernel* DeviceFiguresOf(const Verdict& verdict, const std::string& kernel) {
  if (verdict.device.renamed) return nullptr;
  for (const VerdictDeviceKernel& item : verdict.device.kernels) {
    if (PlainName(item.kernel) == PlainName(kernel)) return &item;
  }
  return nullptr;
}

std::string FiguresText(const Candidate& answer, const Wording& wording) {
  SentenceWriter writer(wording, "figures");
  std::string text;
  constexpr std::size_t kMostLaunches = 2, kMostSentences = 4;  // The question has all figures.
  std::size_t told = 0;
  for (const VerdictLaunch& launch : answer.verdict.launches) {
    if (told++ == kMostLaunches) break;
    std::vector<std::string> sentences;
    const auto* device = DeviceFiguresOf(answer.verdict, launch.kernel);
    const bool named = device != nullptr;
    if (named) sentences.push_back(OnRegisters(launch, *device, &writer));
    if (launch.occupancy && launch.threads > 0 && !answer.verdict.device.renamed) {
      sentences.push_back(OnOccupancy(answer.verdict, launch, &writer));
    }
    if (launch.counts) {
      const VerdictCounts& counts = *launch.counts;
      if (counts.global_load_requests > 0) sentences.push_back(OnLoads(counts, &writer));
      if (counts.global_store_requests > 0) sentences.push_back(OnStores(counts, &writer));
      if (counts.shared_load_requests + counts.shared_store_requests > 0) {
        sentences.push_back(OnBanks(counts, &writer));
      }
      if (counts.global_atomics + counts.shared_atomics > 0) {
        sentences.push_back(OnAtomics(counts, &writer));
      }
      const auto lanes = counts.LanesOfRequest();
      if (lanes && writer.OneIn(3)) sentences.push_back(OnLanes(*lanes, &writer));
    }
    // The question has all figures, so a selection is enough here.
    while (sentences.size() > kMostSentences) {
      const std::size_t first = named ? 1 : 0;
      sentences.erase(sentences.begin() +
                      static_cast<std::ptrdiff_t>(first + writer.Index(sentences.size() - first)));
    }
    if (sentences.empty()) continue;
    std::string paragraph = named ? "" : "`" + launch.kernel + "`:";
    for (const std::string& sentence : sentences) {
      paragraph += (paragraph.empty() ? "" : " ") + sentence;
    }
    text += (text.empty() ? "" : "\n\n") + paragraph;
  }
  return text;
}

CountedWork CountedWorkOf(const Verdict& verdict) {
  CountedWork work;
  work.all_counted = !verdict.launches.empty();
  for (const VerdictLaunch& launch : verdict.launches) {
    work.launches += launch.count;
    if (!launch.counts) {
      work.all_counted = false;
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
  return after.all_counted && before.all_counted && no_worse && much_less &&
         after.threads >= before.threads / kFewestThreads;
}

}  // namespace kernelmill
