#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <regex>

#include "generators/kernel_prose/kernel_prose.h"
#include "generators/kernel_prose/shared_reuse.h"
#include "generators/wording/sentence_writer.h"

namespace kernelmill {
namespace {

// What a call does, as a clause whose subject is the call.
std::string_view MeaningOf(std::string_view callee) {
  static const std::map<std::string_view, std::string_view> kMeanings = {
      {"__syncthreads_or",
       "is a block-wide barrier that also tells every thread whether the predicate was non-zero "
       "for any thread of the block"},
      {"__syncthreads_and",
       "is a block-wide barrier that also tells every thread whether the predicate was non-zero "
       "for all threads of the block"},
      {"__syncthreads_count",
       "is a block-wide barrier that also returns the number of threads whose predicate was "
       "non-zero"},
      {"__syncwarp",
       "waits for the lanes of the warp that its mask names and orders their memory accesses"},
      {"__threadfence",
       "makes the writes that the thread made before it visible to the whole device before its "
       "later writes; it does not wait for other threads"},
      {"__threadfence_block",
       "makes the writes that the thread made before it visible to its block before its later "
       "writes; it does not wait for other threads"},
      {"__shfl_sync", "reads a register of another lane of the warp without shared memory"},
      {"__shfl_down_sync",
       "gives each lane the value of the lane a fixed distance above it; when the distance is "
       "halved step by step, lane 0 ends up with the reduction over the warp"},
      {"__shfl_up_sync",
       "gives each lane the value of the lane a fixed distance below it, which is the step of a "
       "prefix sum over the warp"},
      {"__shfl_xor_sync",
       "exchanges values between lanes whose numbers differ by an XOR mask; after all masks every "
       "lane holds the reduction over the warp"},
      {"__ballot_sync", "gives all lanes a mask with one bit of each lane"},
      {"__any_sync", "tells every lane whether the predicate holds in any lane"},
      {"__all_sync", "tells every lane whether the predicate holds in all lanes"},
      {".any", "tells every thread of the group whether the predicate holds in any of them"},
      {".all", "tells every thread of the group whether the predicate holds in all of them"},
      {".ballot", "gives all threads of the group a mask with one bit of each thread"},
      {".shfl", "reads a register of another thread of the group"},
      {"atomicMax", "keeps the larger of the stored and the new value as one indivisible step"},
      {"atomicMin", "keeps the smaller of the stored and the new value as one indivisible step"},
      {"atomicCAS",
       "stores the new value only if the address still holds the expected one, and returns the "
       "old value"},
      {"atomicExch", "stores a value and returns the old one as one indivisible step"},
  };
  const auto found = kMeanings.find(callee);
  return found == kMeanings.end() ? std::string_view() : found->second;
}

std::string NameOf(const KernelCall& call) {
  const std::string name = call.name.starts_with('.') ? call.name.substr(1) : call.name;
  return Quoted(call.first_call.empty() ? name : call.first_call);
}

// The sizes of an array declared with numbers, `float tile[32][33]`, and the size of its elements
// in bytes when its type is known to have four.
std::optional<std::vector<std::int64_t>> SizesOfWords(const std::string& declaration) {
  static const std::regex kWords(
      R"(__shared__ (float|int|unsigned|uint32_t|int32_t) \w+(\[\d+\])+)");
  if (!std::regex_match(declaration, kWords)) return std::nullopt;
  std::vector<std::int64_t> sizes;
  for (std::size_t at = declaration.find('['); at != declaration.npos;
       at = declaration.find('[', at + 1)) {
    sizes.push_back(std::atoll(declaration.c_str() + at + 1));
  }
  return sizes;
}

// A sentence on bank conflicts of an access to a two-dimensional shared array.
std::string BankSentence(const KernelSubject& subject, const SharedArray& array,
                         const MemoryAccess& access) {
  constexpr std::int64_t kBanks = 32;
  const auto sizes = SizesOfWords(array.text);
  static const std::regex kTwo(R"(\w+\[([^\]]*)\]\[([^\]]*)\])");
  std::smatch parts;
  if (!sizes || sizes->size() != 2 || !std::regex_match(access.text, parts, kTwo)) return "";
  const auto number = [&](const std::string& text) -> std::optional<std::int64_t> {
    const LaneStride stride = subject.Strides().Of(text);
    if (stride.kind == LaneStride::Kind::kUniform) return 0;
    return stride.Number();
  };
  const auto row = number(parts[1]), column = number(parts[2]);
  if (!row || !column || *row == 0) return "";
  const std::int64_t stride = *row * (*sizes)[1] + *column;
  const std::int64_t ways = std::gcd(std::abs(stride), kBanks);
  const std::string how = "In `" + access.text + "` neighbouring threads are " +
                          std::to_string(std::abs(stride)) + " words apart. ";
  if (ways == 1) {
    return how +
           "This distance is odd, so the 32 lanes of a warp use 32 different banks and there is no "
           "bank conflict" +
           ((*sizes)[1] % kBanks == 1 ? "; without the extra column all lanes would use one bank"
                                      : "") +
           ".";
  }
  return how + "This distance shares the factor " + std::to_string(ways) +
         " with the 32 banks, so for blocks whose width is a multiple of 32 the access is a " +
         std::to_string(ways) + "-way bank conflict.";
}

// The pointers into the array that the kernel declares, in source order, the array first.
std::vector<std::string> PointersInto(const KernelSubject& subject, const std::string& array) {
  static const std::regex kDeclared(R"([\w>] ?\* ?(?:const )?(\w+) = ([^;]+);)");
  std::vector<std::string> names = {array};
  const std::string& body = subject.body;
  for (std::sregex_iterator at(body.begin(), body.end(), kDeclared), end; at != end; ++at) {
    const std::string from = (*at)[2];
    const bool into = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return std::regex_search(from, std::regex("\\b" + name + "\\b"));
    });
    if (into) names.push_back((*at)[1]);
  }
  return names;
}

