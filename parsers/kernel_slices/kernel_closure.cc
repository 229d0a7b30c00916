#include "parsers/kernel_slices/kernel_closure.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

#include "parsers/cuda_attributes.h"
#include "parsers/cuda_names.h"
#include "parsers/cuda_uses.h"

namespace kernelmill {
namespace {

constexpr std::int64_t kTiny = 3;     // Definitions of at most so many lines do not count.
constexpr std::int64_t kSmall = 12;   // Definitions of at most so many lines may use the reserve.
constexpr std::int64_t kReserve = 6;  // One sixth of the lines is the reserve.

std::vector<std::string_view> PartsOf(std::string_view chain) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto colon = chain.find("::");
    parts.push_back(chain.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    chain.remove_prefix(colon + 2);
  }
}

class Closer {
 public:
  Closer(const TranslationUnit& unit, std::int64_t lines) : unit_(unit), lines_(lines) {}

  KernelClosure Close(int kernel, const std::vector<int>& hosts) {
    // Overloads of the kernel have its name and are other kernels.
    Select(kernel);
    for (int host : hosts) Select(host);
    do {
      while (!queue_.empty()) {
        const int next = queue_.front();
        queue_.pop_front();
        Follow(next);
      }
    } while (TakeOverloads() || TakeCompanions());
    KernelClosure closure;
    closure.entries.assign(selected_.begin(), selected_.end());
    for (int entry : closure.entries) Provide(entry);
    for (int entry : closure.entries) FindMissing(entry, &closure);
    closure.missing.insert(left_out_.begin(), left_out_.end());
    return closure;
  }

 private:
  // Whether device code may use it.
  bool IsEligible(int entry) {
    const CudaItem& item = unit_.item(entry);
    switch (item.kind) {
      case CudaItemKind::kFunction:
        return item.device ||
               std::any_of(item.specifiers.begin(), item.specifiers.end(),
                           [&](const std::string& m) { return IsDeviceMacro(m, 4); });
      case CudaItemKind::kVariable:
        return item.device;
      case CudaItemKind::kInclude:
      case CudaItemKind::kUndef:
        return false;
      case CudaItemKind::kInvocation:
        return IsDeviceMacro(item.name, 4);
      default:
        return true;
    }
  }

  // Whether the macro stands for __device__. A macro that the repository does not define is judged
  // by its name.
  bool IsDeviceMacro(const std::string& name, int depth) const {
    const auto& found = unit_.DefinitionsOf(name);
    if (found.empty()) return name.find("DEVICE") != std::string::npos;
    for (int entry : found) {
      const CudaItem& macro = unit_.item(entry);
      if (macro.kind != CudaItemKind::kMacro) continue;
      for (const std::string& use : macro.uses) {
        if (use == "__device__" || use == "__constant__" || use == "constexpr") return true;
        if (depth > 0 && IsDeviceMacro(use, depth - 1)) return true;
      }
    }
    return false;
  }

  void Select(int entry) {
    if (!selected_.insert(entry).second) return;
    const CudaItem& item = unit_.item(entry);
    // Tiny definitions are aliases and constants, without which the others cannot be read.
    std::int64_t size = item.last_line - item.first_line + 1;
    if (size <= kTiny) size = 0;
    // The reserve is for small definitions: large functions need a few constants.
    const std::int64_t room = size > kSmall ? lines_ - lines_ / kReserve : lines_;
    if (selected_.size() > 1 && size > 0 && used_lines_ + size > room) {
      selected_.erase(entry);
      left_out_.insert(item.defines.begin(), item.defines.end());
      return;
    }
    used_lines_ += size;
    queue_.push_back(entry);
  }

  void Want(std::string_view name) {
    const auto& named = unit_.DefinitionsOf(name);
    const auto functions = std::count_if(named.begin(), named.end(), [&](int entry) {
      return unit_.item(entry).kind == CudaItemKind::kFunction;
    });
    for (int entry : named) {
      if (selected_.contains(entry) || !IsEligible(entry)) continue;
      if (functions > 1 && unit_.item(entry).kind == CudaItemKind::kFunction) {
        overloads_.insert(entry);
      } else {
        Select(entry);
      }
    }
  }

  void Mention(std::string_view name) {
    if (name.starts_with("make_")) name.remove_prefix(5);
    mentioned_.emplace(name);
  }

  // Whether a qualified name is defined in the repository: its first part is.
  bool IsOwn(std::string_view head) const {
    return unit_.HasNamespace(head) || !unit_.DefinitionsOf(head).empty();
  }

  void Follow(int entry) {
    const CudaItem& item = unit_.item(entry);
    for (const std::string& chain : item.uses) {
      const auto parts = PartsOf(chain);
      for (std::string_view part : parts) Mention(part);
      if (parts.size() > 1 && !IsOwn(parts[0])) continue;
      for (std::string_view part : parts) Want(part);
    }
    operators_.insert(item.operators.begin(), item.operators.end());
    for (const std::string& name : item.conditions) WantMacro(name);
    for (const auto& at : unit_.EnclosuresOf(entry)) {
      for (const std::string& name : unit_.scope(at).uses) WantMacro(name);
    }
  }

  // Selects a macro that a condition tests; when it is not defined, the condition is false.
  void WantMacro(const std::string& name) {
    for (int entry : unit_.DefinitionsOf(name)) {
      if (unit_.item(entry).kind == CudaItemKind::kMacro) Select(entry);
    }
  }

