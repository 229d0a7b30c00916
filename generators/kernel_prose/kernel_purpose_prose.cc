#include <algorithm>
#include <regex>

#include "generators/kernel_prose/kernel_prose.h"
#include "generators/kernel_prose/stored_values.h"
#include "generators/wording/fenced_code.h"
#include "generators/wording/sentence_writer.h"
#include "manifests/ascii.h"

namespace kernelmill {
namespace {

// The code from its line `first` on, without comments, with single spaces.
std::string CodeFrom(const std::string& code, std::int64_t first) {
  std::size_t at = 0;
  for (std::int64_t line = 1; line < first && at != std::string::npos + 1; ++line) {
    at = code.find('\n', at) + 1;  // npos + 1 is 0.
    if (at == 0) return "";
  }
  std::string text;
  for (; at < code.size(); ++at) {
    if (code.compare(at, 2, "//") == 0) at = std::min(code.find('\n', at), code.size() - 1);
    if (code.compare(at, 2, "/*") == 0) {
      const std::size_t end = code.find("*/", at + 2);
      if (end == std::string::npos) break;
      at = end + 2;
    }
    const bool space = code[at] == ' ' || code[at] == '\n' || code[at] == '\t';
    if (!space) {
      text += code[at];
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  return text;
}

bool Has(const KernelSubject& subject, std::string_view text) {
  return subject.body.find(text) != std::string::npos;
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Algorithms with a name that the text of the kernel shows.
std::vector<std::string> NamedAlgorithms(const KernelSubject& subject) {
  std::vector<std::string> sentences;
  std::smatch halves;
  static const std::regex kMiddle(R"((\w+) = \(?(\w+) \+ (\w+)\)? ?(/ 2|>> 1);)");
  // The functions that it calls stand in the same code.
  if (std::regex_search(subject.kernel.code, halves, kMiddle) &&
      subject.kernel.code.find("while (") != std::string::npos) {
    sentences.push_back("The loop around `" + halves[0].str().substr(0, halves[0].length() - 1) +
                        "` is a binary search: each iteration halves the interval from `" +
                        halves[2].str() + "` to `" + halves[3].str() +
                        "`, so it takes a number of steps that grows with the logarithm of the "
                        "interval's length.");
  }
  if (Has(subject, "BlockReduce(")) {
    sentences.push_back(
        "`BlockReduce` is CUB's reduction over a thread block: every thread contributes a value, "
        "and thread 0 of the block receives the result.");
  }
  if (Has(subject, "BlockScan(")) {
    sentences.push_back(
        "`BlockScan` is CUB's prefix sum over a thread block: it gives each thread the sum of the "
        "values of the threads before it.");
  }
  return sentences;
}

}  // namespace

KernelSubject KernelSubject::Of(const KernelSource& kernel, const KernelFacts& facts) {
  return {kernel, facts, CodeFrom(kernel.code, kernel.line), std::nullopt};
}

std::string Quoted(std::string_view text) {
  const std::string inner(text);
  return inner.find('`') == std::string::npos ? "`" + inner + "`" : "`` " + inner + " ``";
}

std::string QuotedList(const std::vector<std::string>& items, std::size_t most) {
  std::vector<std::string> quoted;
  for (const std::string& item : items) {
    // A list never ends with "and 1 more".
    if (quoted.size() == most && items.size() > most + 1) {
      quoted.push_back(std::to_string(items.size() - most) + " more");
      break;
    }
    quoted.push_back(Quoted(item));
  }
  return Listed(quoted);
}

void Append(std::string* text, const std::string& sentence) {
  if (sentence.empty()) return;
  *text += (text->empty() ? "" : " ") + sentence;
}

std::string StatementWith(const KernelSubject& subject, const MemoryAccess& access) {
  constexpr std::size_t kLongest = 120;
  for (std::size_t at = subject.body.find(access.text); at != std::string::npos;
       at = subject.body.find(access.text, at + 1)) {
    const std::size_t begin = subject.body.find_last_of(";{})", at);
    // The access is the left side of an assignment.
    if (begin == std::string::npos || begin + 2 != at) continue;
    const std::size_t end = subject.body.find(';', at);
    if (end == std::string::npos || end - at > kLongest) return "";
    const std::string statement = subject.body.substr(at, end - at);
    return statement.find('{') == statement.npos ? statement : "";
  }
  return "";
}

bool IsUpdatedByAtomics(const KernelSubject& subject, const std::string& array) {
  // atomicAdd(&x[i], v), gpuAtomicAdd(x + i, v).
  for (const std::string& opening : {"(" + array, "(&" + array}) {
    for (std::size_t at = subject.body.find(opening); at != std::string::npos;
         at = subject.body.find(opening, at + 1)) {
      const std::size_t end = at + opening.size();
      const bool whole = end < subject.body.size() && !IsNamePart(subject.body[end]);
      std::size_t begin = at;
      while (begin > 0 && IsNamePart(subject.body[begin - 1])) --begin;
      if (whole && subject.body.substr(begin, at - begin).find("tomic") != std::string::npos) {
        return true;
      }
    }
  }
  return false;
}

std::vector<std::string> WrittenArrays(const KernelSubject& subject) {
  std::vector<std::string> arrays;
  for (const KernelParameter& parameter : subject.facts.parameters) {
    if (!parameter.pointer || parameter.constant) continue;
    const bool stored =
        std::any_of(subject.facts.stores.begin(), subject.facts.stores.end(),
                    [&](const MemoryAccess& access) { return access.array == parameter.name; });
    if (stored || IsUpdatedByAtomics(subject, parameter.name)) arrays.push_back(parameter.name);
  }
  return arrays;
}

std::string PurposeProse(const KernelSubject& subject) {
  const std::vector<std::string> written = WrittenArrays(subject);
  std::vector<std::string> read, changed, results;
  for (const MemoryAccess& access : subject.facts.loads) {
    const bool parameter =
        std::any_of(subject.facts.parameters.begin(), subject.facts.parameters.end(),
                    [&](const KernelParameter& one) { return one.name == access.array; });
    if (access.shared || !parameter) continue;
    auto& list = Contains(written, access.array) ? changed : read;
    if (!Contains(list, access.array)) list.push_back(access.array);
  }
  // "x[i] += y" reads too.
  for (const MemoryAccess& access : subject.facts.stores) {
    if (Contains(written, access.array) && !Contains(changed, access.array) &&
        Has(subject, access.text + " += ")) {
      changed.push_back(access.array);
    }
  }
  // A struct that carries a pointer: "index.data[…]".
  for (const KernelParameter& parameter : subject.facts.parameters) {
    const std::string data = parameter.name + ".data";
    if (!parameter.pointer && Has(subject, data + "[")) read.push_back(data);
  }
  for (const std::string& array : written) {
    if (!Contains(changed, array)) results.push_back(array);
  }
  std::string text;
  const std::string name = Quoted(subject.facts.name);
  if (!read.empty() && !results.empty()) {
    text = name + " reads " + QuotedList(read) + " and writes " + QuotedList(results) + ".";
  } else if (!results.empty()) {
    text = name + " writes " + QuotedList(results) + ".";
  }
  if (!changed.empty()) {
    Append(&text, (text.empty() ? name : "It") + " reads and writes " + QuotedList(changed) + ".");
  }
  const std::string how = StoredValuesProse(subject, written);
  const std::vector<std::string> named = NamedAlgorithms(subject);
  // Which pointers are read and written does not say what is computed.
  if (how.empty() && named.empty()) return "";
  // The statement that a chain of assignments amounts to says it better than the chain.
  const std::string composed = ComposedStore(subject, written);
  const std::string meaning = MeaningProse(subject, written);
  if (!composed.empty()) {
    const std::string place = composed.substr(0, composed.find(" = "));
    const std::string value = composed.substr(place.size());
    if (changed.size() == 1 && results.empty() && value.find(place) != value.npos &&
        value.find(changed[0] + "[") == value.rfind(changed[0] + "[")) {
      Append(&text, "Each thread changes its own element in place, so none waits for another.");
    }
    text += "\n\n" + Fenced("cuda", composed + "\n");
  } else {
    Append(&text, how);
  }
  if (!meaning.empty()) text += (composed.empty() ? "\n\n" : "\n") + meaning;
  for (const std::string& sentence : named) Append(&text, sentence);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace kernelmill
