#include "generators/kernel_prose/stored_values.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

// An assignment to a variable, also as it is declared: "float q = __half2float(h_x)".
struct Assignment {
  std::string text, variable, value;
  std::size_t at = 0;
  bool changes = false;  // "x += y": the variable keeps a part of its value.
};

// The assignments of the body, in the order of its text.
std::vector<Assignment> AssignmentsIn(const std::string& body) {
  static const std::regex kPattern(
      R"(((?:(?:const|unsigned|long|[A-Za-z_][\w:]*[*&]?) )*)(\w+) ((?:[-+*/|&^]|<<|>>)?=) ([^;{}]+);)");
  std::vector<Assignment> all;
  for (std::sregex_iterator at(body.begin(), body.end(), kPattern), end; at != end; ++at) {
    std::string text = at->str();
    text.pop_back();
    const std::size_t start = static_cast<std::size_t>(at->position());
    const std::size_t before = start == 0 ? body.npos : body.find_last_not_of(' ', start - 1);
    // The head of a loop is no statement, and "x[i] = y" is a store.
    const bool whole =
        before == body.npos || std::string_view(";{})").find(body[before]) != body.npos;
    const std::string value = (*at)[4];
    const bool balanced =
        std::count(value.begin(), value.end(), '(') == std::count(value.begin(), value.end(), ')');
    if (!whole || !balanced) continue;
    all.push_back({text, (*at)[2], value, start, (*at)[3] != "="});
  }
  return all;
}

std::set<std::string> NamesOf(const std::string& text) {
  static const std::regex kName(R"([A-Za-z_]\w*)");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), kName), end; at != end; ++at)
    names.insert(at->str());
  return names;
}

// The head of the innermost loop around the position: "for (int i = 0; i < 8; i++)". "" when there
// is none or it is long.
std::string LoopAround(const std::string& body, std::size_t at) {
  constexpr std::size_t kLongest = 80;
  int depth = 0;
  for (std::size_t i = at; i-- > 0;) {
    if (body[i] == '}') ++depth;
    if (body[i] != '{' || --depth >= 0) continue;
    depth = 0;
    const std::size_t start = body.rfind("for (", i);
    const std::size_t close = body.find_last_not_of(' ', i - 1);
    if (start == body.npos || close == body.npos || body[close] != ')') continue;
    const std::string head = body.substr(start, close + 1 - start);
    if (head.size() <= kLongest && head.find_first_of("{}") == head.npos) return head;
  }
  return "";
}

// An expression without its subscripts: what they use is the place of a value.
std::string WithoutSubscripts(const std::string& expression) {
  std::string text;
  int depth = 0;
  for (const char c : expression) {
    depth += c == '[' ? 1 : 0;
    if (depth == 0) text += c;
    depth -= c == ']' ? 1 : 0;
  }
  return text;
}

// The statements before `end` that the value of the expression comes from, first to last. Empty
// where they are too many or too long.
std::vector<Assignment> StepsTo(const KernelSubject& subject, const std::string& expression,
                                std::size_t end) {
  constexpr std::size_t kMostSteps = 7, kLongest = 100;
  const std::vector<Assignment> all = AssignmentsIn(subject.body);
  std::set<std::string> wanted = NamesOf(WithoutSubscripts(expression));
  std::vector<Assignment> steps;
  for (std::size_t i = all.size(); i-- > 0;) {
    const Assignment& one = all[i];
    if (one.at >= end || !wanted.contains(one.variable)) continue;
    // Indices say where a thread works, which the answer explains in another part.
    const bool index =
        std::any_of(subject.facts.indices.begin(), subject.facts.indices.end(),
                    [&](const ThreadIndex& item) { return item.name == one.variable; });
    if (index) continue;
    if (one.text.size() > kLongest || steps.size() == kMostSteps) return {};
    steps.insert(steps.begin(), one);
    const std::set<std::string> names = NamesOf(WithoutSubscripts(one.value));
    // A variable that is set anew needs nothing of what was before.
    if (!one.changes && !names.contains(one.variable)) wanted.erase(one.variable);
    wanted.insert(names.begin(), names.end());
  }
  return steps;
}

bool HasBranches(const std::string& body) {
  return body.find("else") != body.npos || body.find("if constexpr") != body.npos ||
         body.find("switch (") != body.npos || body.find("#if") != body.npos;
}

// Whether the expression is a name, an element or a call, which needs no parentheses as an operand.
bool IsOneTerm(const std::string& expression) {
  std::size_t at = 0;
  while (at < expression.size() && IsNamePart(expression[at])) ++at;
  if (at == 0 || at == expression.size()) return at > 0;
  int depth = 0;
  for (; at < expression.size(); ++at) {
    const char c = expression[at];
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (depth == 0) return at + 1 == expression.size();
  }
  return false;
}

// "`a`, then `b` and then `c`", with the loop that the last of them stand in.
std::string Steps(const KernelSubject& subject, const std::vector<Assignment>& steps) {
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    text += i == 0 ? "" : i + 1 == steps.size() ? " and then " : ", ";
    text += Quoted(steps[i].text);
  }
  const std::string loop = LoopAround(subject.body, steps.back().at);
  if (loop.empty()) return text;
  std::size_t inside = 0;
  for (const Assignment& one : steps) inside += LoopAround(subject.body, one.at) == loop ? 1 : 0;
  if (inside == steps.size()) return text + ", all in the loop " + Quoted(loop);
  return text + (inside == 1 ? ", the last one" : ", the last " + std::to_string(inside)) +
         " in the loop " + Quoted(loop);
}

}  // namespace

