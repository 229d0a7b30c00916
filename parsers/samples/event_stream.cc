#include "parsers/samples/event_stream.h"

namespace kernelmill {

void EventStream::TakeLine(std::string_view line, const Visit& visit) {
  constexpr std::string_view kData = "data:";
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return Finish(visit);
  if (!line.starts_with(kData)) return;
  line.remove_prefix(kData.size());
  if (line.starts_with(' ')) line.remove_prefix(1);
  data_.append(line).push_back('\n');
}

void EventStream::Feed(std::string_view bytes, const Visit& visit) {
  for (std::size_t end; (end = bytes.find('\n')) != bytes.npos; bytes.remove_prefix(end + 1)) {
    if (line_.empty()) {
      TakeLine(bytes.substr(0, end), visit);
    } else {
      line_.append(bytes.substr(0, end));
      TakeLine(line_, visit);
      line_.clear();
    }
  }
  line_.append(bytes);
}

void EventStream::Finish(const Visit& visit) {
  if (data_.empty()) return;
  data_.pop_back();
  visit(data_);
  data_.clear();
}

}  // namespace kernelmill
