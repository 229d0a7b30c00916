#include "tools/cli/run_arguments/standards_arguments.h"

#include "manifests/printable.h"
#include "stages/fetch/source_spec.h"
#include "tools/cli/option_values.h"

namespace kernelmill {
namespace {

constexpr char kStandards[] = "Standard documents (standards)";

// A page's URL, to which the documents add fragments.
bool IsPage(const std::string& url) {
  const std::size_t host = url.find("://");
  if ((!url.starts_with("https://") && !url.starts_with("http://")) || url.size() == host + 3) {
    return false;
  }
  for (const unsigned char c : url) {
    if (c <= ' ' || c >= 0x7f || c == '#' || c == '"' || c == '<' || c == '>' || c == '\\') {
      return false;
    }
  }
  return true;
}

}  // namespace

void AddStandardsOptions(CLI::App& app, StandardsOptions* options) {
  Publication& publication = options->publication;
  publication.name = "kernelmill-dataset";
  app.add_option("--name", publication.name, "The name of the dataset")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(kStandards);
  app.add_option("--url", publication.url, "The page where the dataset is published")
      ->type_name("URL")
      ->group(kStandards);
  app.add_option("--publisher", publication.publisher,
                 "The organization or person that publishes it")
      ->type_name("NAME")
      ->group(kStandards);
  app.add_option("--built", publication.built, "The day on which it was built: 2026-11-28")
      ->type_name("DAY")
      ->group(kStandards);
  app.add_option("--published", publication.published, "The day on which it is published")
      ->type_name("DAY")
      ->group(kStandards);
  app.add_option("--key", options->key,
                 "Also write provenance.dsse.json, signed with the private Ed25519 key in this PEM "
                 "file")
      ->type_name(kFile)
      ->group(kStandards);
}

Status CheckStandardsOptions(const StandardsOptions& options) {
  const Publication& publication = options.publication;
  const auto wrong = [](const std::string& what) { return Status(ErrorCode::kUsage, what); };
  for (const auto& [option, value] : {std::pair("--url", &publication.url),
                                      {"--publisher", &publication.publisher},
                                      {"--built", &publication.built},
                                      {"--published", &publication.published},
                                      {"--name", &publication.name}}) {
    if (value->empty()) {
      return wrong("the format standards needs " + std::string(option) +
                   ": Croissant and SPDX ask for it, and no file of a dataset says it");
    }
    if (!IsUtf8(*value) || PrintableLine(*value, value->size()) != *value) {
      return wrong(std::string(option) + " must be one printable line of UTF-8");
    }
  }
  for (const auto& [option, day] :
       {std::pair("--built", &publication.built), {"--published", &publication.published}}) {
    if (!IsDay(*day) || !EndOfDay(*day)) {
      return wrong(std::string(option) + " must be a day such as 2026-11-28, not '" + *day + "'");
    }
  }
  if (publication.published < publication.built) {
    return wrong("--published " + publication.published + " is before --built " +
                 publication.built);
  }
  if (IsPage(publication.url)) return Status::Ok();
  return wrong(
      "--url must be a page such as https://example.org/dataset, in ASCII and without a "
      "fragment, not '" +
      publication.url + "'");
}

}  // namespace kernelmill
