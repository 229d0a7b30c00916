#include "generators/wording/synonyms.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "manifests/ascii.h"

namespace kernelmill {
namespace {

// Words that mean the same in every row text.
struct Synonyms {
  std::string_view choice;  // Sets of one choice use the word at the same index.
  std::vector<std::string_view> words;
  // A word that is followed by this text means something else and is kept.
  std::string_view unless_before = "";
};

const std::vector<Synonyms>& AllSynonyms() {
  static const std::vector<Synonyms> kSynonyms = {
      {"result", {"result", "output"}},
      {"result", {"results", "outputs"}},
      {"element", {"element", "entry"}, " type"},
      {"element", {"elements", "entries"}},
      {"dimension", {"dimension", "axis"}},
      {"dimension", {"dimensions", "axes"}},
      {"coordinates", {"coordinates", "indices"}},
      {"position", {"position", "index"}},
      {"obligation", {"has to", "must"}},
      {"obligation", {"have to", "must"}},
      {"contraction", {"is not", "isn't"}},
      {"contraction", {"are not", "aren't"}},
      {"contraction", {"does not", "doesn't"}},
      {"contraction", {"do not", "don't"}},
      {"contraction", {"cannot", "can't"}},
      {"each", {"each thread", "every thread"}},
      {"each", {"each element", "every element"}},
      {"each", {"each block", "every block"}},
      {"each", {"each row", "every row"}},
      {"each", {"each operator", "every operator"}},
      {"each", {"each result", "every result"}},
      {"needs", {"needs", "requires"}},
      {"computes", {"computes", "calculates"}},
      {"so", {", so", ", hence", ", thus"}, " that"},
      {"because", {"because", "since"}},
      {"instead of", {"instead of", "in place of"}},
      {"happens", {"happens", "takes place"}},
      {"beyond", {"beyond", "past"}},
      {"traffic", {"traffic", "data movement"}},
      {"arithmetic", {"arithmetic", "computation"}},
      {"starts", {"starts", "begins"}},
      {"neighbouring", {"neighbouring", "adjacent"}},
      {"large", {"large", "big"}},
      {"several", {"several", "multiple"}, " of"},
  };
  return kSynonyms;
}

bool SameButForCase(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::tolower(static_cast<unsigned char>(text[0])) == word[0] &&
         text.substr(1, word.size() - 1) == word.substr(1);
}

// The set with the longest word that `text` contains at `at`, or null. Sets `*word` to that word.
const Synonyms* SetAt(std::string_view text, std::size_t at, std::string_view* word) {
  const Synonyms* found = nullptr;
  for (const Synonyms& set : AllSynonyms()) {
    for (const std::string_view candidate : set.words) {
      const std::size_t end = at + candidate.size();
      if (candidate.size() <= word->size() || !SameButForCase(text.substr(at), candidate)) continue;
      if (IsNamePart(candidate[0]) && at > 0 && IsNamePart(text[at - 1])) continue;
      if (end < text.size() && (IsNamePart(text[end]) || text[end] == '-')) continue;
      const bool excepted =
          !set.unless_before.empty() && text.substr(end).starts_with(set.unless_before);
      if (excepted) continue;
      *word = candidate;
      found = &set;
    }
  }
  return found;
}

}  // namespace

std::string ReplaceSynonyms(const Wording& wording, std::string_view text) {
  std::string said;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '`' || c == '{') {
      const std::size_t end = std::min(text.find(c == '`' ? '`' : '}', at + 1), text.size() - 1);
      said += text.substr(at, end + 1 - at);
      at = end + 1;
      continue;
    }
    std::string_view word;
    const Synonyms* const set = SetAt(text, at, &word);
    if (set == nullptr) {
      said += text[at++];
      continue;
    }
    const std::size_t index =
        wording.Index("word for " + std::string(set->choice), set->words.size());
    std::string chosen(set->words[index]);
    if (std::isupper(static_cast<unsigned char>(c)) != 0) {
      chosen[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(chosen[0])));
    }
    // The article in front depends on the word: "an entry", "an output".
    if (said.ends_with(" a ") || said.ends_with(" an ") || said == "A " || said == "An ") {
      const bool vowel = std::string_view("aeio").find(chosen[0]) != std::string_view::npos;
      while (said.back() == ' ') said.pop_back();
      if (said.ends_with('n')) said.pop_back();
      said += vowel ? "n " : " ";
    }
    said += chosen;
    at += word.size();
  }
  return said;
}

}  // namespace kernelmill
