#include "generators/reasoning/copying_functions.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "generators/reasoning/run_figures.h"
#include "generators/wording/tensor_text.h"

namespace kernelmill {
namespace {

std::vector<std::string> NamesIn(const std::string& list) {
  static const std::regex kName(R"([A-Za-z_][\w.]*)");
  std::vector<std::string> names;
  std::size_t start = 0;
  while (start <= list.size()) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    const std::string item = list.substr(start, end - start);
    std::smatch name;
    // The last word of "torch::Tensor x" is the name.
    std::string last;
    for (auto rest = item; std::regex_search(rest, name, kName); rest = name.suffix())
      last = name[0];
    names.push_back(last);
    start = end + 1;
  }
  return names;
}

// The number of the line of the statement; a match of an assignment begins at the end of the line
// before.
std::ptrdiff_t LineOf(const std::string& text, std::ptrdiff_t at) {
  return std::count(text.begin(), text.begin() + at + 1, '\n');
}

// Whether the definition of the host function makes its parameter at that place contiguous.
bool MakesContiguous(const std::string& code, const std::string& function, std::size_t place) {
  static const std::regex kHead(R"(^\(([^()]*)\) \{\n)");
  const std::string start = " " + function + "(";
  for (std::size_t at = code.find(start); at != code.npos; at = code.find(start, at + 1)) {
    const std::string text = code.substr(at + start.size() - 1, code.find("\n}\n", at) - at);
    std::smatch head;
    if (!std::regex_search(text, head, kHead)) continue;  // A declaration or a call.
    const std::vector<std::string> names = NamesIn(head[1]);
    if (place >= names.size()) return false;
    const std::string& name = names[place];
    return text.find("\n  " + name + " = " + name + ".contiguous();") != text.npos;
  }
  return false;
}

// The names of the inputs that get_inputs() returns in another layout than the contiguous one, as
// its text draws them.
std::set<std::string> StridedInputs(const Task& task) {
  static const std::regex kStrided(
      R"(memory_format=torch\.channels_last|\.transpose\(-2, -1\)|\[\.\.\., ::2\])");
  static const std::regex kAssigned(R"(^    (\w+) = (.*)$)"), kReturned(R"(^    return \[(.*)\]$)");
  std::set<std::string> strided;
  const std::size_t begin = task.code.find("def get_inputs():\n");
  if (begin == std::string::npos) return strided;
  std::istringstream lines(task.code.substr(begin));
  std::string line;
  std::getline(lines, line);
  std::smatch parts;
  while (std::getline(lines, line) && line.starts_with("    ")) {
    if (std::regex_match(line, parts, kAssigned)) {
      if (std::regex_search(line, kStrided)) strided.insert(parts[1]);
      continue;
    }
    if (!std::regex_match(line, parts, kReturned)) continue;
    // The items of the list are the inputs in their order.
    const std::string items = parts[1];
    std::size_t start = 0, place = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= items.size(); ++i) {
      const char c = i < items.size() ? items[i] : ',';
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      if (c != ',' || depth > 0) continue;
      const std::string item = items.substr(start, i - start);
      if (std::regex_search(item, kStrided) && place < task.inputs.size()) {
        strided.insert(task.inputs[place].name);
      }
      start = i + 1;
      ++place;
    }
  }
  std::erase_if(strided, [&](const std::string& name) {
    return std::none_of(task.inputs.begin(), task.inputs.end(),
                        [&](const InputSpec& input) { return input.name == name; });
  });
  return strided;
}

// The calls of the reference that transpose a tensor into a view, in their order.
std::vector<const OperatorCall*> TransposingCalls(const Annotation& facts) {
  std::vector<const OperatorCall*> calls;
  for (const OperatorCall& call : facts.operators) {
    const bool transposes = call.name == "transpose" || call.name == "permute" ||
                            call.name == "swapaxes" || call.name == "t";
    if (transposes && call.outputs.size() == 1) calls.push_back(&call);
  }
  return calls;
}

std::int64_t BytesOfCopy(const TensorFacts& tensor) {
  return 2 * BytesIn(tensor.shape, tensor.dtype);
}

std::int64_t BytesOfCopy(const Task& task, const std::string& name) {
  for (const InputSpec& input : task.inputs) {
    if (input.name == name) return 2 * BytesIn(input.shape, input.dtype);
  }
  return 0;
}

}  // namespace

std::vector<CopyingFunction> CopyingFunctions(const Candidate& answer, const Task& task,
                                              const Annotation& facts) {
  std::vector<CopyingFunction> copying;
  const std::size_t begin = answer.code.find("def forward(");
  if (begin == std::string::npos) return copying;
  const std::string forward = answer.code.substr(begin);
  static const std::regex kAssigned(R"(\n\s+(\w+) = (\w+)(\.(transpose|permute|swapaxes|t)\()?)");
  const std::vector<const OperatorCall*> transposed = TransposingCalls(facts);
  std::map<std::string, std::int64_t> views;       // With the bytes of a copy.
  std::map<std::string, std::ptrdiff_t> assigned;  // Where the name gets its first value.
  std::size_t place = 0;
  for (std::sregex_iterator at(forward.begin(), forward.end(), kAssigned), end; at != end; ++at) {
    assigned.emplace((*at)[1], at->position());
    if (!(*at)[3].matched) {
      views.erase((*at)[1]);
      continue;
    }
    // The answer creates the views of the reference, in their order.
    const bool known = place < transposed.size() && transposed[place]->name == (*at)[4].str();
    views[(*at)[1]] = known ? BytesOfCopy(transposed[place]->outputs[0]) : 0;
    ++place;
  }
  const std::set<std::string> strided = StridedInputs(task);
  static const std::regex kCall(R"(ops\.(\w+)\(([^()]*)\))");
  for (std::sregex_iterator at(forward.begin(), forward.end(), kCall), end; at != end; ++at) {
    const std::string function = (*at)[1];
    const std::vector<std::string> arguments = NamesIn((*at)[2]);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      // The call whose result gets the name begins behind the start of its line.
      const auto changed = assigned.find(arguments[i]);
      const bool input = strided.contains(arguments[i]) &&
                         (changed == assigned.end() ||
                          LineOf(forward, changed->second) >= LineOf(forward, at->position()));
      const auto view = views.find(arguments[i]);
      if ((!input && view == views.end()) || !MakesContiguous(answer.code, function, i)) continue;
      copying.push_back({function, input, input ? BytesOfCopy(task, arguments[i]) : view->second});
      break;
    }
  }
  return copying;
}

std::int64_t LaunchesWithCopies(const Candidate& answer, const Task& task,
                                const Annotation& facts) {
  const std::int64_t own = LaunchesOf(answer);
  return own == 0 ? 0
                  : own + static_cast<std::int64_t>(CopyingFunctions(answer, task, facts).size());
}

}  // namespace kernelmill
