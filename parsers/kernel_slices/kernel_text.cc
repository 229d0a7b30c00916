#include "parsers/kernel_slices/kernel_text.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "parsers/cuda_attributes.h"
#include "parsers/cuda_names.h"

namespace kernelmill {
namespace {

using Enclosure = TranslationUnit::Enclosure;

// Whether a macro configures one of the libraries: GLM_FORCE_CUDA for "glm".
bool IsSwitchOf(const CudaItem& item, const std::set<std::string>& libraries) {
  return std::any_of(libraries.begin(), libraries.end(), [&](std::string library) {
    std::transform(library.begin(), library.end(), library.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    return item.name.starts_with(library + "_");
  });
}

// The lines that include what the slice needs: headers of the toolkit by the names that it uses,
// and those of other libraries for missing names ("glm/vec3.hpp" for "glm::vec3"), behind the
// macros that configure them.
std::vector<std::string> PreambleOf(const TranslationUnit& unit, const KernelClosure& closure,
                                    const KernelBackend& backend) {
  std::set<std::string> headers, heads, spaces, libraries;
  for (const std::string& name : closure.toolkit) {
    const std::string_view header = ToolkitHeaderOf(name).value_or("");
    if (!header.empty()) headers.emplace(HeaderNameFor(backend, header));
    spaces.insert(name.substr(0, name.find("::")));
  }
  for (const std::string& name : closure.missing) heads.insert(name.substr(0, name.find("::")));
  for (int entry : unit.includes()) {
    const CudaItem& item = unit.item(entry);
    const std::string folder = item.name.substr(0, item.name.find_first_of("/."));
    const bool toolkit = IsToolkitHeader(item.name) && spaces.contains(folder);
    const bool library = heads.contains(folder) && item.name.find('/') != std::string::npos;
    if (toolkit || library) headers.insert(item.name);
    if (library) libraries.insert(folder);
  }
  std::set<std::string> switches;
  for (int entry : unit.macros()) {
    const CudaItem& item = unit.item(entry);
    if (!IsSwitchOf(item, libraries)) continue;
    switches.insert(CodeOnOneLine(std::string_view(unit.source(entry))
                                      .substr(static_cast<std::size_t>(item.first),
                                              static_cast<std::size_t>(item.last - item.first))));
  }
  std::vector<std::string> lines(switches.begin(), switches.end());
  for (const std::string& name : headers) lines.push_back("#include <" + name + ">");
  return lines;
}

class Writer {
 public:
  explicit Writer(const TranslationUnit& unit) : unit_(unit) {}

  void Write(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) text_.code += line + "\n";
  }

  void Add(int entry, bool is_kernel) {
    const CudaItem& item = unit_.item(entry);
    MoveTo(unit_.EnclosuresOf(entry));
    const bool small = item.kind == CudaItemKind::kMacro || item.kind == CudaItemKind::kAlias ||
                       item.kind == CudaItemKind::kVariable ||
                       item.kind == CudaItemKind::kNamespaceAlias ||
                       item.kind == CudaItemKind::kUsing || item.kind == CudaItemKind::kUndef;
    const bool beside = small && last_small_ && item.first_line == item.last_line;
    if (!beside && !opened_) Gap();
    opened_ = false;
    last_small_ = small && item.first_line == item.last_line;
    const std::string& source = unit_.source(entry);
    text_.code.append(source, item.lead, item.first - item.lead);
    if (is_kernel) {
      text_.line = 1 + std::count(text_.code.begin(), text_.code.end(), '\n');
    }
    std::int64_t at = item.first;
    for (const CudaSpan& part : item.host_parts) {
      Omit(item, source.substr(part.first, part.last - part.first));
      std::int64_t first = part.first, last = part.last;
      while (first > at && (source[first - 1] == ' ' || source[first - 1] == '\t')) --first;
      if (last < item.last && source[last] == '\n' && first > at && source[first - 1] == '\n') {
        ++last;
      }
      text_.code.append(source, at, first - at);
      at = last;
    }
    text_.code.append(source, at, item.last - at);
    text_.code += '\n';
  }

  KernelText Finish() {
    MoveTo({});
    std::sort(text_.omitted.begin(), text_.omitted.end());
    text_.omitted.erase(std::unique(text_.omitted.begin(), text_.omitted.end()),
                        text_.omitted.end());
    return std::move(text_);
  }

 private:
  void Gap() {
    if (!text_.code.empty() && !text_.code.ends_with("\n\n")) text_.code += '\n';
  }

  // Whether both are branches of one condition, `to` after `from`.
  bool IsLaterBranch(const Enclosure& from, const Enclosure& to) const {
    if (from.file != to.file) return false;
    for (Enclosure at = to; unit_.scope(at).after >= 0;) {
      at.scope = static_cast<int>(unit_.scope(at).after);
      if (at == from) return true;
    }
    return false;
  }

  // Whether the text of `a` can continue into `b`: equal namespaces that were closed and opened
  // again in between stay open.
  bool Same(const Enclosure& a, const Enclosure& b) const {
    if (a == b) return true;
    const CudaScope &first = unit_.scope(a), &second = unit_.scope(b);
    return first.kind != CudaScope::Kind::kCondition && first.kind == second.kind &&
           first.open == second.open;
  }

  void MoveTo(const std::vector<Enclosure>& target) {
    std::size_t shared = 0;
    while (shared < std::min(open_.size(), target.size()) && Same(open_[shared], target[shared])) {
      ++shared;
    }
    const bool branch = shared < open_.size() && shared < target.size() &&
                        IsLaterBranch(open_[shared], target[shared]);
    while (open_.size() > shared + (branch ? 1 : 0)) Close();
    if (branch) {
      Gap();
      Branches(open_[shared], target[shared]);
      open_[shared] = target[shared];
      ++shared;
      opened_ = true;
    }
    for (; shared < target.size(); ++shared) {
      if (!opened_) Gap();
      if (unit_.scope(target[shared]).kind == CudaScope::Kind::kCondition) {
        Branches({-1, -1}, target[shared]);
      } else {
        text_.code += unit_.scope(target[shared]).open + "\n";
      }
      open_.push_back(target[shared]);
      opened_ = false;
      Gap();
      opened_ = true;
    }
  }

  // Writes the directives of the branches after `from` up to `to`.
  void Branches(const Enclosure& from, const Enclosure& to) {
    std::vector<std::string> lines;
    for (Enclosure at = to; at != from;) {
      lines.push_back(unit_.scope(at).open);
      if (unit_.scope(at).after < 0) break;
      at.scope = static_cast<int>(unit_.scope(at).after);
    }
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) text_.code += *line + "\n";
  }

