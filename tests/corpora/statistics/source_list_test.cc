#include "corpora/statistics/source_list.h"

#include <gmock/gmock.h>

namespace kernelmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Origin kMined = {.url = "https://example.org/a", .commit = std::string(40, 'a')};
const Origin kOther = {.url = "https://example.org/b", .commit = std::string(40, 'b')};
const Origin kModel = {.model = "m"};

TEST(SourceList, HasTheLicencesOfEachSource) {
  SourceList list;
  list.Add({.origins = {kMined}, .licences = {{.spdx = "MIT"}}});
  list.Add({.origins = {kMined, kOther},
            .licences = {{.spdx = "MIT OR GPL-2.0-only", .chosen = "MIT"}, {.spdx = "ISC"}}});
  ASSERT_EQ(list.sources().size(), 2u);
  const ListedSource& first = list.sources().at(kMined.Source());
  EXPECT_THAT(first.stated, ElementsAre("ISC", "MIT", "MIT OR GPL-2.0-only"));
  EXPECT_THAT(first.used, ElementsAre("ISC", "MIT"));
  EXPECT_THAT(list.sources().at(kOther.Source()).stated, ElementsAre("ISC", "MIT OR GPL-2.0-only"));
  EXPECT_THAT(list.licences(), ElementsAre("ISC", "MIT"));
}

TEST(SourceList, TheLicenceOfASampleIsNotThatOfItsTask) {
  SourceList list;
  list.Add({.origins = {kMined}, .licences = {{.spdx = "MIT"}}});
  list.Add({.origins = {kMined, kModel}, .licences = {{.spdx = "MIT"}, {.spdx = "NOASSERTION"}}});
  EXPECT_THAT(list.sources().at(kModel.Source()).used, IsEmpty());
  EXPECT_THAT(list.sources().at(kMined.Source()).used, ElementsAre("MIT"));
  EXPECT_THAT(list.licences(), ElementsAre("MIT", "NOASSERTION"));
}

}  // namespace
}  // namespace kernelmill