// What threads write through a pointer into dynamic shared memory, and read after a barrier.
std::string DynamicSentence(const KernelSubject& subject, const SharedArray& array) {
  std::vector<std::string> pointers = PointersInto(subject, array.name);
  const std::string& body = subject.body;
  std::string text;
  if (pointers.size() > 1) {
    const std::vector<std::string> declared(pointers.begin() + 1, pointers.end());
    text = " " + QuotedList(declared) + (declared.size() == 1 ? " points" : " point") + " into it.";
  }
  for (const std::string& pointer : pointers) {
    std::smatch store;
    if (!std::regex_search(body, store, std::regex("\\b(" + pointer + R"(\[[^\]]*\]) = )")))
      continue;
    const std::string after = store.suffix().str();
    for (const KernelCall& barrier : subject.facts.barriers) {
      const bool block = barrier.name == "__syncthreads" || barrier.name == ".sync";
      const std::size_t at =
          block && !barrier.first_call.empty() ? after.find(barrier.first_call) : after.npos;
      std::smatch load;
      const std::string later = at == after.npos ? "" : after.substr(at);
      if (later.empty() ||
          !std::regex_search(later, load, std::regex("\\b" + pointer + R"(\[[^\]]*\])"))) {
        continue;
      }
      return text + " The threads write `" + store[1].str() + "`, wait at " + NameOf(barrier) +
             " and then read `" + load[0].str() +
             "`. Without the barrier a thread could read an element that another thread has not "
             "written yet.";
    }
  }
  return text;
}

// What is gained where all lanes read one element that came from global memory.
std::string BroadcastSentence(const KernelSubject& subject, const MemoryAccess& store,
                              const MemoryAccess& load) {
  const std::size_t open = load.text.find('[');
  if (open == load.text.npos || load.text.find('[', open + 1) != load.text.npos) return "";
  const std::string index = load.text.substr(open + 1, load.text.size() - open - 2);
  if (subject.Strides().Of(index).kind != LaneStride::Kind::kUniform) return "";
  const std::string statement = StatementWith(subject, store);
  for (const KernelParameter& parameter : subject.facts.parameters) {
    if (!parameter.pointer || statement.find("= " + parameter.name + "[") == statement.npos) {
      continue;
    }
    return " In `" + load.text +
           "` all lanes of a warp read the same element, which is a broadcast without bank "
           "conflicts; so a block loads each element of " +
           Quoted(parameter.name) +
           " that it needs once from global memory, and not once for every thread.";
  }
  return "";
}

