#include "driver/page_text.h"

#include <string_view>

namespace vouch {
namespace {

constexpr std::string_view kHead = R"page(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>vouch build: report</title>
<style>
body { margin: 0; font: 14px system-ui, sans-serif; color: #222; background: #fff; }
header { padding: 8px 12px; border-bottom: 1px solid #ccc; display: flex; gap: 16px; align-items: baseline; flex-wrap: wrap; }
h1 { font-size: 18px; margin: 0; }
h2 { font-size: 14px; margin: 0 0 4px; }
#sizes:not(:empty) { margin: 0; padding: 6px 12px; }
#sizes:empty { display: none; }
#summary { margin: 0; padding: 6px 12px; white-space: pre-wrap; font: 12px ui-monospace, monospace; background: #f6f6f6; }
#panes { display: grid; grid-template-columns: 1fr 1fr 340px; height: 66vh; min-height: 380px; border-bottom: 1px solid #ccc; }
.pane { position: relative; border-right: 1px solid #ccc; overflow: hidden; }
.pane h2 { position: absolute; left: 8px; top: 6px; background: #fffc; padding: 0 4px; }
.pane svg { width: 100%; height: 100%; cursor: grab; display: block; }
.pane .buttons { position: absolute; right: 6px; top: 4px; }
#side { overflow: auto; padding: 8px; }
#side dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 8px; margin: 4px 0; }
#side dt { color: #666; }
#side dd { margin: 0; overflow-wrap: anywhere; }
#side pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 11px; background: #f6f6f6; padding: 4px; }
#steps { list-style: none; padding: 0; margin: 0; font-size: 12px; }
#steps li { padding: 2px 4px; cursor: pointer; border-left: 6px solid #ddd; margin-bottom: 1px; }
#steps li.on, #steps li:hover { background: #eef; }
rect.node { stroke: #888; fill: #fff; }
g.off { opacity: .15; }
g.hit rect.node { stroke: #000; stroke-width: 3; }
text { font: 12px system-ui, sans-serif; pointer-events: none; }
path { fill: none; stroke: #999; }
#memory { padding: 8px 12px; }
#memory svg { width: 100%; height: 240px; background: #fafafa; border: 1px solid #ddd; }
#memory rect:hover { stroke: #000; }
.legend span { display: inline-block; padding: 0 6px; margin-right: 6px; border: 1px solid #888; }
</style>
</head>
<body>
<header><h1 id="title"></h1><label>Search <input id="search" type="search" placeholder="node, operator, rule" size="28"></label>
<span id="found"></span><span class="legend"><span style="background:#fff">unchanged</span><span
style="background:#ddd">gone or made by a pass</span>coloured: by a rule</span></header>
<p id="sizes"></p><p id="summary"></p>
<div id="panes"><div class="pane" id="before"></div><div class="pane" id="after"></div>
<div id="side"><div id="about"></div><h2>Steps</h2><ol id="steps"></ol></div></div>
<div id="memory"><h2 id="memory_title"></h2></div>
<script id="data" type="application/json">)page";

constexpr std::string_view kGraphs = R"page(</script>
<script>
'use strict';
const every = JSON.parse(document.getElementById('data').textContent);
const shown = Math.max(0, every.plans.findIndex((plan) => plan.sizes === new URLSearchParams(location.search).get('sizes')));
const data = { name: every.name, summary: every.summary, ...every.plans[shown] };
const WIDTH = 128, HEIGHT = 26, ACROSS = 144, DOWN = 52, NS = 'http://www.w3.org/2000/svg';
const byId = (id) => document.getElementById(id);
const colour = (step) => `hsl(${(step * 137) % 360} 70% ${78 + (step % 3) * 5}%)`;
const short = (text, most) => text.length > most ? text.slice(0, most - 1) + '…' : text;

function make(parent, name, attributes, text) {
  const svg = ['svg', 'g', 'rect', 'path', 'text', 'title'].includes(name);
  const element = svg ? document.createElementNS(NS, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

const x = (node) => node.column * ACROSS / 2;
const y = (node) => node.layer * DOWN;

class Pane {
  constructor(which, title, facts) {
    this.nodes = new Map(facts.nodes.map((node) => [node.id, node]));
    this.groups = new Map();
    const place = byId(which);
    this.svg = make(place, 'svg', { role: 'img', 'aria-label': title });
    make(place, 'h2', {}, `${title}: ${facts.nodes.filter((n) => n.op !== 'input').length} operators`);
    const buttons = make(place, 'div', { class: 'buttons' });
    for (const [label, by] of [['+', 0.7], ['−', 1 / 0.7]]) {
      make(buttons, 'button', { type: 'button' }, label).onclick = () => this.zoom(by, 0.5, 0.5);
    }
    make(buttons, 'button', { type: 'button' }, 'all').onclick = () => this.all();
    for (const [from, to] of facts.edges) this.edge(this.nodes.get(from), this.nodes.get(to));
    for (const node of facts.nodes) this.node(node, which);
    this.begin();
    this.listen();
  }

  edge(a, b) {
    const ax = x(a) + WIDTH / 2, ay = y(a) + HEIGHT, bx = x(b) + WIDTH / 2, by = y(b);
    const bend = Math.min(DOWN, (by - ay) / 2 + 6);
    make(this.svg, 'path', { d: `M${ax} ${ay}C${ax} ${ay + bend} ${bx} ${by - bend} ${bx} ${by}` });
  }

  node(node, which) {
    const group = make(this.svg, 'g', { 'data-id': node.id });
    const fill = node.step !== undefined ? colour(node.step) : node.op === 'input' ? '#eef6ff' : node.kept ? '#fff' : '#ddd';
    make(group, 'rect', { class: 'node', x: x(node), y: y(node), width: WIDTH, height: HEIGHT, rx: 4, style: `fill:${fill}` });
    make(group, 'text', { x: x(node) + 6, y: y(node) + 17 }, short(node.op === 'input' ? node.name : node.op, 17));
    make(group, 'title', {}, `${node.op} ${node.name}\n${node.type}`);
    group.onclick = () => show(node, which);
    this.groups.set(node.id, group);
  }

  // Legible first: the top of the graph at its own size.
  begin() {
    const box = this.svg.getBoundingClientRect();
    this.view = [WIDTH / 2 - box.width / 2, -40, box.width || 600, box.height || 400];
    this.draw();
  }

  all() {
    const nodes = [...this.nodes.values()];
    const left = Math.min(...nodes.map(x)), right = Math.max(...nodes.map(x)) + WIDTH;
    const bottom = Math.max(...nodes.map(y)) + HEIGHT;
    this.view = [left - 10, -40, right - left + 20, bottom + 50];
    this.draw();
  }

  to(id) {
    const node = this.nodes.get(id);
    if (!node) return;
    this.view[0] = x(node) + WIDTH / 2 - this.view[2] / 2;
    this.view[1] = y(node) + HEIGHT / 2 - this.view[3] / 2;
    this.draw();
  }

  draw() { this.svg.setAttribute('viewBox', this.view.join(' ')); }

  zoom(by, atX, atY) {
    const [left, top, width, height] = this.view;
    this.view = [left + width * atX * (1 - by), top + height * atY * (1 - by), width * by, height * by];
    this.draw();
  }

  listen() {
    let from = null;
    this.svg.addEventListener('wheel', (event) => {
      event.preventDefault();
      const box = this.svg.getBoundingClientRect();
      this.zoom(event.deltaY < 0 ? 0.85 : 1 / 0.85, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    }, { passive: false });
    this.svg.addEventListener('pointerdown', (event) => { from = [event.clientX, event.clientY]; });
    this.svg.addEventListener('pointermove', (event) => {
      if (!from || !event.buttons) return;
      const box = this.svg.getBoundingClientRect();
      const scale = Math.max(this.view[2] / box.width, this.view[3] / box.height);
      this.view[0] -= (event.clientX - from[0]) * scale;
      this.view[1] -= (event.clientY - from[1]) * scale;
      from = [event.clientX, event.clientY];
      this.draw();
    });
  }

  mark(name, wanted) {
    for (const [id, group] of this.groups) group.classList.toggle(name, wanted(this.nodes.get(id)));
  }
}
)page";

constexpr std::string_view kPanels = R"page(
const evidence = (step) => step.rule ? `${step.rule}: ${step.verdict}` : `${step.pass}: ${step.changes} change${step.changes == 1 ? '' : 's'}`;

function row(list, name, value) {
  make(list, 'dt', {}, name);
  make(list, 'dd', {}, value);
}

function show(node, which) {
  const about = byId('about');
  about.textContent = '';
  make(about, 'h2', {}, `${node.op} ${node.name}`);
  const list = make(about, 'dl');
  row(list, 'type', node.type);
  if (node.step !== undefined) {
    row(list, which === 'before' ? 'taken by' : 'made by', `step ${node.step + 1}, ${evidence(data.steps[node.step])}`);
  } else if (!node.kept) {
    row(list, 'evidence', which === 'before' ? 'not needed any more' : 'made by a pass');
  }
  for (const call of which === 'after' ? data.calls.filter((call) => call.nodes.includes(node.name)) : []) {
    row(list, 'kernel', `kernels/${call.kernel}.c${call.tiles ? ', in tiles' : ''}`);
    row(list, 'certificate', 'asked of Coq by vouch verify');
    row(list, 'result', `${call.place}; ${call.bytes} bytes`);
    row(list, 'steps', call.steps);
    make(about, 'pre', {}, call.formula);
  }
  for (const pane of Object.values(panes)) pane.mark('hit', (other) => other.id === node.id);
  choose(node.step);
}

// Only what belongs to the step is bright; of nothing, all is.
function choose(step) {
  chosen = step;
  [...byId('steps').children].forEach((item, k) => item.classList.toggle('on', k === step));
  for (const pane of Object.values(panes)) pane.mark('off', (node) => step !== undefined && node.step !== step);
}

function fill_steps() {
  data.steps.forEach((step, k) => {
    const item = make(byId('steps'), 'li', { style: step.rule ? `border-color:${colour(k)}` : '' }, `${k + 1}. ${evidence(step)}`);
    item.title = step.rule ? `at ${step.at.join(', ')}\n${step.made.join('\n')}` : '';
    item.onclick = () => {
      choose(chosen === k ? undefined : k);
      for (const pane of Object.values(panes)) {
        const first = [...pane.nodes.values()].find((node) => node.step === k);
        if (first) pane.to(first.id);
      }
    };
  });
}

function search(text) {
  const wanted = text.trim().toLowerCase();
  let count = 0;
  for (const pane of Object.values(panes)) {
    const hit = (node) => wanted !== '' && (`${node.op} ${node.name}`.toLowerCase().includes(wanted) ||
      (node.step !== undefined && evidence(data.steps[node.step]).toLowerCase().includes(wanted)));
    pane.mark('hit', hit);
    const hits = [...pane.nodes.values()].filter(hit);
    count += hits.length;
    if (hits.length) pane.to(hits[0].id);
  }
  byId('found').textContent = wanted === '' ? '' : `${count} found`;
}

// Of a library with several plans, which one is shown, and the others.
function fill_sizes() {
  if (every.plans.length === 1) return;
  every.plans.forEach((plan, k) => {
    const link = document.createElement(k === shown ? 'b' : 'a');
    if (k !== shown) link.href = `?sizes=${encodeURIComponent(plan.sizes)}`;
    link.textContent = plan.sizes;
    byId('sizes').append('with ', link, ' ');
  });
}

function fill_memory() {
  const { arena, least, values } = data.memory;
  byId('memory_title').textContent = `The arena over the calls: ${arena} bytes; at least ${least} live at once`;
  if (!values.length) return;
  const calls = data.calls.length;
  const svg = make(byId('memory'), 'svg', { viewBox: `0 0 ${calls} 100`, preserveAspectRatio: 'none' });
  values.forEach(([from, to, offset, bytes, name], k) => {
    const box = make(svg, 'rect', { x: from, width: to - from + 1, y: 100 * offset / arena, height: 100 * bytes / arena, fill: colour(k),
      'vector-effect': 'non-scaling-stroke' });
    make(box, 'title', {}, `${name}: ${bytes} bytes at ${offset}, calls ${from} to ${to}`);
  });
}

let chosen;
byId('title').textContent = `${data.name}: from the model to C`;
byId('summary').textContent = data.summary;
const panes = { before: new Pane('before', 'the model', data.before), after: new Pane('after', 'as it is lowered', data.after) };
fill_sizes();
fill_steps();
fill_memory();
byId('search').oninput = (event) => search(event.target.value);
if (location.hash.length > 1) {
  byId('search').value = decodeURIComponent(location.hash.slice(1));
  search(byId('search').value);
}
document.body.dataset.drawn = panes.before.groups.size + panes.after.groups.size;
</script>
</body>
</html>
)page";

}  // namespace

std::string page_text(const std::string& data) {
  std::string out(kHead);
  out += data;
  out += kGraphs;
  out += kPanels;
  return out;
}

}  // namespace vouch
