#include "generators/kernel_prose/shared_reuse.h"

#include <regex>
#include <vector>

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

struct Event {
  enum class Kind : std::uint8_t { kRead, kWrite, kBarrier };
  Kind kind = Kind::kRead;
  std::string text;
  std::size_t at = 0;
  int depth = 0;             // Of braces: 1 in the body of the kernel itself.
  bool conditional = false;  // The statement has an if, or stands in more braces.
  bool in_loop = false;
  std::size_t statement = 0;  // The position where it begins.
};

// The position behind the subscripts that begin at `at`.
std::size_t EndOfSubscripts(const std::string& body, std::size_t at) {
  while (at < body.size() && body[at] == '[') {
    int depth = 0;
    for (; at < body.size(); ++at) {
      depth += body[at] == '[' ? 1 : body[at] == ']' ? -1 : 0;
      if (depth == 0) break;
    }
    ++at;
  }
  return at;
}

class Reader {
 public:
  Reader(const std::string& body, const std::string& array) : body_(body), array_(array) {}

  std::vector<Event> Events() {
    for (std::size_t at = 0; at < body_.size(); ++at) {
      const char c = body_[at];
      if (c == '{') {
        const std::string head = body_.substr(statement_, at - statement_);
        loops_.push_back(head.find("for (") != head.npos || head.find("while (") != head.npos ||
                         head.find("do ") != head.npos);
      }
      if (c == '}' && !loops_.empty()) loops_.pop_back();
      if (c == '(') ++parentheses_;
      if (c == ')') --parentheses_;
      if ((c == ';' && parentheses_ == 0) || c == '{' || c == '}') statement_ = at + 1;
      if (at > 0 && IsNamePart(body_[at - 1])) continue;
      if (body_.compare(at, 13, "__syncthreads") == 0) Add(Event::Kind::kBarrier, at, at + 13);
      const std::size_t behind = at + array_.size();
      if (body_.compare(at, array_.size(), array_) != 0 || behind >= body_.size()) continue;
      if (body_[behind] == '[') {
        Access(at, EndOfSubscripts(body_, behind));
      } else if (!IsNamePart(body_[behind])) {
        whole_ = true;  // A pointer to it may be used anywhere.
      }
    }
    return events_;
  }

  bool escapes() const { return whole_; }

 private:
  void Add(Event::Kind kind, std::size_t at, std::size_t end) {
    Event event = {kind, body_.substr(at, end - at), at, static_cast<int>(loops_.size())};
    const std::string before = body_.substr(statement_, at - statement_);
    event.statement = statement_;
    event.conditional = loops_.size() > 1 || before.find("if (") != before.npos;
    event.in_loop = before.find("for (") != before.npos || before.find("while (") != before.npos;
    for (const bool loop : loops_) event.in_loop = event.in_loop || loop;
    events_.push_back(event);
  }

  void Access(std::size_t at, std::size_t end) {
    const std::string before = body_.substr(statement_, at - statement_);
    if (before.find("__shared__") != before.npos) return;
    static const std::regex kAssigned(R"(^ ?(?:[-+*/|&^]|<<|>>)?=(?!=))");
    const std::string rest = body_.substr(end, 5);
    std::smatch match;
    const bool member = rest.starts_with('.') || (at > 0 && body_[at - 1] == '&');
    if (member) whole_ = true;
    const bool written = std::regex_search(rest, match, kAssigned);
    // The right side of an assignment is evaluated first.
    if (!written || match.str().find_first_of("+-*/|&^<>") != std::string::npos)
      Add(Event::Kind::kRead, at, end);
    if (written) Add(Event::Kind::kWrite, at, end);
  }

  const std::string& body_;
  const std::string& array_;
  std::vector<bool> loops_;  // Of the braces around: whether they are a loop's.
  int parentheses_ = 0;
  std::size_t statement_ = 0;
  bool whole_ = false;
  std::vector<Event> events_;
};

}  // namespace

SharedReuse ReuseOf(const KernelSubject& subject, const std::string& array) {
  Reader reader(subject.body, array);
  const std::vector<Event> events = reader.Events();
  SharedReuse found;
  if (reader.escapes()) return {SharedReuse::Kind::kUnknown, "", ""};
  for (const Event& write : events) {
    if (write.kind != Event::Kind::kWrite) continue;
    const Event* read = nullptr;  // The last one before, of another statement.
    bool barrier = false;
    for (const Event& event : events) {
      if (event.at >= write.at) break;
      if (event.kind == Event::Kind::kRead && event.statement != write.statement) {
        read = &event;
        barrier = false;
      }
      barrier = barrier || (event.kind == Event::Kind::kBarrier && !event.conditional);
    }
    // In a loop, a write may also follow the reads of the iteration before.
    bool again = false;
    std::size_t barriers = 0;
    for (const Event& event : events) {
      again = again || (write.in_loop && event.in_loop && event.kind == Event::Kind::kRead);
      barriers += event.in_loop && event.kind == Event::Kind::kBarrier ? 1 : 0;
    }
    if (again && barriers < 2) return {SharedReuse::Kind::kUnknown, "", ""};
    if (again && found.kind == SharedReuse::Kind::kNone) found.kind = SharedReuse::Kind::kOrdered;
    if (read == nullptr || again) continue;
    if (barrier) {
      if (found.kind == SharedReuse::Kind::kNone) found.kind = SharedReuse::Kind::kOrdered;
      continue;
    }
    // One warp may read and write in turns.
    const bool all_read = !read->conditional && !read->in_loop && !write.in_loop;
    if (!all_read || read->text == write.text || write.depth != 1)
      return {SharedReuse::Kind::kUnknown, "", ""};
    if (found.kind != SharedReuse::Kind::kUnordered)
      found = {SharedReuse::Kind::kUnordered, read->text, write.text};
  }
  return found;
}

}  // namespace kernelmill
