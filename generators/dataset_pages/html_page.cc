#include "generators/dataset_pages/html_page.h"

#include "generators/dataset_pages/markup.h"
#include "generators/wording/number_format.h"

namespace kernelmill {
namespace {

// The page's security policy forbids scripts and loading, as a second line of defence behind
// escaping.
constexpr char kBeforeTitle[] =
    R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
)";

constexpr char kAfterTitle[] =
    R"(<style>
:root { color-scheme: light dark; --page: #f6f6f4; --sheet: #ffffff; --ink: #1c1e22; --muted: #646a75;
  --line: #e2e3e6; --kept: #2f6fde; --dropped: #b3b9c4; --rejected: #d2495c; }
@media (prefers-color-scheme: dark) { :root { --page: #121418; --sheet: #1a1d23; --ink: #e6e8ec;
  --muted: #9aa1ad; --line: #2e323a; --kept: #6b9eff; --dropped: #596070; --rejected: #f07c8c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 26px; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 17px; margin: 0 0 10px; }
p { margin: 0 0 12px; }
code { font: 13px/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
section { background: var(--sheet); border: 1px solid var(--line); border-radius: 10px;
  padding: 18px 20px; margin-top: 16px; overflow-x: auto; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(440px, 1fr)); gap: 16px;
  margin-top: 16px; }
.grid section { margin-top: 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 12px;
  margin-top: 20px; }
.tile { background: var(--sheet); border: 1px solid var(--line); border-radius: 10px;
  padding: 12px 16px; }
.tile b { display: block; font-size: 24px; font-weight: 650; letter-spacing: -0.02em;
  font-variant-numeric: tabular-nums; }
.muted, .tile span { color: var(--muted); }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; font-weight: 600; color: var(--muted); font-size: 12.5px; }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
td.text { overflow-wrap: anywhere; min-width: 9.5em; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.key::before { content: ""; display: inline-block; width: 10px; height: 10px; border-radius: 2px;
  margin: 0 6px 0 14px; background: var(--mark); }
svg + p { margin-top: 10px; }
svg { width: 100%; max-width: 780px; height: auto; display: block; }
svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--ink); }
svg .small { font-size: 10.5px; } svg .muted { fill: var(--muted); }
svg .strong { font-weight: 600; } svg .end { text-anchor: end; } svg .middle { text-anchor: middle; }
svg .kept { fill: var(--kept); } svg .dropped { fill: var(--dropped); }
svg .rejected { fill: var(--rejected); } svg .axis { stroke: var(--line); }
ul { margin: 0; padding-left: 20px; } li { margin-bottom: 4px; }
@media (max-width: 520px) { .grid { grid-template-columns: 1fr; } }
</style>
</head>
<body>
<main>
)";

}  // namespace

std::string OpenPage(const std::string& title) {
  return kBeforeTitle + ("<title>" + HtmlText(title) + "</title>\n") + kAfterTitle;
}

std::string ClosePage() { return "</main>\n</body>\n</html>\n"; }

std::string HtmlSection(const std::string& title, const std::string& body) {
  return "<section>\n<h2>" + title + "</h2>\n" + body + "</section>\n";
}

std::string HtmlGrid(const std::string& sections) {
  return "<div class=\"grid\">\n" + sections + "</div>\n";
}

std::string HtmlCell(const std::string& text) {
  return "<td class=\"text\">" + HtmlText(text) + "</td>";
}
std::string HtmlCell(std::int64_t number) {
  return "<td class=\"number\">" + Grouped(number) + "</td>";
}

std::string HtmlTableHead(const std::vector<std::string>& titles) {
  std::string head = "<table>\n<tr>";
  for (const std::string& title : titles) {
    const bool number = title.starts_with('#');
    head += (number ? "<th class=\"number\">" : "<th>") + HtmlText(title.substr(number ? 1 : 0)) +
            "</th>";
  }
  return head + "</tr>\n";
}

std::string HtmlTile(std::int64_t number, const std::string& what) {
  return "<div class=\"tile\"><b>" + Grouped(number) + "</b><span>" + what + "</span></div>\n";
}

}  // namespace kernelmill