  // Whether the slice mentions every type of an overload's parameters. An operator is found only by
  // its operands, so it must have such a type.
  bool FitsTypes(const CudaItem& item, bool needs_type) const {
    bool has_type = false;
    for (const std::string& type : item.types) {
      if (!IsVectorType(type) && unit_.DefinitionsOf(type).empty() && !ToolkitHeaderOf(type))
        continue;
      if (!mentioned_.contains(type)) return false;
      has_type = true;
    }
    return has_type || !needs_type;
  }

  bool TakeOverloads() {
    const std::size_t before = selected_.size();
    for (const std::string& sign : operators_) {
      for (int entry : unit_.DefinitionsOf("operator" + sign)) {
        if (!selected_.contains(entry) && IsEligible(entry) && FitsTypes(unit_.item(entry), true)) {
          Select(entry);
        }
      }
    }
    const std::set<int> waiting = overloads_;
    for (int entry : waiting) {
      if (FitsTypes(unit_.item(entry), false)) {
        overloads_.erase(entry);
        Select(entry);
      }
    }
    return selected_.size() != before;
  }

  // Selects what belongs to a selected definition: members defined outside their class, #undef of a
  // macro, directives that open a namespace of the slice.
  bool TakeCompanions() {
    const std::size_t before = selected_.size();
    std::set<std::string_view> records, macros, namespaces = {"cooperative_groups", "nvcuda"};
    for (int entry : selected_) {
      const CudaItem& item = unit_.item(entry);
      if (item.kind == CudaItemKind::kRecord) records.insert(item.name);
      if (item.kind == CudaItemKind::kMacro) macros.insert(item.name);
      for (const auto& at : unit_.EnclosuresOf(entry)) {
        for (std::string_view part : PartsOf(unit_.scope(at).name)) namespaces.insert(part);
      }
    }
    for (int entry : unit_.companions()) {
      const CudaItem& item = unit_.item(entry);
      if (selected_.contains(entry)) continue;
      const bool member = !item.owner.empty() && records.contains(item.owner) && IsEligible(entry);
      const bool undefined = item.kind == CudaItemKind::kUndef && macros.contains(item.name);
      const bool opened = item.kind == CudaItemKind::kUsing && item.quoted && !item.uses.empty() &&
                          namespaces.contains(PartsOf(item.uses[0])[0]);
      if (member || undefined || opened) Select(entry);
    }
    return selected_.size() != before;
  }

  void Provide(int entry) {
    const CudaItem& item = unit_.item(entry);
    const bool declares_only = item.kind == CudaItemKind::kFunction && !item.body;
    if (!declares_only) provided_.insert(item.defines.begin(), item.defines.end());
    provided_.insert(item.members.begin(), item.members.end());
    for (const auto& at : unit_.EnclosuresOf(entry)) {
      for (std::string_view part : PartsOf(unit_.scope(at).name)) provided_.emplace(part);
    }
    if (item.kind == CudaItemKind::kNamespaceAlias && !item.uses.empty()) {
      aliases_[item.name] = item.uses[0];
    }
    if (item.kind == CudaItemKind::kUsing && item.quoted) opened_.push_back(item.uses[0]);
  }

  // The chain with namespace aliases replaced.
  std::string Unaliased(const std::string& chain) const {
    const auto parts = PartsOf(chain);
    const auto alias = aliases_.find(parts[0]);
    if (alias == aliases_.end()) return chain;
    return alias->second + chain.substr(parts[0].size());
  }

  void FindMissing(int entry, KernelClosure* closure) const {
    const CudaItem& item = unit_.item(entry);
    for (const std::string& use : item.uses) {
      const std::string chain = Unaliased(use);
      const auto parts = PartsOf(chain);
      const bool own = provided_.contains(parts[0]);
      if (own && (parts.size() == 1 || !unit_.HasNamespace(parts[0]) ||
                  provided_.contains(parts[1]) || unit_.item(entry).kind == CudaItemKind::kUsing)) {
        continue;
      }
      if (!own && ToolkitHeaderOf(chain)) {
        closure->toolkit.insert(chain);
        continue;
      }
      if (!own && std::any_of(opened_.begin(), opened_.end(), [&](const std::string& space) {
            return ToolkitHeaderOf(space + "::" + chain).has_value() && !IsOwn(parts[0]);
          })) {
        closure->toolkit.insert(opened_[0] + "::" + chain);
        continue;
      }
      // A macro's body can use names of the place where it is expanded; only those of libraries are
      // certain.
      if (item.kind == CudaItemKind::kMacro || item.kind == CudaItemKind::kInvocation) {
        if (parts[0] != "at" && parts[0] != "torch" && parts[0] != "c10") continue;
      }
      closure->missing.insert(chain);
    }
  }

  const TranslationUnit& unit_;
  const std::int64_t lines_;
  std::int64_t used_lines_ = 0;
  std::set<int> selected_;
  std::deque<int> queue_;
  std::set<int> overloads_;  // Named in the slice but not selected yet.
  std::set<std::string, std::less<>> mentioned_;
  std::set<std::string> operators_;
  std::set<std::string> left_out_;
  std::set<std::string, std::less<>> provided_;
  std::map<std::string, std::string, std::less<>> aliases_;
  std::vector<std::string> opened_;
};

}  // namespace

KernelClosure CloseOver(const TranslationUnit& unit, int kernel, std::int64_t lines,
                        const std::vector<int>& hosts) {
  return Closer(unit, lines).Close(kernel, hosts);
}

}  // namespace kernelmill
