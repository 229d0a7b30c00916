#include "corpora/duplicates/near_duplicates.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "corpora/duplicates/scratch_file.h"
#include "manifests/split_mix.h"

namespace kernelmill {
namespace {

constexpr double kMissed = 0.01;
constexpr int kMostRows = 8, kMostValues = 256;
// 2 million items with 26 bands have 0.2 MiB of pairs in each of so many parts, which take 2 MiB.
constexpr std::size_t kParts = 4096;

// The number of bands that propose a pair of this similarity with a probability of 1 - kMissed.
int BandsFor(double threshold, int rows) {
  if (threshold >= 1) return 1;
  return static_cast<int>(std::ceil(std::log(kMissed) / std::log(1 - std::pow(threshold, rows))));
}

// Lowers each of `least` to the smallest hash of an element by the function with that mask and
// factor. The loop over the functions is the inner one, because the compiler can then compute
// several at once.
[[gnu::always_inline]] inline void Hash(std::span<const std::uint64_t> set,
                                        std::span<const std::uint32_t> masks,
                                        std::span<const std::uint32_t> factors,
                                        std::uint32_t* least) {
  for (const std::uint64_t element : set) {
    const auto hash = static_cast<std::uint32_t>(element >> 32);
    for (std::size_t i = 0; i < masks.size(); ++i) {
      least[i] = std::min(least[i], (hash ^ masks[i]) * factors[i]);
    }
  }
}

// The same for a processor that computes eight products at once; plain x86-64 has no instruction
// for four.
[[gnu::target("avx2")]] void HashWithAvx2(std::span<const std::uint64_t> set,
                                          std::span<const std::uint32_t> masks,
                                          std::span<const std::uint32_t> factors,
                                          std::uint32_t* least) {
  Hash(set, masks, factors, least);
}

// The MinHash values of a set: for each of several hash functions the smallest hash of an element.
class MinHash {
 public:
  explicit MinHash(int values) : masks_(static_cast<std::size_t>(values)), factors_(masks_.size()) {
    std::uint64_t state = 0;
    for (std::size_t i = 0; i < masks_.size(); ++i) {
      masks_[i] = static_cast<std::uint32_t>(NextMixedBits(&state));
      factors_[i] = static_cast<std::uint32_t>(NextMixedBits(&state)) | 1;
    }
  }

  const std::vector<std::uint32_t>& Of(std::span<const std::uint64_t> set) {
    static const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;
    least_.assign(masks_.size(), ~std::uint32_t{0});
    if (kHasAvx2) {
      HashWithAvx2(set, masks_, factors_, least_.data());
    } else {
      Hash(set, masks_, factors_, least_.data());
    }
    return least_;
  }

 private:
  std::vector<std::uint32_t> masks_, factors_, least_;
};

}  // namespace

Similarity SimilarityOf(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  std::uint64_t shared = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint64_t x = a[i], y = b[j];
    shared += x == y;
    i += x <= y;
    j += y <= x;
  }
  return {shared, a.size() + b.size() - shared};
}

Banding Banding::For(double threshold) {
  for (int rows = kMostRows; rows > 1; --rows) {
    const int bands = BandsFor(threshold, rows);
    if (rows * bands <= kMostValues) return {rows, bands};
  }
  return {1, BandsFor(threshold, 1)};
}

struct NearDuplicates::State {
  State(double at_least, ScratchFile all_sets, ScratchFile all_places, ScratchFile all_lists,
        DividedPairs all_keys)
      : threshold(at_least),
        banding(Banding::For(at_least)),
        hash(banding.rows * banding.bands),
        sets(std::move(all_sets)),
        places(std::move(all_places)),
        lists(std::move(all_lists)),
        keys(std::move(all_keys)) {}