std::string SharedSentence(const KernelSubject& subject, const SharedArray& array) {
  const KernelFacts& facts = subject.facts;
  std::string text = "`" + array.text +
                     "` is shared memory: each block has one copy, which all of "
                     "its threads can access.";
  if (array.dynamic) {
    text = "`" + array.text +
           "` is dynamic shared memory, of which each block has one copy; its size in bytes is the "
           "third launch argument." +
           DynamicSentence(subject, array);
  }
  const auto of_array = [&](const MemoryAccess& access) {
    return access.shared && access.array == array.name;
  };
  const auto store = std::find_if(facts.stores.begin(), facts.stores.end(), of_array);
  const auto load = std::find_if(facts.loads.begin(), facts.loads.end(), of_array);
  if (store == facts.stores.end() || load == facts.loads.end()) return text;
  for (const KernelCall& barrier : facts.barriers) {
    const bool block = barrier.name == "__syncthreads" || barrier.name == ".sync";
    if (!block || barrier.line <= store->line || barrier.line >= load->line) continue;
    std::vector<std::string> reads;
    for (const MemoryAccess& read : facts.loads) {
      const bool told = std::find(reads.begin(), reads.end(), read.text) != reads.end();
      if (of_array(read) && read.line > barrier.line && !told && reads.size() < 2)
        reads.push_back(read.text);
    }
    text += " The threads write `" + store->text + "`, wait at " + NameOf(barrier) +
            " and then read " + QuotedList(reads) +
            ". Without the barrier a thread could read an element that another thread has not "
            "written yet.";
    if (barrier.in_loops > 1) {
      text +=
          " The loop has another barrier, which keeps the next iteration from overwriting "
          "values that are still being read.";
    }
    break;
  }
  text += BroadcastSentence(subject, *store, *load);
  const SharedReuse reuse = ReuseOf(subject, array.name);
  if (reuse.kind == SharedReuse::Kind::kUnordered) {
    text += " A barrier is missing between the read of `" + reuse.read +
            "` and the next write of `" + reuse.written +
            "`: a fast warp can overwrite an element that a slower warp has not read yet. A "
            "`__syncthreads()` before the second write removes this race, and so does a second "
            "array.";
  } else if (reuse.kind == SharedReuse::Kind::kOrdered) {
    text +=
        " The array is written again later; a barrier between the reads and that write keeps "
        "it from overwriting elements that other threads still have to read.";
  }
  for (const auto* list : {&facts.stores, &facts.loads}) {
    for (const MemoryAccess& access : *list) {
      if (!of_array(access)) continue;
      const std::string banks = BankSentence(subject, array, access);
      if (!banks.empty()) return text + " " + banks;
    }
  }
  return text;
}

}  // namespace

bool KnowsSharedOrder(const KernelSubject& subject) {
  return std::all_of(subject.facts.shared.begin(), subject.facts.shared.end(),
                     [&](const SharedArray& array) {
                       return ReuseOf(subject, array.name).kind != SharedReuse::Kind::kUnknown;
                     });
}

std::string ExchangeProse(const KernelSubject& subject) {
  const KernelFacts& facts = subject.facts;
  std::string text;
  for (const SharedArray& array : facts.shared) {
    const bool storage = array.text.find("TempStorage") != array.text.npos;
    if (!array.text.empty() && !storage) Append(&text, SharedSentence(subject, array));
  }
  if (!text.empty()) Append(&text, ConstantLimits(subject));
  for (const auto* calls : {&facts.barriers, &facts.warp_calls, &facts.atomics}) {
    for (const KernelCall& call : *calls) {
      const std::string_view meaning = MeaningOf(call.name);
      if (!meaning.empty()) Append(&text, NameOf(call) + " " + std::string(meaning) + ".");
    }
  }
  for (const KernelCall& call : facts.atomics) {
    if (call.name != "atomicAdd" && call.name != "gpuAtomicAdd") continue;
    Append(&text, NameOf(call) +
                      " adds as one indivisible step, so no addition is lost when several threads "
                      "update the same address.");
    break;
  }
  return text;
}

}  // namespace kernelmill
