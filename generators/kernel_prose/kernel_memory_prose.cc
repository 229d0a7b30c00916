#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "generators/kernel_prose/kernel_prose.h"
#include "parsers/cuda_body_facts.h"

namespace kernelmill {
namespace {

constexpr std::size_t kMostArrays = 3, kMostStatements = 2;

bool IsPlain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.';
  });
}

// The parts of x[a * b + c], each of them a plain name or number.
struct RowMajor {
  std::string row, size, column;
};

std::optional<RowMajor> RowMajorOf(const std::string& text) {
  const auto open = text.find('[');
  const auto star = text.find(" * ");
  const auto plus = text.find(" + ");
  if (open == std::string::npos || star == std::string::npos || plus == std::string::npos ||
      star > plus || !text.ends_with(']')) {
    return std::nullopt;
  }
  RowMajor parts{text.substr(open + 1, star - open - 1), text.substr(star + 3, plus - star - 3),
                 text.substr(plus + 3, text.size() - plus - 4)};
  if (!IsPlain(parts.row) || !IsPlain(parts.size) || !IsPlain(parts.column)) return std::nullopt;
  // x[i * 3 + 1] selects a member of a small group and not a column.
  if (std::isdigit(static_cast<unsigned char>(parts.column[0]))) return std::nullopt;
  return parts;
}

// Whether the subscript is exactly the global thread index along x: x[i].
bool IsGlobalIndex(const KernelFacts& facts, const MemoryAccess& access) {
  const auto assigned = [&](const ThreadIndex& index) {
    return access.text == access.array + "[" + index.name + "]";
  };
  const auto count = std::count_if(facts.indices.begin(), facts.indices.end(), assigned);
  const auto at = std::find_if(facts.indices.begin(), facts.indices.end(), assigned);
  return count == 1 && at->kind == ThreadIndex::Kind::kGlobal && at->dimension == 'x';
}

// The access with its line, and the number of further accesses to the array: "`x[i]` (line 7)".
std::string PlaceProse(const KernelSubject& subject, const MemoryAccess& first, std::size_t times) {
  const std::string code = Quoted(first.text), line = std::to_string(first.line);
  if (times == 1) return code + " (line " + line + ")";
  return subject.Say("places of " + first.array,
                     {"{code} (line {line}) and {more} more of `{array}`",
                      "`{array}` {times} times, first {code} (line {line})",
                      "{code} (line {line}, the first of {times} into that array)",
                      "{times} [places|elements] of `{array}` from {code} (line {line}) on"},
                     {{"code", code},
                      {"line", line},
                      {"array", first.array},
                      {"times", std::to_string(times)},
                      {"more", std::to_string(times - 1)}});
}

// The accesses grouped by array, at most the first few arrays.
std::string Accesses(const KernelSubject& subject, const std::vector<MemoryAccess>& accesses,
                     bool stores) {
  std::vector<std::pair<const MemoryAccess*, std::size_t>> arrays;
  for (const MemoryAccess& access : accesses) {
    if (access.shared) continue;
    const auto known = std::find_if(arrays.begin(), arrays.end(), [&](const auto& array) {
      return array.first->array == access.array;
    });
    if (known == arrays.end()) {
      arrays.emplace_back(&access, 1);
    } else {
      ++known->second;
    }
  }
  if (arrays.empty()) return "";
  std::vector<std::string> items;
  for (const auto& [first, times] : arrays) {
    if (items.size() == kMostArrays) break;
    items.push_back(PlaceProse(subject, *first, times));
  }
  if (arrays.size() == kMostArrays + 1) {
    items.push_back("`" + arrays.back().first->array + "`");
  } else if (arrays.size() > kMostArrays) {
    items.push_back(std::to_string(arrays.size() - kMostArrays) + " other arrays");
  }
  const SentenceVariants written = {"Results go to {list}.", "It writes {list}.",
                                    "The stores are to {list}.", "[Written|Stored|Stores]: {list}.",
                                    "[What comes out is|Results are] written to {list}.",
                                    "A thread [leaves its results in|writes to] {list}."};
  const SentenceVariants read = {"It reads {list}.", "[Input comes from|Data comes from] {list}.",
                                 "The loads are from {list}.", "[Read|Loaded|Loads]: {list}.",
                                 "A thread [reads|fetches|loads] {list}.",
                                 "[Reading|Its reading] begins with {list}."};
  return subject.Say(stores ? "stores" : "loads", stores ? written : read,
                     {{"list", Listed(items)}});
}

void Append(std::string* text, const std::string& sentence) {
  if (sentence.empty()) return;
  if (!text->empty()) *text += ' ';
  *text += sentence;
}