  struct Place {
    std::uint64_t first = 0, size = 0, kind = 0;
  };
  Result<Place> PlaceOf(std::uint64_t item);
  Result<std::vector<std::uint64_t>> SetAt(const Place& place);
  Status ListBuckets(const std::vector<DividedPairs::Pair>& part, DividedPairs* memberships);
  Result<std::vector<std::uint64_t>> KeptIn(std::span<const DividedPairs::Pair> memberships);
  Status Keep(std::uint64_t item, std::span<const DividedPairs::Pair> memberships);
  Result<NearDuplicate> Closest(std::uint64_t item, const std::vector<std::uint64_t>& others);
  std::size_t PartOf(std::uint64_t item) const { return item * kParts / count; }

  const double threshold;
  const Banding banding;
  MinHash hash;
  std::uint64_t count = 0, verified = 0;
  ScratchFile sets;    // The sets, one after the other.
  ScratchFile places;  // For each item the members of Place.
  // The kept items of each bucket, which are the items with the same values in a band. A list has
  // its length and room for all items of the bucket.
  ScratchFile lists;
  DividedPairs keys;  // Of the bands: (bucket, item).
};

NearDuplicates::NearDuplicates(std::unique_ptr<State> state) : state_(std::move(state)) {}
NearDuplicates::~NearDuplicates() = default;
NearDuplicates::NearDuplicates(NearDuplicates&&) noexcept = default;
NearDuplicates& NearDuplicates::operator=(NearDuplicates&&) noexcept = default;

Result<NearDuplicates> NearDuplicates::Create(const std::string& folder, double threshold) {
  KM_ASSIGN(ScratchFile sets, ScratchFile::Create(folder));
  KM_ASSIGN(ScratchFile places, ScratchFile::Create(folder));
  KM_ASSIGN(ScratchFile lists, ScratchFile::Create(folder));
  KM_ASSIGN(DividedPairs keys, DividedPairs::Create(folder, kParts));
  return NearDuplicates(std::make_unique<State>(threshold, std::move(sets), std::move(places),
                                                std::move(lists), std::move(keys)));
}

std::uint64_t NearDuplicates::count() const { return state_->count; }

Status NearDuplicates::Add(std::span<const std::uint64_t> set, std::uint64_t kind) {
  State& state = *state_;
  const std::uint64_t item = state.count++;
  const std::uint64_t place[] = {state.sets.size(), set.size(), kind};
  KM_RETURN_IF_ERROR(state.places.Append(place));
  KM_RETURN_IF_ERROR(state.sets.Append(set));
  if (set.empty()) return Status::Ok();
  const std::vector<std::uint32_t>& values = state.hash.Of(set);
  auto value = values.begin();
  for (int band = 0; band < state.banding.bands; ++band) {
    auto bucket = static_cast<std::uint64_t>(band);
    for (int row = 0; row < state.banding.rows; ++row) {
      bucket = MixedBits(bucket + kSplitMixStep + *value++);
    }
    KM_RETURN_IF_ERROR(state.keys.Add(bucket % kParts, {bucket, item}));
  }
  return Status::Ok();
}

Result<NearDuplicates::State::Place> NearDuplicates::State::PlaceOf(std::uint64_t item) {
  std::uint64_t numbers[3];
  KM_RETURN_IF_ERROR(places.Read(3 * item, numbers));
  return Place{numbers[0], numbers[1], numbers[2]};
}

Result<std::vector<std::uint64_t>> NearDuplicates::State::SetAt(const Place& place) {
  std::vector<std::uint64_t> set(place.size);
  KM_RETURN_IF_ERROR(sets.Read(place.first, set));
  return set;
}

// Makes room for the list of every bucket with several items, and adds (item, list) to
// `memberships`. `part` is sorted.
Status NearDuplicates::State::ListBuckets(const std::vector<DividedPairs::Pair>& part,
                                          DividedPairs* memberships) {
  for (std::size_t first = 0, last = 0; first < part.size(); first = last) {
    while (last < part.size() && part[last].first == part[first].first) ++last;
    if (last - first < 2) continue;
    const std::uint64_t list = lists.size();
    KM_RETURN_IF_ERROR(lists.Append(std::vector<std::uint64_t>(last - first + 1)));
    for (std::size_t i = first; i < last; ++i) {
      KM_RETURN_IF_ERROR(memberships->Add(PartOf(part[i].second), {part[i].second, list}));
    }
  }
  return Status::Ok();
}

