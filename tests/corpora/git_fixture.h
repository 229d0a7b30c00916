// A real Git repository in a temporary folder, made by the git program, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace kernelmill {

// A licence text that mining accepts.
inline constexpr char kMitLicence[] =
    "MIT License\n\nCopyright (c) 2020 Somebody\n\nPermission is hereby granted, free of charge, to "
    "any person obtaining a copy\nof this software";

class GitFixture {
 public:
  GitFixture() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "kernelmill-git-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    Git("init --quiet --initial-branch=main");
  }
  ~GitFixture() { std::filesystem::remove_all(folder_); }
  GitFixture(const GitFixture&) = delete;
  GitFixture& operator=(const GitFixture&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

  void Write(const std::string& path, const std::string& content) const {
    std::filesystem::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path, std::ios::binary) << content;
  }

  // Runs git in the folder; fails the test when git does.
  void Git(const std::string& arguments) const {
    const std::string command =
        "cd '" + folder_.string() +
        "' && HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 "
        "GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a "
        "GIT_COMMITTER_EMAIL=a@example.org GIT_AUTHOR_DATE='2001-01-01T00:00:00Z' "
        "GIT_COMMITTER_DATE='2001-01-01T00:00:00Z' git -c protocol.file.allow=always " +
        arguments + " >/dev/null 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }

  void CommitAll() const {
    Git("add -A");
    Git("commit --quiet --allow-empty -m state");
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace kernelmill
