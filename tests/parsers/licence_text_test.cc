#include "parsers/licence_text.h"

#include <gtest/gtest.h>

namespace kernelmill {
namespace {

TEST(RecognizeHeader, ReadsWhatTheFileSaysOfItself) {
  EXPECT_EQ(RecognizeHeader("# SPDX-License-Identifier: Apache-2.0\nimport torch\n"), "Apache-2.0");
  EXPECT_EQ(RecognizeHeader("/* SPDX-License-Identifier: MIT OR GPL-2.0-only */\n"),
            "MIT OR GPL-2.0-only");
  EXPECT_EQ(RecognizeHeader("# Licensed under the Apache License, Version 2.0 (the \"License\");\n"),
            "Apache-2.0");
  EXPECT_EQ(RecognizeHeader("/*\n * NVIDIA CORPORATION retains all intellectual property\n * and "
                            "proprietary rights in this software\n */"),
            "LicenseRef-Proprietary");
  EXPECT_EQ(RecognizeHeader("# Redistribution and use in source and\n# binary forms, with or\n# "
                            "Neither the name of the"),
            "BSD-3-Clause");
}

TEST(RecognizeHeader, SaysNothingOfOrdinaryCode) {
  for (const char* source :
       {"import torch\n", "", "# This file is part of x.\n",
        "# Copyright (c) Meta. This source code is licensed under the BSD-style license found in "
        "the LICENSE file in the root directory.\n",
        "\"\"\"GNU-like spelling of options\"\"\"\n"}) {
    EXPECT_EQ(RecognizeHeader(source), std::nullopt) << source;
  }
}

TEST(RecognizeMetadata, ReadsTheFormsThatPackagesUse) {
  EXPECT_EQ(RecognizeMetadata("setup.cfg", "[metadata]\nname = x\nlicense = MIT\n"), "MIT");
  EXPECT_EQ(RecognizeMetadata("pyproject.toml", "license = {text = \"Apache-2.0\"}"), "Apache-2.0");
  EXPECT_EQ(RecognizeMetadata("pyproject.toml", "license = {file = \"LICENSE\"}"), std::nullopt);
  EXPECT_EQ(RecognizeMetadata("pyproject.toml", "license-files = [\"MIT\"]"), std::nullopt);
  EXPECT_EQ(RecognizeMetadata("METADATA", "License: BSD\n"), "NOASSERTION");
  EXPECT_EQ(RecognizeMetadata("METADATA", "Name: x\n\nLicense: MIT\n"), std::nullopt);
}

}  // namespace
}  // namespace kernelmill
