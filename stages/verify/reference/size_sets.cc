#include "stages/verify/reference/size_sets.h"

#include <algorithm>

#include "manifests/json_fields.h"

namespace kernelmill {
namespace {

// Smaller numbers are strides, kernel sizes or numbers of heads, unless only the inputs use them.
constexpr std::int64_t kSmallestFeature = 9;
constexpr std::int64_t kCaps[] = {256, 128, 64, 32, 16, 8, 4};
constexpr std::int64_t kSmallestModelCap = 8;
// For a task with a single size, whose tensors would have only 256 elements.
constexpr std::int64_t kCapsOfSingle[] = {65536, 4096};
// Kernels treat the end of a size apart by tiles and vectors of up to so many elements.
constexpr std::int64_t kLargestTile = 32;

// The largest number up to `cap` that leaves the same last tile or vector as `value`. `cap` is a
// power of two.
std::int64_t WithSameEnd(std::int64_t value, std::int64_t cap) {
  if (value <= cap) return value;
  const std::int64_t tile = std::min(kLargestTile, std::max<std::int64_t>(cap / 2, 1));
  const std::int64_t rest = value % tile;
  return rest == 0 ? cap : cap - tile + rest;
}

std::int64_t Shrunk(std::int64_t value, std::int64_t cap) {
  const std::int64_t own = value;
  while (value > cap && value % 2 == 0) value /= 2;
  return value > cap ? WithSameEnd(own, cap) : value;
}

bool IsFeature(const SizeSite& site) { return site.model && site.value >= kSmallestFeature; }
bool IsExtent(const SizeSite& site) { return site.inputs && !site.model; }

std::int64_t ValueAt(const SizeSite& site, const Sizes& sizes) {
  const auto it = sizes.find(site.id);
  return it == sizes.end() ? site.value : it->second;
}

// A value near `value`, different for each variant.
std::int64_t NearbyValue(std::int64_t value, int variant) {
  if (variant == 3) {
    const std::int64_t step = value < 16 ? 8 : 32;
    const std::int64_t whole = (value + step / 2) / step * step + step;
    return whole == value + 5 ? whole + step : whole;
  }
  if (value < 4) return variant == 0 ? value + 1 : variant == 1 ? value + 2 : value + 3;
  if (value < 16) return variant == 0 ? value - 1 : variant == 1 ? value + 1 : value + 3;
  return variant == 0 ? value - 3 : variant == 1 ? value + 5 : value / 2 + 1;
}

// The same in steps that preserve small divisors: groups, heads, a multiple of four.
std::int64_t NearbyMultiple(std::int64_t value, int variant) {
  const std::int64_t step = std::max<std::int64_t>(value / 4, 1);
  return variant == 0   ? value + step
         : variant == 1 ? value - step
         : variant == 2 ? value + 2 * step
                        : value + 4 * step;
}

void AddNew(Sizes sizes, std::vector<Sizes>* found) {
  if (!sizes.empty() && std::find(found->begin(), found->end(), sizes) == found->end()) {
    found->push_back(std::move(sizes));
  }
}

// Divides all sites by one power of two, then only some of the largest sites: one size may be half
// of another, or the product of two others.
void AddScaled(const std::vector<SizeSite>& sites, std::vector<Sizes>* found) {
  constexpr std::size_t kMostScaled = 6;
  std::vector<const SizeSite*> large;
  for (const SizeSite& site : sites) {
    if (IsExtent(site) || IsFeature(site)) large.push_back(&site);
  }
  std::stable_sort(large.begin(), large.end(), [](const SizeSite* a, const SizeSite* b) {
    return a->value > b->value;
  });
  const auto add = [&](std::int64_t factor, unsigned some) {
    Sizes sizes;
    for (std::size_t i = 0; i < large.size(); ++i) {
      if (i < kMostScaled && (some >> i & 1u) == 0) continue;
      std::int64_t value = large[i]->value;
      for (std::int64_t by = 1; by < factor && value % 2 == 0 && value > 2; by *= 2) value /= 2;
      if (value != large[i]->value) sizes[large[i]->id] = value;
    }
    AddNew(std::move(sizes), found);
  };
  const unsigned all = (1u << std::min(large.size(), kMostScaled)) - 1;
  for (const std::int64_t factor : {8, 64}) add(factor, all);
  large.resize(std::min(large.size(), kMostScaled));
  for (const std::int64_t factor : {8, 64}) {
    for (unsigned some = all; some > 0; --some) add(factor, some);
  }
}

}  // namespace

Result<SizeSite> SizeSite::FromJson(const Json& json) {
  SizeSite site;
  JsonFields fields(json, "site");
  fields.Read("id", &site.id);
  fields.Read("value", &site.value);
  fields.Read("names", &site.names);
  fields.Read("inputs", &site.inputs);
  fields.Read("model", &site.model);
  KM_RETURN_IF_ERROR(fields.Finish());
  return site;
}

Json ToJson(const Sizes& sizes) {
  Json::Object object;
  for (const auto& [id, value] : sizes) object[std::to_string(id)] = value;
  return object;
}

std::vector<Sizes> ShrinkingSizes(const std::vector<SizeSite>& sites) {
  std::vector<Sizes> found;
  const auto add = [&](std::int64_t extent_cap, std::int64_t feature_cap) {
    // Half of a size may lack the tiles or vectors that the size has. But it may be half of another
    // size too, so both are proposed.
    Sizes same_ends, sizes;
    for (const SizeSite& site : sites) {
      const std::int64_t cap = IsExtent(site) ? extent_cap : IsFeature(site) ? feature_cap : 0;
      if (cap == 0 || site.value <= cap) continue;
      sizes[site.id] = Shrunk(site.value, cap);
      same_ends[site.id] =
          IsExtent(site) ? WithSameEnd(site.value, cap) : Shrunk(site.value, cap);
    }
    AddNew(std::move(same_ends), &found);
    AddNew(std::move(sizes), &found);
  };
  const auto shrinks = [](const SizeSite& site) { return IsExtent(site) || IsFeature(site); };
  if (std::count_if(sites.begin(), sites.end(), shrinks) == 1) {
    for (const std::int64_t cap : kCapsOfSingle) add(cap, 0);
  }
  for (std::int64_t cap : kCaps) add(cap, 0);
  for (std::int64_t cap : kCaps) {
    if (cap < kSmallestModelCap) continue;
    for (std::int64_t extent : {32, 16, 8, 4, 2}) add(extent, cap);
  }
  // Keeps one site unchanged, because its value may also occur elsewhere in the text, as in
  // x.view(-1, 4, 64).
  for (const SizeSite& kept : sites) {
    if (!IsExtent(kept) && !IsFeature(kept)) continue;
    for (const std::int64_t cap : {32, 8, 2}) {
      Sizes sizes;
      for (const SizeSite& site : sites) {
        if (site.id == kept.id || (!IsExtent(site) && !IsFeature(site))) continue;
        const std::int64_t value = Shrunk(site.value, IsExtent(site) ? cap : kSmallestModelCap);
        if (value != site.value) sizes[site.id] = value;
      }
      AddNew(std::move(sizes), &found);
    }
  }
  AddScaled(sites, &found);
  return found;
}

std::vector<Sizes> OtherSizes(const std::vector<SizeSite>& sites, const Sizes& base, int variant) {
  std::vector<Sizes> found;
  const auto add = [&](auto extent, auto feature) {
    Sizes sizes = base;
    bool changed = false;
    for (const SizeSite& site : sites) {
      const std::int64_t now = ValueAt(site, base);
      std::int64_t value = now;
      if (IsExtent(site)) value = extent(now, variant);
      if (IsFeature(site)) value = feature(now, variant);
      changed |= value != now;
      sizes[site.id] = value;
    }
    if (changed && std::find(found.begin(), found.end(), sizes) == found.end()) {
      found.push_back(sizes);
    }
  };
  const auto same = [](std::int64_t value, int) { return value; };
  add(NearbyValue, NearbyValue);
  add(NearbyValue, NearbyMultiple);
  add(NearbyMultiple, NearbyMultiple);
  add(NearbyValue, same);
  add(NearbyMultiple, same);
  // Changes one site at a time, for tasks whose sizes depend on each other.
  for (const SizeSite& chosen : sites) {
    if (!IsExtent(chosen) && !IsFeature(chosen)) continue;
    for (const auto change : {NearbyValue, NearbyMultiple}) {
      Sizes sizes = base;
      sizes[chosen.id] = change(ValueAt(chosen, base), variant);
      if (std::find(found.begin(), found.end(), sizes) == found.end()) found.push_back(sizes);
    }
  }
  return found;
}

std::vector<Sizes> EachSizes(const std::vector<SizeSite>& sites, const Sizes& base,
                             const std::vector<std::int64_t>& own) {
  Sizes sizes = base;
  for (const std::int64_t id : own) sizes.erase(id);
  std::vector<Sizes> found = {sizes};
  for (const std::int64_t cap : {64, 16, 8, 4, 2}) {
    for (const SizeSite& site : sites) {
      if (std::find(own.begin(), own.end(), site.id) != own.end()) continue;
      if (!IsExtent(site) && (!IsFeature(site) || cap < kSmallestModelCap)) continue;
      const std::int64_t value = std::min(ValueAt(site, sizes), Shrunk(site.value, cap));
      if (value != site.value) sizes[site.id] = value;
    }
    AddNew(sizes, &found);
  }
  return found;
}

std::vector<Sizes> BatchSizes(const std::vector<SizeSite>& sites,
                              const std::vector<std::int64_t>& independent, std::int64_t least) {
  std::vector<Sizes> found;
  Sizes sizes;
  for (const std::int64_t id : independent) {
    const auto site = std::find_if(sites.begin(), sites.end(),
                                   [id](const SizeSite& item) { return item.id == id; });
    for (const std::int64_t cap : {64, 16, 4, 2}) {
      const std::int64_t value = Shrunk(site->value, cap);
      if (cap < least || value == site->value) continue;
      sizes[id] = value;
      AddNew(sizes, &found);
    }
  }
  return found;
}

std::string SiteValuesText(const std::vector<SizeSite>& sites, const Sizes& named,
                           const Sizes& sizes) {
  std::string text;
  for (const SizeSite& site : sites) {
    if (!named.contains(site.id)) continue;
    const std::string value = std::to_string(ValueAt(site, sizes));
    text += (text.empty() ? "" : ", ") +
            (site.names.empty() ? "a size of " + value : site.names.front() + " = " + value);
  }
  return text;
}

Json RenamedValues(const std::vector<SizeSite>& sites, const Sizes& sizes) {
  Json::Object renamed;
  for (const SizeSite& site : sites) {
    const std::int64_t value = ValueAt(site, sizes);
    if (value == site.value) continue;
    for (const std::string& name : site.names) {
      renamed[name] = Json::Array{Json(site.value), Json(value)};
    }
  }
  return renamed;
}

}  // namespace kernelmill
