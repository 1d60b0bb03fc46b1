#include "driver/picture_page.h"

#include <fmt/format.h>

#include <filesystem>

#include "driver/picture.h"
#include "driver/xml.h"

namespace vouch {
namespace {

constexpr std::string_view kScript = R"(<style>
.picture{position:relative;overflow:auto;max-height:46rem;border:1px solid #c9cede;background:#fff}
.picture.live{height:46rem;overflow:hidden;cursor:grab;touch-action:none}.picture.live svg{width:100%;height:100%}
.picture .dim{opacity:.18}.picture .hit path,.picture .hit polygon,.picture .hit ellipse{stroke:#b3261e;stroke-width:2.5}
.find{font:13px system-ui,sans-serif;margin:.3rem .5rem .3rem 0;padding:.2rem .5rem;width:22rem;max-width:60%}
.found,.tip{font:13px system-ui,sans-serif;color:#697086;margin-right:1rem}
</style><script>
for (const box of document.querySelectorAll('.picture')) {
  const svg = box.querySelector('svg'), find = box.parentNode.querySelector('.find'), found = box.parentNode.querySelector('.found');
  if (!svg || !svg.viewBox.baseVal) continue;
  const whole = svg.viewBox.baseVal, all = {x: whole.x, y: whole.y, w: whole.width, h: whole.height};
  const nodes = [...svg.querySelectorAll('g.node')];
  let view = null, hits = [], at = -1;
  const show = () => svg.setAttribute('viewBox', `${view.x} ${view.y} ${view.w} ${view.h}`);
  const ratio = () => box.clientHeight / Math.max(1, box.clientWidth);
  const point = e => { const p = svg.createSVGPoint(); p.x = e.clientX; p.y = e.clientY; return p.matrixTransform(svg.getScreenCTM().inverse()); };
  const begin = () => {
    if (view || !box.clientWidth) return;
    const w = Math.min(all.w, Math.max(500, box.clientWidth));
    view = {x: all.x + (all.w - w) / 2, y: all.y, w, h: w * ratio()};
    show();
  };
  svg.removeAttribute('width'); svg.removeAttribute('height'); svg.setAttribute('preserveAspectRatio', 'xMidYMin meet');
  box.classList.add('live');
  begin();
  box.closest('details')?.addEventListener('toggle', begin);
  box.addEventListener('wheel', e => {
    e.preventDefault(); begin();
    const p = point(e), f = e.deltaY < 0 ? 0.8 : 1.25, w = Math.min(Math.max(view.w * f, 80), 4 * Math.max(all.w, all.h)), s = w / view.w;
    view = {x: p.x - (p.x - view.x) * s, y: p.y - (p.y - view.y) * s, w, h: w * ratio()};
    show();
  }, {passive: false});
  let held = null;
  box.addEventListener('pointerdown', e => { held = {x: e.clientX, y: e.clientY}; box.setPointerCapture(e.pointerId); });
  box.addEventListener('pointerup', () => held = null);
  box.addEventListener('pointermove', e => {
    if (!held) return;
    const s = view.w / box.clientWidth;
    view.x -= (e.clientX - held.x) * s; view.y -= (e.clientY - held.y) * s; held = {x: e.clientX, y: e.clientY};
    show();
  });
  box.addEventListener('dblclick', () => { view = {x: all.x, y: all.y, w: Math.max(all.w, all.h / ratio()), h: Math.max(all.h, all.w * ratio())}; show(); });
  const centre = node => {
    const r = node.getBoundingClientRect(), p = point({clientX: r.left + r.width / 2, clientY: r.top + r.height / 2});
    view.w = Math.min(view.w, 700); view.h = view.w * ratio(); view.x = p.x - view.w / 2; view.y = p.y - view.h / 2;
    show();
  };
  const text = node => (node.textContent + ' ' + [...node.querySelectorAll('a')].map(a => a.getAttribute('xlink:title') || '').join(' ')).toLowerCase();
  find?.addEventListener('input', () => {
    const word = find.value.trim().toLowerCase();
    hits = word ? nodes.filter(node => text(node).includes(word)) : [];
    at = -1;
    for (const node of nodes) { node.classList.toggle('hit', hits.includes(node)); node.classList.toggle('dim', !!word && !hits.includes(node)); }
    found.textContent = word ? `${hits.length} of ${nodes.length}; Enter: the next` : '';
    if (hits.length) { begin(); centre(hits[at = 0]); }
  });
  find?.addEventListener('keydown', e => { if (e.key === 'Enter' && hits.length) centre(hits[at = (at + 1) % hits.length]); });
}
</script>
)";

}  // namespace

std::string picture_script() { return std::string(kScript); }

std::string picture_box(std::string_view title, const std::string& svg, bool open) {
  std::size_t begin = svg.find("<svg");  // without the XML declaration
  return fmt::format(
      "<details{}><summary>{}</summary><input class=find placeholder=\"find: operator, name, shape\"><span class=found></span>"
      "<span class=tip>scroll to zoom, drag to move, double click for the whole</span>"
      "<div class=picture>{}</div></details>",
      open ? " open" : "", xml_text(title), begin == std::string::npos ? svg : svg.substr(begin));
}

std::string picture_page(std::string_view title, const std::string& svg) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title></head>"
      "<body style=\"font:15px system-ui,sans-serif;margin:1rem\">{1}{2}</body></html>\n",
      xml_text(title), picture_box(title, svg, true), picture_script());
}

std::optional<std::string> picture_bytes(const std::string& dot, const std::string& title, const std::string& out,
                                         Diagnostics& diagnostics) {
  std::string ending = out == "-" ? ".svg" : std::filesystem::path(out).extension().string();
  if (ending == ".dot" || ending == ".gv") {
    return dot;
  }
  if (ending == ".html") {
    auto svg = render(dot, "svg", diagnostics);
    return svg ? std::optional(picture_page(title, *svg)) : std::nullopt;
  }
  if (ending == ".svg" || ending == ".png" || ending == ".pdf") {
    return render(dot, ending.substr(1), diagnostics);
  }
  diagnostics.error_at(out, fmt::format("no kind of picture ends in '{}'", ending),
                       "expected .svg, .html, .png, .pdf, .dot or .gv");
  return std::nullopt;
}

}  // namespace vouch
