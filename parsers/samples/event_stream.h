// Splits a stream of server-sent events (WHATWG HTML, "text/event-stream") into the data of its
// events. Names, ids and comments of the stream are skipped.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kernelmill {

class EventStream {
 public:
  using Visit = std::function<void(std::string_view data)>;

  // The next bytes of the stream, cut anywhere. Calls `visit` for each event that they complete.
  void Feed(std::string_view bytes, const Visit& visit);
  // The end of the stream. The last event counts if its last line is complete, because some servers
  // leave out the empty line behind it.
  void Finish(const Visit& visit);

 private:
  void TakeLine(std::string_view line, const Visit& visit);

  std::string line_;  // The beginning of a line.
  std::string data_;  // Of the event so far, with a line feed behind each line.
};

}  // namespace kernelmill