std::string StoredValuesProse(const KernelSubject& subject,
                              const std::vector<std::string>& written) {
  constexpr std::size_t kMostStatements = 3;
  std::vector<std::string> statements, sentences;
  std::vector<Assignment> inputs;  // Of the statements.
  std::size_t stores = 0;
  std::set<std::size_t> told;  // The positions of the steps.
  for (const MemoryAccess& access : subject.facts.stores) {
    const bool result = std::find(written.begin(), written.end(), access.array) != written.end();
    if (access.shared || !result) continue;
    ++stores;
    const std::string statement = StatementWith(subject, access);
    const std::size_t equals = statement.find("= ");
    if (equals == statement.npos) return "";
    const std::string value = statement.substr(equals + 2);
    const bool number = value.find_first_not_of("0123456789.fFuU-") == value.npos;
    const bool name = !number && std::all_of(value.begin(), value.end(), IsNamePart);
    std::vector<Assignment> steps;
    if (!HasBranches(subject.body)) steps = StepsTo(subject, value, subject.body.find(statement));
    if (name && steps.empty()) return "";
    std::erase_if(steps, [&](const Assignment& one) { return !told.insert(one.at).second; });
    if (!name) {
      statements.push_back(statement);
      inputs.insert(inputs.end(), steps.begin(), steps.end());
      continue;
    }
    if (steps.empty()) return "";
    sentences.push_back("The value " + Quoted(value) + " that it stores in " + Quoted(access.text) +
                        " comes from " + Steps(subject, steps) + ".");
  }
  if (statements.size() > kMostStatements) return "";
  std::string text;
  if (!statements.empty()) {
    const bool all = statements.size() == stores, one = statements.size() == 1;
    const std::string_view start = all && one ? "The statement that stores its result is "
                                   : all      ? "The statements that store its results are "
                                   : one      ? "One of its stores is "
                                              : "Among its stores are ";
    Append(&text, std::string(start) + QuotedList(statements) + ".");
  }
  if (!inputs.empty()) {
    Append(&text,
           (statements.size() == 1 ? "Its operands come from " : "Their operands come from ") +
               Steps(subject, inputs) + ".");
  }
  for (const std::string& sentence : sentences) Append(&text, sentence);
  return text;
}

std::string ComposedStore(const KernelSubject& subject, const std::vector<std::string>& written) {
  constexpr std::size_t kLongest = 110, kFewest = 2;
  std::string stored;
  std::vector<Assignment> steps;
  for (const MemoryAccess& access : subject.facts.stores) {
    const bool result = std::find(written.begin(), written.end(), access.array) != written.end();
    if (access.shared || !result) continue;
    const std::string statement = StatementWith(subject, access);
    const std::size_t equals = statement.find(" = ");
    if (!stored.empty() || equals == statement.npos || HasBranches(subject.body)) return "";
    steps = StepsTo(subject, statement.substr(equals + 3), subject.body.find(statement));
    stored = statement;
  }
  if (steps.size() < kFewest) return "";
  std::map<std::string, std::string> values;
  const auto filled = [&](const std::string& expression, bool operand) {
    std::string text;
    for (std::size_t at = 0; at < expression.size();) {
      std::size_t end = at;
      while (end < expression.size() && IsNamePart(expression[end])) ++end;
      const auto value = values.find(expression.substr(at, end - at));
      // A whole argument or right side needs no parentheses.
      const std::size_t before =
          at == 0 ? std::string::npos : expression.find_last_not_of(' ', at - 1);
      const std::size_t after = expression.find_first_not_of(' ', end);
      const bool whole =
          !operand &&
          (before == expression.npos || expression[before] == ',' || expression[before] == '(') &&
          (after == expression.npos || expression[after] == ',' || expression[after] == ')');
      if (end > at && value != values.end()) {
        const bool sum =
            value->second.find_first_of("+-*/") != std::string::npos && !IsOneTerm(value->second);
        text += !whole && sum ? "(" + value->second + ")" : value->second;
      } else {
        text += expression.substr(at, std::max(end, at + 1) - at);
      }
      at = std::max(end, at + 1);
    }
    return text;
  };
  for (const Assignment& one : steps) {
    const bool declares = one.text.starts_with("float ") || one.text.starts_with("const float ");
    const bool known = values.contains(one.variable);
    // Other types round or cut what they are given.
    if ((!declares && !known) || !LoopAround(subject.body, one.at).empty()) return "";
    if (!one.changes) {
      values[one.variable] = filled(one.value, false);
      continue;
    }
    const std::string sign = one.text.substr(one.text.find("= ") - 1, 1);
    if (std::string_view("+-*/").find(sign) == std::string_view::npos) return "";
    const std::string value = one.value.find_first_of("+-*/") == one.value.npos
                                  ? filled(one.value, true)
                                  : "(" + filled(one.value, false) + ")";
    values[one.variable] = filled(one.variable, true) + " " + sign + " " + value;
  }
  const std::size_t equals = stored.find(" = ");
  const std::string text =
      stored.substr(0, equals + 3) + filled(stored.substr(equals + 3), false) + ";";
  return text.size() > kLongest || text == stored + ";" ? "" : text;
}

}  // namespace kernelmill
