#include "generators/reasoning/copying_functions.h"

#include <regex>
#include <set>

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

}  // namespace

std::vector<std::string> CopyingFunctions(const Candidate& answer) {
  std::vector<std::string> copying;
  const std::size_t begin = answer.code.find("def forward(");
  if (begin == std::string::npos) return copying;
  const std::string forward = answer.code.substr(begin);
  static const std::regex kAssigned(R"(\n\s+(\w+) = (\w+)(\.(?:transpose|permute|swapaxes|t)\()?)");
  std::set<std::string> views;
  for (std::sregex_iterator at(forward.begin(), forward.end(), kAssigned), end; at != end; ++at) {
    if ((*at)[3].matched) {
      views.insert((*at)[1]);
    } else {
      views.erase((*at)[1]);
    }
  }
  static const std::regex kCall(R"(ops\.(\w+)\(([^()]*)\))");
  for (std::sregex_iterator at(forward.begin(), forward.end(), kCall), end; at != end; ++at) {
    const std::string function = (*at)[1];
    const std::vector<std::string> arguments = NamesIn((*at)[2]);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (views.contains(arguments[i]) && MakesContiguous(answer.code, function, i)) {
        copying.push_back(function);
        break;
      }
    }
  }
  return copying;
}

}  // namespace kernelmill