  void Close() {
    const CudaScope& scope = unit_.scope(open_.back());
    open_.pop_back();
    Gap();
    if (scope.kind == CudaScope::Kind::kCondition) {
      text_.code += "#endif\n";
    } else {
      text_.code += scope.kind == CudaScope::Kind::kLinkage ? "}  // extern \"C\"\n"
                    : scope.name.empty()                    ? "}  // namespace\n"
                                         : "}  // namespace " + scope.name + "\n";
    }
    last_small_ = opened_ = false;
  }

  void Omit(const CudaItem& record, std::string_view part) {
    const std::string head = CodeOnOneLine(part.substr(0, part.find('(')));
    const auto names = IdentifiersIn(head);
    if (!names.empty()) text_.omitted.push_back(record.name + "::" + std::string(names.back()));
  }

  const TranslationUnit& unit_;
  KernelText text_;
  std::vector<Enclosure> open_;
  bool opened_ = false;      // The last thing written is an opening directive.
  bool last_small_ = false;  // The last thing written is a one-line definition without a body.
};

}  // namespace

KernelText WriteKernelSlice(const TranslationUnit& unit, const KernelClosure& closure, int kernel,
                            const KernelBackend& backend) {
  return WriteKernelSlice(unit, closure, kernel, PreambleOf(unit, closure, backend));
}

KernelText WriteKernelSlice(const TranslationUnit& unit, const KernelClosure& closure, int kernel,
                            const std::vector<std::string>& lines) {
  Writer writer(unit);
  writer.Write(lines);
  for (int entry : closure.entries) writer.Add(entry, entry == kernel);
  return writer.Finish();
}

}  // namespace kernelmill
