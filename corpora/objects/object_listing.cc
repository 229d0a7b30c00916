#include "corpora/objects/object_listing.h"

#include <charconv>

#include "corpora/objects/object_request.h"

namespace kernelmill {
namespace {

// What an address escapes, in a list with encoding-type=url.
std::string Unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int code = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
      plain += static_cast<char>(code);
      i += 2;
    } else {
      plain += text[i] == '+' ? ' ' : text[i];
    }
  }
  return plain;
}

}  // namespace

Result<ObjectPage> ObjectPage::Parse(std::string_view xml, const ObjectAddress& prefix) {
  constexpr std::string_view kBegin = "<Contents>", kEnd = "</Contents>";
  const auto wrong = [&](const std::string& why) {
    return Status(ErrorCode::kCorrupt,
                  prefix.Text() + ": the object store's list of objects " + why);
  };
  const std::string above = prefix.name + "/";
  ObjectPage page;
  const std::string_view more = ElementText(xml, "IsTruncated");
  if (more != "true" && more != "false") return wrong("does not say whether it is complete");
  if (more == "true") {
    page.next = ElementText(xml, "NextContinuationToken");
    if (page.next.empty()) return wrong("does not say how it goes on");
  }
  for (std::size_t at = xml.find(kBegin); at != xml.npos; at = xml.find(kBegin, at)) {
    const std::size_t end = xml.find(kEnd, at);
    if (end == xml.npos) return wrong("ends within an entry");
    const std::string_view entry = xml.substr(at, end - at);
    at = end;
    const std::string name = Unescaped(ElementText(entry, "Key"));
    const std::string_view size = ElementText(entry, "Size");
    ListedObject object;
    const char* const last = size.data() + size.size();
    const auto parsed = std::from_chars(size.data(), last, object.size);
    if (size.empty() || parsed.ptr != last || object.size < 0) return wrong("has no size");
    if (!name.starts_with(above)) return wrong("has a name that was not asked for");
    object.name = name.substr(above.size());
    page.objects.push_back(std::move(object));
  }
  return page;
}

}  // namespace kernelmill
