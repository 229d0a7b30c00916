#include "stages/publishable/licence_map.h"

#include <gtest/gtest.h>

#include "tests/corpora/git_fixture.h"

namespace kernelmill {
namespace {

TEST(LicenceMap, TheStrongestEvidenceWins) {
  const LicenceMap map({LicenceFile::Read("LICENSE", "b1", kMitLicence),
                        LicenceFile::Read("sub/COPYING", "b2",
                                          "Redistribution and use in source and binary forms, with "
                                          "or without\n * modification"),
                        LicenceFile::Read("pyproject.toml", "b3", "[project]\nlicense = \"ISC\"\n")});
  EXPECT_EQ(map.Of("a.py", "x", ""),
            (LicenceEvidence{"MIT", LicenceLevel::kNearestFile, "LICENSE", "b1"}));
  EXPECT_EQ(map.Of("sub/deep/a.py", "x", "").spdx, "BSD-2-Clause");
  EXPECT_EQ(map.Of("sub/a.py", "x", "Apache-2.0"),
            (LicenceEvidence{"Apache-2.0", LicenceLevel::kFileHeader, "sub/a.py", "x"}));
}

TEST(LicenceMap, AWheelKeepsItsLicenceInItsDistInfo) {
  for (const auto& [path, text] :
       {std::pair<std::string, std::string>{"p-1.0.dist-info/licenses/LICENSE", kMitLicence},
        {"p-1.0.dist-info/LICENSE", kMitLicence},
        {"p-1.0.dist-info/METADATA", "Metadata-Version: 2.4\nLicense-Expression: MIT\n\nLicense: x"},
        {"p-1.0.dist-info/METADATA", "Name: p\nLicense: MIT License\n"},
        {"p-1.0.dist-info/METADATA", "Classifier: License :: OSI Approved :: MIT License\r\n"}}) {
    const LicenceEvidence found =
        LicenceMap({LicenceFile::Read(path, "b", text)}).Of("p/a/b.py", "x", "");
    EXPECT_EQ(found.spdx, "MIT") << text;
    EXPECT_EQ(found.level, LicenceLevel::kPackageMetadata);
  }
}

TEST(LicenceMap, NothingIsSaidWhereNobodySpeaks) {
  EXPECT_EQ(LicenceMap({}).Of("a.py", "x", "").level, LicenceLevel::kNone);
  const LicenceMap other({LicenceFile::Read("sub/LICENSE", "b", kMitLicence)});
  EXPECT_EQ(other.Of("a.py", "x", "").level, LicenceLevel::kNone);
  const LicenceMap unknown({LicenceFile::Read("LICENSE", "b", "All rights reserved.")});
  EXPECT_EQ(unknown.Of("a.py", "x", "").spdx, "NOASSERTION");
}

TEST(LicenceAllowed, FollowsTheExpression) {
  const std::vector<std::string> allowed = {"MIT", "Apache-2.0"};
  for (const char* met : {"MIT", "MIT OR GPL-3.0-only", "GPL-2.0-only OR MIT", "MIT AND Apache-2.0",
                          "(MIT)", "(GPL-3.0-only OR MIT) AND Apache-2.0",
                          "Apache-2.0 WITH LLVM-exception"}) {
    EXPECT_TRUE(LicenceAllowed(met, allowed)) << met;
  }
  for (const char* unmet : {"", "GPL-3.0-only", "MIT AND GPL-3.0-only", "mit", "(MIT", "MIT)",
                            "MIT OR", "OR MIT", "MIT MIT", "MIT WITH", "NOASSERTION", "()"}) {
    EXPECT_FALSE(LicenceAllowed(unmet, allowed)) << unmet;
  }
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "(";
  EXPECT_FALSE(LicenceAllowed(deep + "MIT", allowed));
}

}  // namespace
}  // namespace kernelmill
