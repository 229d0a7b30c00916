#include "parsers/copyright_lines.h"

#include <gmock/gmock.h>

namespace kernelmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CopyrightLines, FindsWhoHoldsACopyrightInALicence) {
  EXPECT_THAT(CopyrightLines("MIT License\n\nCopyright (c) 2020 Somebody\n\nPermission is hereby\n"
                             "The above copyright notice and this permission notice shall be\n"
                             "COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM\n"),
              ElementsAre("Copyright (c) 2020 Somebody"));
  EXPECT_THAT(
      CopyrightLines("Copyright (c) 2016-     Facebook, Inc            (Adam Paszke)\r\n"
                     "Copyright \u00a9 2011-2013 NYU\n\u00a9 2019 A. Person\n"
                     "All contributions by Kakao Brain:\nCopyright 2019-2020 Kakao Brain\n"),
      ElementsAre("Copyright (c) 2016-     Facebook, Inc            (Adam Paszke)",
                  "Copyright \u00a9 2011-2013 NYU", "\u00a9 2019 A. Person",
                  "Copyright 2019-2020 Kakao Brain"));
  // The Apache licence speaks of copyrights, and has a form to fill in.
  EXPECT_THAT(CopyrightLines("2. Grant of Copyright License. Subject to\n"
                             "copyright owner that is granting the License.\n"
                             "   copyright license to reproduce, prepare Derivative Works of\n"
                             "   Copyright [yyyy] [name of copyright owner]\n"
                             "Copyright <year> <holder>\n"),
              IsEmpty());
}

TEST(CopyrightLines, ReadsTheCommentAtTheHeadOfASource) {
  EXPECT_THAT(CopyrightOfHead("# Copyright 2018 The HuggingFace Team. All rights reserved.\n"
                              "# Copyright The PyTorch Authors\n# Copyright 2018 The HuggingFace "
                              "Team. All rights reserved.\nimport torch\n"),
              ElementsAre("Copyright 2018 The HuggingFace Team. All rights reserved.",
                          "Copyright The PyTorch Authors"));
  EXPECT_THAT(
      CopyrightOfHead("/*\n * Copyright (c) 2021, NVIDIA CORPORATION. */\n__global__ void f"),
      ElementsAre("Copyright (c) 2021, NVIDIA CORPORATION."));
  EXPECT_THAT(CopyrightOfHead("copyright = \"2020\"\ncopyrighted = 2020\nx = copyright(2020)\n"),
              IsEmpty());
  // Beyond the head, and in a line that it cuts, nothing counts.
  EXPECT_THAT(CopyrightOfHead(std::string(4090, '\n') + "Copyright 2020 Somebody\n"), IsEmpty());
}

TEST(CopyrightLines, ShowsHostileLinesPrintableAndBoundsThem) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "Copyright 2020 Person " + std::to_string(i) + "\x1b[2J\n";
  const std::vector<std::string> lines = CopyrightLines(many);
  EXPECT_EQ(lines.size(), 64u);
  EXPECT_EQ(lines[0], "Copyright 2020 Person 0\\u001b[2J");
  const std::string longest = CopyrightLines("Copyright 2020 " + std::string(5000, 'x'))[0];
  EXPECT_LT(longest.size(), 220u);
}

}  // namespace
}  // namespace kernelmill