// The kept items that share a bucket, ascending.
Result<std::vector<std::uint64_t>> NearDuplicates::State::KeptIn(
    std::span<const DividedPairs::Pair> memberships) {
  std::vector<std::uint64_t> kept;
  for (const auto& [item, list] : memberships) {
    std::uint64_t head[2];  // The length and, if there is one, the first item.
    KM_RETURN_IF_ERROR(lists.Read(list, head));
    if (head[0] == 0) continue;
    kept.push_back(head[1]);
    if (head[0] == 1) continue;
    const std::size_t before = kept.size();
    kept.resize(before + head[0] - 1);
    KM_RETURN_IF_ERROR(lists.Read(list + 2, std::span(kept).subspan(before)));
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

Status NearDuplicates::State::Keep(std::uint64_t item,
                                   std::span<const DividedPairs::Pair> memberships) {
  for (const auto& [same, list] : memberships) {
    std::uint64_t length = 0;
    KM_RETURN_IF_ERROR(lists.Read(list, {&length, 1}));
    ++length;
    KM_RETURN_IF_ERROR(lists.Write(list + length, {&item, 1}));
    KM_RETURN_IF_ERROR(lists.Write(list, {&length, 1}));
  }
  return Status::Ok();
}

Result<NearDuplicate> NearDuplicates::State::Closest(std::uint64_t item,
                                                     const std::vector<std::uint64_t>& others) {
  NearDuplicate closest{item, item, {0, 1}};
  KM_ASSIGN(const Place place, PlaceOf(item));
  KM_ASSIGN(const std::vector<std::uint64_t> set, SetAt(place));
  for (const std::uint64_t other : others) {
    KM_ASSIGN(const Place other_place, PlaceOf(other));
    if (place.kind != 0 && other_place.kind != 0 && place.kind != other_place.kind) continue;
    // No set that is so much smaller or larger is similar.
    const auto [less, more] = std::minmax<std::uint64_t>(place.size, other_place.size);
    if (!Similarity{less, more}.Reaches(threshold)) continue;
    KM_ASSIGN(const std::vector<std::uint64_t> other_set, SetAt(other_place));
    const Similarity similarity = SimilarityOf(set, other_set);
    ++verified;
    if (similarity.Value() > closest.similarity.Value()) closest = {item, other, similarity};
  }
  return closest;
}

Result<NearDuplicates::Counts> NearDuplicates::Find(const Visit& visit) {
  State& state = *state_;
  Counts counts;
  if (state.count == 0) return counts;
  KM_ASSIGN(DividedPairs memberships, DividedPairs::Create(state.sets.folder(), kParts));
  for (std::size_t number = 0; number < kParts; ++number) {
    KM_ASSIGN(std::vector<DividedPairs::Pair> part, state.keys.Part(number));
    std::sort(part.begin(), part.end());
    KM_RETURN_IF_ERROR(state.ListBuckets(part, &memberships));
  }
  {
    const DividedPairs done = std::move(state.keys);  // Frees its memory and its file.
  }
  for (std::size_t number = 0; number < kParts; ++number) {
    KM_ASSIGN(std::vector<DividedPairs::Pair> part, memberships.Part(number));
    std::sort(part.begin(), part.end());
    for (std::size_t first = 0, last = 0; first < part.size(); first = last) {
      const std::uint64_t item = part[first].first;
      while (last < part.size() && part[last].first == item) ++last;
      const auto buckets = std::span(part).subspan(first, last - first);
      KM_ASSIGN(const std::vector<std::uint64_t> kept, state.KeptIn(buckets));
      KM_ASSIGN(const NearDuplicate closest, state.Closest(item, kept));
      if (closest.kept != item && closest.similarity.Reaches(state.threshold)) {
        ++counts.removed;
        KM_RETURN_IF_ERROR(visit(closest));
      } else {
        KM_RETURN_IF_ERROR(state.Keep(item, buckets));
      }
    }
  }
  counts.verified = state.verified;
  return counts;
}

}  // namespace kernelmill
