// The HTML page of a run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "driver/decimals.h"
#include "driver/optimize_summary.h"
#include "driver/picture_page.h"
#include "driver/xml.h"
#include "support/how_many.h"

namespace vouch {
namespace {

constexpr std::string_view kReportHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>vouch optimize</title><style>
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1d2330;background:#fbfbfd}
h1{font-size:1.5rem;margin-bottom:.2rem}h2{font-size:1.1rem;margin-top:2.2rem}
table{border-collapse:collapse}td,th{padding:.2rem .9rem .2rem 0;text-align:left;vertical-align:top;border-bottom:1px solid #e4e6ee}
td.n,th.n{text-align:right}code{font:13px ui-monospace,monospace}.muted{color:#697086}
.bar{display:inline-block;height:.7rem;background:#3b6fd4;border-radius:2px}.bar.old{background:#c3cbdd}
.ok{color:#1a7f45}.bad{color:#b3261e;font-weight:600}
details{margin:.6rem 0}
</style></head><body>
)";

std::string bar(std::size_t count, std::size_t most, std::string_view kind) {
  double width = most == 0 ? 0 : 12.0 * static_cast<double>(count) / static_cast<double>(most);
  return fmt::format("<span class=\"bar {}\" style=\"width:{:.2f}rem\"></span>", kind, width);
}

std::string rule_table(const OptimizeSummary& summary) {
  std::string out = "<h2>Rules</h2><table><tr><th>rule</th><th class=n>fired</th><th>verdict</th><th></th></tr>";
  for (std::size_t r = 0; r < summary.rules->size(); ++r) {
    const Rule& rule = (*summary.rules)[r];
    std::size_t fired = summary.result.rewriting.fired[r];
    if (fired == 0) {
      continue;
    }
    std::string verdict;
    for (const auto& [name, known] : summary.verdicts) {
      verdict = name == rule.name ? known : verdict;
    }
    out += fmt::format("<tr><td><code>{}</code></td><td class=n>{}</td><td>{}</td><td class=muted>{}</td></tr>",
                       xml_text(rule.name), fired, xml_text(verdict), xml_text(rule.doc));
  }
  out += "</table>";
  for (const Refusal& refusal : summary.result.rewriting.refusals) {
    out += fmt::format("<p class=muted><code>{}</code> did not fire {} time{}, first at <code>{}</code>: {}</p>",
                       xml_text((*summary.rules)[refusal.rule].name), refusal.count, refusal.count == 1 ? "" : "s",
                       xml_text(refusal.node), xml_text(refusal.reason));
  }
  for (const std::string& left_out : summary.left_out) {
    out += fmt::format("<p class=muted>not used: {}</p>", xml_text(left_out));
  }
  return out;
}

std::string operator_table(const OptimizeSummary& summary) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> rows;
  std::size_t most = 1;
  for (const auto& [name, count] : summary.before) {
    rows[name].first = count;
    most = std::max(most, count);
  }
  for (const auto& [name, count] : summary.after) {
    rows[name].second = count;
    most = std::max(most, count);
  }
  std::string out = fmt::format(
      "<h2>Calls</h2><p>{} before, {} after.</p><table><tr><th>operator</th><th class=n>before</th><th "
      "class=n>after</th><th></th></tr>",
      call_count(summary.before), call_count(summary.after));
  for (const auto& [name, row] : rows) {
    out += fmt::format("<tr><td><code>{}</code></td><td class=n>{}</td><td class=n>{}</td><td>{}<br>{}</td></tr>", xml_text(name),
                       row.first, row.second, bar(row.first, most, "old"), bar(row.second, most, "new"));
  }
  return out + "</table>";
}

std::string output_table(const OptimizeSummary& summary) {
  if (summary.differences.empty()) {
    return "<h2>Outputs</h2><p class=muted>Not compared: give <code>--io FOLDER</code> with inputs.</p>";
  }
  std::string out = "<h2>Outputs</h2><table><tr><th>output</th><th>largest difference / max|y|</th><th></th></tr>";
  for (const OutputDifference& difference : summary.differences) {
    out += fmt::format("<tr><td><code>{}</code></td><td>{:.2e}</td><td class={}>{}</td></tr>", xml_text(difference.name),
                       difference.relative, difference.within ? "ok" : "bad", difference.within ? "ok" : "DIFFERS");
  }
  return out + "</table>";
}

std::string step_row(std::size_t number, const AnyStep& step) {
  if (const auto* pass = std::get_if<PassStep>(&step)) {
    return fmt::format("<tr class=muted><td class=n>{}</td><td>{}</td><td>{}</td><td></td></tr>", number, pass_name(pass->pass),
                       how_many(pass->changes, "change"));
  }
  const auto& rewrite = std::get<TraceStep>(step);
  std::string forms;
  for (const TraceStep::NewNode& node : rewrite.new_nodes) {
    forms += fmt::format("<code>{}: {}</code><br>", node.id, xml_text(with_decimals(node.form)));
  }
  return fmt::format("<tr><td class=n>{}</td><td><code>{}</code></td><td><code>{}</code></td><td>{}</td></tr>", number,
                     xml_text(rewrite.rule), xml_text(fmt::format("{}", fmt::join(rewrite.output_names, ", "))), forms);
}

std::string step_table(const Trace& trace) {
  constexpr std::size_t kMostRows = 2000;
  std::string out = fmt::format(
      "<h2>Steps</h2><details><summary>{} steps, in order</summary><table><tr><th class=n>#</th><th>rule or pass</th>"
      "<th>replaced</th><th>by</th></tr>",
      trace.steps.size());
  for (std::size_t k = 0; k < std::min(trace.steps.size(), kMostRows); ++k) {
    out += step_row(k + 1, trace.steps[k]);
  }
  out += "</table>";
  if (trace.steps.size() > kMostRows) {
    out += fmt::format("<p class=muted>{} more steps are on the trace.</p>", trace.steps.size() - kMostRows);
  }
  return out + "</details>";
}

}  // namespace

std::string summary_html(const OptimizeSummary& summary, const Trace& trace, const std::vector<ReportPicture>& pictures) {
  std::string out(kReportHead);
  out += fmt::format(
      "<h1>{}</h1><p class=muted>{}, {} folded into parameters, {} merged, {:.2f} s, {:.2f} s of them "
      "proving{}</p>",
      xml_text(summary.model), how_many(summary.result.rewriting.steps, "rewrite"), how_many(summary.result.folded, "call"),
      summary.result.merged, summary.seconds, summary.proving_seconds,
      summary.written.empty() ? "" : "; written: " + xml_text(summary.written));
  out += rule_table(summary) + output_table(summary) + operator_table(summary) + step_table(trace);
  out += "<h2>Pictures</h2>";
  for (const ReportPicture& picture : pictures) {
    out += picture.svg.empty()
               ? fmt::format("<p class=muted>{}: no picture: {}</p>", xml_text(picture.title), xml_text(picture.why_not))
               : picture_box(picture.title, picture.svg, false);
  }
  return out + picture_script() + "</body></html>\n";
}

}  // namespace vouch
