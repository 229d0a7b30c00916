#include "generators/task_rows/bug_words.h"

namespace kernelmill {
namespace {

SentenceValues ValuesOf(const MutantFacts::Exchange& exchange) {
  return {{"was", "`" + exchange.was + "`"}, {"is", "`" + exchange.is + "`"}};
}

}  // namespace

std::string CauseText(const MutantFacts& facts, SentenceWriter* writer) {
  const std::string cause = writer->Say({facts.bug->cause});
  const auto exchange = facts.Exchanged();
  if (!exchange || writer->OneIn(2)) return cause;
  const SentenceVariants other = {", {was} where {is} belongs", " ({was} for {is})",
                                  " ({was}, not {is})", "; {is} belongs there, not {was}"};
  const SentenceVariants missing = {", {is} is missing", " (no {is})", ", without {is}"};
  const SentenceVariants surplus = {", because of {was}", " ({was})", ", see {was}"};
  return cause + writer->Say(exchange->is.empty()    ? surplus
                             : exchange->was.empty() ? missing
                                                     : other,
                             ValuesOf(*exchange));
}

std::string RemedyText(const MutantFacts& facts, SentenceWriter* writer) {
  const auto exchange = facts.Exchanged();
  if (!exchange || writer->OneIn(2)) return writer->Say({facts.bug->remedy});
  const SentenceVariants other = {"write {is} [instead of|for] {was}", "replace {was} [by|with] {is}",
                                  "turn {was} into {is}", "change {was} to {is}",
                                  "put {is} [where {was} stands|in place of {was}]"};
  const SentenceVariants missing = {"add {is}", "put {is} back", "insert {is}", "restore {is}"};
  const SentenceVariants surplus = {"take {was} out", "delete {was}", "drop {was}", "remove {was}"};
  return writer->Say(exchange->is.empty()    ? surplus
                     : exchange->was.empty() ? missing
                                             : other,
                     ValuesOf(*exchange));
}

}  // namespace kernelmill