// How far apart the addresses of neighbouring threads are, when the subscript shows it.
std::string AddressProse(const KernelSubject& subject) {
  std::string text;
  std::vector<const MemoryAccess*> all;
  for (const MemoryAccess& access : subject.facts.loads) all.push_back(&access);
  for (const MemoryAccess& access : subject.facts.stores) all.push_back(&access);
  bool direct = false, rows = false;
  for (const MemoryAccess* access : all) {
    if (access->shared) continue;
    if (!direct && IsGlobalIndex(subject.facts, *access)) {
      direct = true;
      Append(&text, subject.Say(
                             "coalesced",
                             {"`{text}` takes the global index as it is, so consecutive threads "
                              "touch consecutive elements[ and a warp's accesses fall into few "
                              "memory transactions|].",
                              "Because the subscript of `{text}` is the global index itself, the "
                              "accesses of a warp are contiguous: coalesced.",
                              "In `{text}` thread and element have the same number; the lanes of "
                              "a warp read or write side by side."},
                         {{"text", access->text}}));
    }
    if (rows) continue;
    if (const auto parts = RowMajorOf(access->text)) {
      rows = true;
      Append(&text, subject.Say(
                             "row major",
                             {"`{text}` is an address in row-major order: `{row}` rows of `{size}` "
                              "elements lie before it, then `{column}` elements.",
                              "The subscript of `{text}` flattens two dimensions: skip `{row}` "
                              "rows of length `{size}`, then go to position `{column}`.",
                              "For `{text}` the stride between rows is `{size}`, and `{column}` "
                              "runs fastest."},
                         {{"text", access->text},
                          {"row", parts->row},
                          {"size", parts->size},
                          {"column", parts->column}}));
    }
  }
  return text;
}

std::string WithLine(const KernelStatement& statement) {
  return Quoted(statement.text) + " (line " + std::to_string(statement.line) + ")";
}

std::string StatementList(const std::vector<KernelStatement>& statements) {
  std::vector<std::string> items;
  for (const KernelStatement& statement : statements) {
    if (items.size() == kMostStatements) {
      items.push_back(std::to_string(statements.size() - items.size()) + " more");
      break;
    }
    items.push_back(WithLine(statement));
  }
  return Listed(items);
}

// A sentence about one pointer offset, and the names of other pointers that are offset likewise.
std::string OffsetProse(const KernelSubject& subject, const std::vector<KernelStatement>& offsets) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> others;
  for (const KernelStatement& offset : offsets) {
    const std::string name = "`" + offset.text.substr(0, offset.text.find(' ')) + "`";
    const bool told = offset.text.starts_with(offsets[0].text.substr(0, name.size() - 1)) ||
                      std::find(others.begin(), others.end(), name) != others.end();
    if (!told) others.push_back(name);
  }
  const std::size_t count = others.size();
  if (count > kMostNamed) others = {std::to_string(count) + " other pointers"};
  const SentenceValues values = {{"first", WithLine(offsets[0])}, {"others", Listed(others)}};
  if (others.empty()) {
    return subject.Say("offsets",
                       {"{first} moves the base to this thread's data.",
                        "Before it is used, the pointer is moved: {first}.",
                        "[With|By] {first} a thread starts at its own part.",
                        "{first} skips what belongs to other threads."},
                       values);
  }
  return subject.Say(
      "offsets",
      {"Pointers are first moved to the thread's own part: {first}[, and likewise|; so are|, "
       "also] {others}.",
       "{first} shifts the base to where this thread's data begins[; {others} move alike|, as "
       "happens to {others}].",
       "{others} [are moved|move on] [like|as in] {first}[, so that index 0 is the thread's own|].",
       "[A thread's own part|What is its own] begins behind {first}; [the same goes for|alike] "
       "{others}."},
      values);
}

