// Patterns of sentences that state a relation, such as "In `{kernel}`, threads with `{guard}`
// return before they access memory.", and the sentences of a text. false_relations.h compares the
// two.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelmill {

// What a sentence says in the slots of its pattern.
using Slots = std::map<std::string, std::string, std::less<>>;

// Matches the whole sentence: the text between slots has to be equal, and a slot "{name}" takes
// everything up to that text. std::nullopt when the sentence has another form.
std::optional<Slots> MatchSentence(std::string_view pattern, std::string_view sentence);

// The paragraphs of Markdown outside of fences, each as its sentences. An item of a list or a line
// of a table is a paragraph; the mark of an item, emphasis and headings are left out.
std::vector<std::vector<std::string>> ParagraphsOf(std::string_view markdown);

// The names of "`a`, `b` and `c`", without backticks; empty when the text is no such list. Of a
// list that ends with an ellipsis the names before it.
std::vector<std::string> NamesInList(std::string_view list);

}  // namespace kernelmill
