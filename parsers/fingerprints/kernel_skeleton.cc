#include "parsers/fingerprints/kernel_skeleton.h"

#include <algorithm>
#include <set>

namespace kernelmill {
namespace {

bool Encloses(const SkeletonItem& item) {
  static const std::set<std::string, std::less<>> kWords = {"for",  "grid",  "block",
                                                            "warp", "halve", "one"};
  return kWords.contains(item.word);
}

bool IsRead(const SkeletonItem& item) {
  return item.word.starts_with("read") || item.word == "sread";
}
bool IsWrite(const SkeletonItem& item) {
  return item.word.starts_with("write") || item.word == "swrite";
}

// Sorts each run of reads, and each of writes, and keeps one of each kind.
void SortRuns(Skeleton* items) {
  for (std::size_t first = 0; first < items->size();) {
    std::size_t last = first;
    for (const auto same : {IsRead, IsWrite}) {
      if (last > first) break;
      while (last < items->size() && same((*items)[last])) ++last;
    }
    if (last == first) {
      ++first;
      continue;
    }
    const auto begin = items->begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, items->begin() + static_cast<std::ptrdiff_t>(last),
              [](const SkeletonItem& a, const SkeletonItem& b) { return a.word < b.word; });
    const auto end = std::unique(begin, items->begin() + static_cast<std::ptrdiff_t>(last));
    const std::size_t kept = static_cast<std::size_t>(end - begin);
    items->erase(end, items->begin() + static_cast<std::ptrdiff_t>(last));
    first += kept;
  }
}

// Whether the `count` items before `at` are the same plain words as those from `at` on.
bool Repeats(const Skeleton& items, std::size_t at, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const SkeletonItem& item = items[at + i];
    if (!(item == items[at - count + i]) || !(IsRead(item) || IsWrite(item))) return false;
  }
  return true;
}

// Unrolled text: "read write read write" becomes "read write".
void RemoveRepetitions(Skeleton* items) {
  constexpr std::size_t kLongest = 4;
  for (std::size_t count = 1; count <= kLongest; ++count) {
    for (std::size_t at = count; at + count <= items->size();) {
      if (Repeats(*items, at, count)) {
        items->erase(items->begin() + static_cast<std::ptrdiff_t>(at),
                     items->begin() + static_cast<std::ptrdiff_t>(at + count));
      } else {
        ++at;
      }
    }
  }
}

}  // namespace

Skeleton Simplified(Skeleton skeleton) {
  Skeleton result;
  for (SkeletonItem& item : skeleton) {
    if (!Encloses(item)) {
      if (result.empty() || result.back() != item) result.push_back(std::move(item));
      continue;
    }
    item.inner = Simplified(std::move(item.inner));
    if (item.inner.empty()) continue;
    if (item.word == "for" && item.inner.size() == 1 && Encloses(item.inner[0]) &&
        item.inner[0].word == "for") {
      Skeleton body = std::move(item.inner[0].inner);
      item.inner = std::move(body);
    }
    if (result.empty() || result.back() != item) result.push_back(std::move(item));
  }
  SortRuns(&result);
  RemoveRepetitions(&result);
  return result;
}

std::string SkeletonText(const Skeleton& skeleton) {
  std::string text;
  for (const SkeletonItem& item : skeleton) {
    if (!text.empty()) text += ' ';
    text += item.word;
    if (!item.inner.empty()) text += '(' + SkeletonText(item.inner) + ')';
  }
  return text;
}

}  // namespace kernelmill