std::string_view MeaningOf(std::string_view callee) {
  static const std::map<std::string_view, std::string_view> kMeanings = {
      {"__syncthreads",
       "holds every thread of the block until all have arrived, and makes what they wrote before "
       "visible to each other"},
      {"__syncthreads_or",
       "is a block barrier that also tells every thread whether the predicate "
       "was true for any of them"},
      {"__syncthreads_and",
       "is a block barrier that also tells every thread whether the predicate "
       "was true for all of them"},
      {"__syncthreads_count",
       "is a block barrier that also counts the threads for which the "
       "predicate is true"},
      {"__syncwarp", "brings the named lanes of a warp together and orders their memory accesses"},
      {".sync", "is the barrier of a cooperative group: its threads wait for each other there"},
      {"__threadfence",
       "orders the thread's own writes for all observers on the device; nobody "
       "waits"},
      {"__threadfence_block",
       "orders the thread's own writes for the threads of its block; nobody "
       "waits"},
      {"__shfl_sync", "lets a lane read a register of a chosen lane of its warp"},
      {"__shfl_down_sync",
       "hands each lane the register of the lane that stands a given distance "
       "above it: halving the distance step by step folds a warp into lane 0"},
      {"__shfl_up_sync",
       "hands each lane the register of the lane a given distance below, the "
       "step of a prefix sum"},
      {"__shfl_xor_sync",
       "exchanges registers between lanes whose numbers differ by an XOR mask; "
       "after log2(width) steps every lane holds the whole result"},
      {"__ballot_sync", "collects one bit of each lane into a mask that all of them get"},
      {"__any_sync", "tells every lane whether the predicate holds in any of them"},
      {"__all_sync", "tells every lane whether the predicate holds in all of them"},
      {".any", "tells every thread of the group whether the predicate holds in any of them"},
      {".all", "tells every thread of the group whether the predicate holds in all of them"},
      {".ballot", "collects one bit of each thread of the group into a mask that all of them get"},
      {".shfl", "lets a thread read a register of a chosen thread of its group"},
      {".shfl_down",
       "hands each thread the register of the one a given distance above it in the "
       "group"},
      {".shfl_up",
       "hands each thread the register of the one a given distance below it in the "
       "group"},
      {".shfl_xor",
       "exchanges registers between threads of the group whose ranks differ by a mask"},
      {"__activemask", "gives the mask of the lanes that happen to run together"},
      {"atomicAdd",
       "adds in one indivisible step, so no update is lost when threads meet at one "
       "address; the order is open, and with it the last bits of a floating-point sum"},
      {"gpuAtomicAdd",
       "adds in one indivisible step, whatever the element type; the order of the "
       "additions is open"},
      {"atomicMax", "keeps the larger of the old and the new value in one indivisible step"},
      {"atomicMin", "keeps the smaller of the old and the new value in one indivisible step"},
      {"atomicCAS",
       "stores only if the address still holds the expected value, and returns what "
       "it held: the building block of other atomic operations"},
      {"atomicExch", "stores a value and returns the one before in one indivisible step"},
  };
  const auto found = kMeanings.find(callee);
  return found == kMeanings.end() ? std::string_view() : found->second;
}

std::string CallProse(const KernelSubject& subject, const KernelCall& call) {
  SentenceWriter writer(subject.wording,
                        subject.row_name + " call " + call.name + std::to_string(call.line));
  const std::string name = call.name.starts_with('.') ? call.name.substr(1) : call.name;
  const std::string quoted = Quoted(call.first_call.empty() ? name : call.first_call);
  const std::string line = std::to_string(call.line);
  const std::string_view meaning = MeaningOf(call.name);
  std::string text;
  if (meaning.empty() || writer.OneIn(2)) {
    // Barriers need no explanation here.
    text = writer.Say(
        {"Line {line} [has|calls|comes to] {call}", "{call} [stands|is called] [at|in] line {line}",
         "[There is|It calls|Note] {call} [at|in] line {line}",
         "[Then|Also|Further] {call}, line {line}"},
        {{"line", line}, {"call", quoted}});
    if (call.count > 1) text += ", the first of " + std::to_string(call.count) + " such calls";
  } else {
    text = quoted + " at line " + line;
    if (call.count > 1) text += ", the first of " + std::to_string(call.count) + " such calls,";
    text += " " + std::string(meaning);
  }
  if (call.in_loops > 0) {
    text += call.count == 1 ? writer.Choose("[; it stands in a loop|, in a loop]")
                            : "; " + std::to_string(call.in_loops) + " of them stand in a loop";
  }
  return text + ".";
}

// Whether rows have one element more than there are rows: tile[32][33].
bool IsPadded(const std::string& text) {
  std::vector<long> sizes;
  for (std::size_t at = text.find('['); at != std::string::npos; at = text.find('[', at + 1)) {
    const std::string inner = text.substr(at + 1, text.find(']', at) - at - 1);
    if (inner.empty() || inner.size() > 6 ||
        !std::all_of(inner.begin(), inner.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      return false;
    }
    sizes.push_back(std::stol(inner));
  }
  return sizes.size() == 2 && sizes[1] == sizes[0] + 1;
}

}  // namespace

