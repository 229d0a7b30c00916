#include "parsers/kernel_slices/translation_unit.h"

#include <algorithm>
#include <array>
#include <set>

#include "corpora/kernel_backend.h"
#include "parsers/cuda_attributes.h"

namespace kernelmill {
namespace {

// The units of a file and of those that include it: more than the slicer tries for one kernel.
constexpr std::size_t kMostUnits = 12;

enum class Truth { kUnknown, kTrue, kFalse };

// What is false where nobody has asked for it: a macro of the build, such as MMCV_USE_PARROTS. One
// that the compiler may define, or that names a platform, may be true.
bool IsBuildOption(std::string_view macro, const NativeIndex& index) {
  if (macro.empty() || macro[0] == '_' || index.DefinesMacro(macro)) return false;
  static constexpr std::array<std::string_view, 10> kMayHold = {
      "CUDA", "MUSA", "GPU", "VERSION", "ARCH", "WIN", "MSC", "NVCC", "DEBUG", "TORCH"};
  return std::none_of(kMayHold.begin(), kMayHold.end(),
                      [&](std::string_view part) { return macro.find(part) != macro.npos; });
}

// What is known of the conditions in a unit.
struct Build {
  const NativeIndex& index;
  bool for_cuda;  // And not for MUSA.
};

// Whether a condition holds for CUDA and MUSA. It is known only for conditions that test just
// whether the platform is HIP, whether it is MUSA in a file for CUDA, or, where they have another
// branch, whether the build has an option.
Truth TruthOf(const std::string& line, const Build& build, bool has_other) {
  static constexpr std::array<std::string_view, 7> kHip = {"USE_ROCM",
                                                           "USE_HIP",
                                                           "__HIPCC__",
                                                           "__HIP_PLATFORM_AMD__",
                                                           "__HIP_PLATFORM_HCC__",
                                                           "__HIP__",
                                                           "__HIP_DEVICE_COMPILE__"};
  if (line.find_first_of("&|<>=?+") != std::string::npos) return Truth::kUnknown;
  const auto names = IdentifiersIn(line);
  std::string_view asked;
  bool negated = std::count(line.begin(), line.end(), '!') % 2 == 1;
  for (std::string_view name : names) {
    if (name == "ifndef") negated = true;
    if (name == "if" || name == "ifdef" || name == "ifndef" || name == "elif" ||
        name == "defined") {
      continue;
    }
    if (!asked.empty()) return Truth::kUnknown;
    asked = name;
  }
  if (std::find(kHip.begin(), kHip.end(), asked) == kHip.end() &&
      !(build.for_cuda && asked.find("MUSA") != asked.npos) &&
      !(has_other && IsBuildOption(asked, build.index))) {
    return Truth::kUnknown;
  }
  return negated ? Truth::kTrue : Truth::kFalse;
}

// Whether the branch is an #else.
bool IsElse(const CudaScope& branch) {
  return branch.open.find("else") != std::string::npos && IdentifiersIn(branch.open).size() == 1;
}

// Whether one branch of a condition is taken, given the branches before it.
Truth BranchTruth(const std::vector<CudaScope>& scopes, int branch, const Build& build,
                  bool has_other) {
  Truth earlier = Truth::kFalse;  // Whether an earlier branch is taken.
  std::vector<int> chain = {branch};
  while (scopes[chain.back()].after >= 0) {
    chain.push_back(static_cast<int>(scopes[chain.back()].after));
  }
  for (std::size_t i = chain.size(); i > 1; --i) {
    const Truth truth = TruthOf(scopes[chain[i - 1]].open, build, has_other);
    if (truth == Truth::kTrue) return Truth::kFalse;
    if (truth == Truth::kUnknown) earlier = Truth::kUnknown;
  }
  const Truth own =
      IsElse(scopes[branch]) ? Truth::kTrue : TruthOf(scopes[branch].open, build, has_other);
  if (own == Truth::kFalse) return own;
  return earlier == Truth::kFalse ? own : Truth::kUnknown;
}

// For each scope, whether its condition has an #else.
std::vector<bool> WithElse(const std::vector<CudaScope>& scopes) {
  std::vector<std::size_t> first(scopes.size());  // The first branch of the scope's condition.
  std::vector<bool> has_else(scopes.size());
  for (std::size_t at = 0; at < scopes.size(); ++at) {
    // A branch comes after the one before it.
    const auto before = static_cast<std::size_t>(scopes[at].after);
    first[at] = scopes[at].after >= 0 && before < at ? first[before] : at;
    if (IsElse(scopes[at])) has_else[first[at]] = true;
  }
  for (std::size_t at = 0; at < scopes.size(); ++at) has_else[at] = has_else[first[at]];
  return has_else;
}

}  // namespace

TranslationUnit::TranslationUnit(const NativeIndex& index, int root)
    : index_(index), for_cuda_(BackendOfFile(index.files()[root].path) == &kCudaBackend) {
  Append(root);
  dead_.resize(entries_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const int entry = static_cast<int>(i);
    for (const Enclosure& at : AllEnclosures(entry)) {
      const CudaScope& enclosing = scope(at);
      if (enclosing.kind == CudaScope::Kind::kNamespace) {
        for (std::string_view name : IdentifiersIn(enclosing.name)) {
          namespaces_.emplace(name, 0);
        }
      } else if (enclosing.kind == CudaScope::Kind::kCondition && Holds(at) == false) {
        dead_[i] = true;
      }
    }
    const CudaItem& own = item(entry);
    by_item_.emplace(std::pair(entries_[i].file, entries_[i].item), entry);
    if (own.kind == CudaItemKind::kInclude) includes_.push_back(entry);
    if (dead_[i]) continue;
    if (own.kind == CudaItemKind::kMacro) macros_.push_back(entry);
    if (!own.owner.empty() || own.kind == CudaItemKind::kUndef ||
        own.kind == CudaItemKind::kUsing) {
      companions_.push_back(entry);
    }
    std::set<std::string_view> names(item(entry).defines.begin(), item(entry).defines.end());
    for (std::string_view name : names) by_name_[std::string(name)].push_back(entry);
  }
}

void TranslationUnit::Append(int root) {
  struct Frame {
    int file;
    int next;
    int site;
  };
  std::set<int> seen = {root};
  const auto visit = [&](int file) {
    with_else_[file] = WithElse(index_.files()[file].cuda.scopes);
  };
  visit(root);
  std::vector<Frame> frames = {{root, 0, -1}};
  while (!frames.empty()) {
    Frame& frame = frames.back();
    const auto& items = index_.files()[frame.file].cuda.items;
    if (frame.next >= static_cast<int>(items.size())) {
      frames.pop_back();
      continue;
    }
    const int at = frame.next++;
    const CudaItem& item = items[at];
    const int file = frame.file, site = frame.site;
    if (item.kind == CudaItemKind::kInclude && item.quoted) {
      const int target = index_.ResolveInclude(file, item.name);
      if (target >= 0) {
        // The file may be included again by a branch that is taken.
        if (IsLeftOut({file, static_cast<int>(item.scope)})) continue;
        if (!seen.insert(target).second) continue;
        visit(target);
        sites_.push_back({file, static_cast<int>(item.scope), site});
        frames.push_back({target, 0, static_cast<int>(sites_.size()) - 1});
        continue;
      }
    }
    entries_.push_back({file, at, site});
  }
}

bool TranslationUnit::IsLeftOut(Enclosure at) const {
  for (const std::vector<CudaScope>& scopes = index_.files()[at.file].cuda.scopes; at.scope >= 0;
       at.scope = static_cast<int>(scopes[at.scope].parent)) {
    if (scopes[at.scope].kind == CudaScope::Kind::kCondition && Holds(at) == false) return true;
  }
  return false;
}

std::optional<bool> TranslationUnit::Holds(const Enclosure& at) const {
  const Truth truth =
      BranchTruth(index_.files()[at.file].cuda.scopes, at.scope, {index_, for_cuda_},
                  with_else_.at(at.file)[static_cast<std::size_t>(at.scope)]);
  return truth == Truth::kUnknown ? std::nullopt : std::optional(truth == Truth::kTrue);
}

int TranslationUnit::EntryOf(int file, int item) const {
  const auto found = by_item_.find({file, item});
  return found == by_item_.end() ? -1 : found->second;
}

const std::vector<int>& TranslationUnit::DefinitionsOf(std::string_view name) const {
  static const std::vector<int> kNone;
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? kNone : found->second;
}

std::vector<TranslationUnit::Enclosure> TranslationUnit::AllEnclosures(int entry) const {
  std::vector<Enclosure> enclosures;
  int file = entries_[entry].file, site = entries_[entry].site;
  auto scope_index = static_cast<int>(item(entry).scope);
  for (;;) {
    for (; scope_index >= 0;
         scope_index = static_cast<int>(index_.files()[file].cuda.scopes[scope_index].parent)) {
      enclosures.push_back({file, scope_index});
    }
    if (site < 0) break;
    file = sites_[site].file;
    scope_index = sites_[site].scope;
    site = sites_[site].outer;
  }
  std::reverse(enclosures.begin(), enclosures.end());
  return enclosures;
}

std::vector<TranslationUnit::Enclosure> TranslationUnit::EnclosuresOf(int entry) const {
  std::vector<Enclosure> enclosures = AllEnclosures(entry);
  std::erase_if(enclosures, [&](const Enclosure& at) {
    return scope(at).kind == CudaScope::Kind::kCondition && Holds(at) == true;
  });
  return enclosures;
}

const TranslationUnit& TranslationUnits::Of(int root) {
  const auto found = std::find_if(units_.begin(), units_.end(),
                                  [&](const auto& unit) { return unit.first == root; });
  if (found != units_.end()) {
    units_.splice(units_.begin(), units_, found);
  } else {
    units_.emplace_front(root, TranslationUnit(*index_, root));
    if (units_.size() > kMostUnits) units_.pop_back();
  }
  return units_.front().second;
}

}  // namespace kernelmill