std::string MemoryProse(const KernelSubject& subject) {
  const KernelFacts& facts = subject.facts;
  std::string text = Accesses(subject, facts.loads, false);
  Append(&text, Accesses(subject, facts.stores, true));
  Append(&text, AddressProse(subject));
  if (!facts.offsets.empty()) Append(&text, OffsetProse(subject, facts.offsets));
  if (!facts.pointers.empty()) {
    Append(&text, subject.Say("pointers",
                               {"Further pointers lead into the arrays: {list}.",
                                "It sets up {list}.",
                                "[On the way|Before that] it [makes|derives] {list}.",
                                "[Pointers of its own|Local pointers]: {list}.",
                                "{list} [point|lead] into [the arrays|them].",
                                "[With|By] {list} it reaches [the data|its part].",
                                "A thread [keeps|has] {list}[ at hand|]."},
                               {{"list", StatementList(facts.pointers)}}));
  }
  if (!facts.vector_types.empty()) {
    std::vector<std::string> types;
    for (const std::string& type : facts.vector_types) types.push_back("`" + type + "`");
    Append(&text, subject.Say(
                           "vectors",
                           {"Casts to {list} pointers move a few elements with one "
                            "instruction[; such an address must be aligned to the type|].",
                            "Memory is also accessed as {list}[: fewer, wider transactions|, which "
                            "asks for aligned addresses].",
                            "[Wide accesses|Vector accesses]: {list}[, aligned|].",
                            "{list} [carries|takes along] neighbours in one access[, if they are "
                            "aligned|].",
                            "[Some|Part of the] data [moves|goes] as {list}.",
                            "Pointers are cast to {list}[ where that saves instructions|]."},
                       {{"list", Listed(types)}}));
  }
  for (const KernelCall& call : facts.cached_loads) {
    Append(&text, subject.Say("cached " + call.name,
                              {"{call} (line {line}) loads with an explicit cache policy.",
                               "[At|In] line {line}, {call} says how the load is cached.",
                               "{call} at line {line} [chooses|names] a cache policy."},
                              {{"call", Quoted(call.name)}, {"line", std::to_string(call.line)}}));
  }
  if (facts.unrolled > 0) {
    Append(&text,
           subject.Say("unroll",
                       {"`#pragma unroll` asks for loops to be written out[, which keeps small "
                        "arrays in registers|].",
                        "The loops under `#pragma unroll` are to be written out.",
                        "[Short loops|Inner loops|Loops] are unrolled[ by `#pragma unroll`|].",
                        "[With|By] `#pragma unroll` [loops become straight code|no loop counter is "
                        "left there]."}));
  }
  return text;
}

std::string SharedProse(const KernelSubject& subject) {
  std::string text;
  for (const SharedArray& array : subject.facts.shared) {
    if (array.text.empty()) continue;
    const std::string line = std::to_string(array.line);
    if (array.dynamic) {
      Append(&text, subject.Say(
                             "dynamic " + array.name,
                             {"`{name}` (line {line}) is dynamic shared memory: how many bytes it "
                              "has is said by the third argument of the launch.",
                              "Line {line} declares `{text}` without a size; the launch gives it, "
                              "in bytes, between `<<<` and `>>>`."},
                         {{"name", array.name}, {"line", line}, {"text", array.text}}));
      continue;
    }
    Append(&text, subject.Say(
                           "shared " + array.name,
                           {"`{text}` at line {line} exists once in each block; all its threads "
                            "see the same array, and no other block does.",
                            "Line {line} sets aside shared memory, `{text}`: on chip, one copy a "
                            "block.",
                            "The threads of a block share `{name}` (line {line}: `{text}`)."},
                       {{"name", array.name}, {"line", line}, {"text", array.text}}));
    if (IsPadded(array.text)) {
      Append(&text,
             "Each row has one element more than there are rows, so that the elements of a column "
             "lie in different banks.");
    }
  }
  std::vector<std::string> stores;
  for (const MemoryAccess& access : subject.facts.stores) {
    if (access.shared && stores.size() < kMostArrays) {
      stores.push_back(Quoted(access.text) + " (line " + std::to_string(access.line) + ")");
    }
  }
  if (!stores.empty()) {
    Append(&text, subject.Say("shared stores", {"It is filled by {list}.",
                                                              "Threads put values there "
                                                              "with {list}.",
                                                              "The writes to it are {list}."},
                       {{"list", Listed(stores)}}));
  }
  for (const KernelCall& call : subject.facts.barriers) Append(&text, CallProse(subject, call));
  return text;
}

std::string CooperationProse(const KernelSubject& subject) {
  std::string text;
  for (const KernelCall& call : subject.facts.warp_calls) Append(&text, CallProse(subject, call));
  for (const KernelCall& call : subject.facts.atomics) Append(&text, CallProse(subject, call));
  for (const KernelHelper& helper : subject.facts.helpers) {
    if (helper.collectives.empty() || IsAtomic(helper.name)) continue;
    std::vector<std::string> names;
    for (const std::string& name : helper.collectives) {
      names.push_back("`" + (name.starts_with('.') ? name.substr(1) : name) + "`");
    }
    Append(&text, "`" + helper.name + "`, which it calls, uses " + Listed(names) + ".");
  }
  return text;
}

}  // namespace kernelmill
