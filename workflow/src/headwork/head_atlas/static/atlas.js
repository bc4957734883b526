"use strict";
(() => {
const { Plot, d3 } = charts;
const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("content");
const heads = data.heads.map(([kind, layer, head], index) => ({ kind, layer, head, index, id: `${kind}-${layer}-${head}`, name: `${kind} ${layer}-${head}` }));
const byId = new Map(heads.map((head) => [head.id, head]));
const measures = new Map(data.measures.map((measure) => [measure.id, measure]));
const kinds = [...new Set(heads.map((head) => head.kind))];
const KINDS = { encoder: "Encoder self-attention", decoder: "Decoder self-attention", cross: "Cross-attention (decoder to encoder)" };
const VIEWS = { weights: "Attention weights", norms: "Weights × norms ‖αf(x)‖", attribution: "Attribution to the prediction" };
const two = data.models.length === 2;
// a measure that all kinds of attention have
const common = data.measures.find((measure) => kinds.every((kind) => heads.some((head) => head.kind === kind && data.models[0].values[measure.id]?.[head.index] != null)));
const state = { measure: (common ?? data.measures[0]).id, model: "0", does: "", text: 0, view: "weights", level: "word" };

// small helpers

/** An element: attributes, event handlers (on...), and children; texts are never parsed as HTML. */
function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child != null));
  return made;
}
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const number = (value, share = true) => (value == null ? "–" : Math.abs(value) >= 100 ? d3.format(",.0f")(value) : share || Math.abs(value) >= 0.01 || value === 0 ? d3.format(".2f")(value) : d3.format(".4f")(value));
/** The width of the page; a window that is only just opened has none yet. */
const room = () => Math.max(280, main.clientWidth - 40);
const link = (head, text = head.name) => el("a", { href: `#${head.id}` }, text);
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** A measure of all heads: of one model, or the second's minus the first's. */
function valuesOf(id, model = state.model) {
  if (model !== "difference") return data.models[+model].values[id] ?? heads.map(() => null);
  const [first, second] = data.models.map((each) => each.values[id] ?? []);
  return heads.map((head, index) => (first[index] == null || second[index] == null ? null : second[index] - first[index]));
}
/** Whether a model, or for a difference each model, has values of a measure at all: others were not measured. */
const measured = (id, model) => (model === "difference" ? data.models : [data.models[+model]]).every((each) => id in each.values);
const baselineOf = (id, kind) => data.baselines[id]?.[kind] ?? null;

/**
 * Colours of a measure, on one scale for all models: a share from 0 to 1, so that heads that all do nothing look so; others from
 * 0 to the greatest value, and around 0 if there are values on both sides.
 */
function colours(measure) {
  const difference = state.model === "difference";
  const shown = difference ? ["difference"] : data.models.map((_, place) => String(place));
  const [least, most] = d3.extent(shown.flatMap((model) => valuesOf(measure.id, model)).filter((value) => value != null));
  if (measure.share && !difference) return sequential(0, 1);
  if (least < 0 && (most > 0 || difference)) {
    const bound = Math.max(-least, most, 1e-12);
    return d3.scaleLinear([-bound, 0, bound], [css("--minus"), css("--low"), css("--high")]).interpolate(d3.interpolateLab);
  }
  const from = least >= 0 ? 0 : least;
  return sequential(from, most > from ? most : from + 1);
}
const sequential = (from, to) => d3.scaleLinear([from, (from + to) / 2, to], [css("--low"), css("--middle"), css("--high")]).interpolate(d3.interpolateLab).clamp(true);

function download(name, type, text) {
  const place = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: place, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(place), 1000);
}

/** The buttons below a figure or a table: its picture as SVG (if it has one), its numbers as CSV. */
function saves(name, svg, rows) {
  const buttons = [];
  if (svg) {
    buttons.push(el("button", { type: "button", "aria-label": `Save ${name} as SVG`, onclick: () => {
      const copy = svg().cloneNode(true);
      copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      copy.setAttribute("style", `font: 10px sans-serif; color: ${css("--ink")}; background: ${css("--paper")}`);
      copy.querySelectorAll("a").forEach((anchor) => anchor.replaceWith(...anchor.childNodes));
      download(`${name}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(copy));
    } }, "SVG"));
  }
  buttons.push(el("button", { type: "button", "aria-label": `Save ${name} as CSV`, onclick: () => download(`${name}.csv`, "text/csv", `${d3.csvFormat(rows())}\n`) }, "CSV"));
  return el("div", { class: "saves" }, buttons);
}

function select(label, options, chosen, change) {
  const id = `choose-${label.toLowerCase().replaceAll(" ", "-")}`;
  const field = el("select", { id, onchange: (event) => change(event.target.value) });
  for (const [value, text, group] of options) {
    const option = el("option", { value, selected: String(value) === String(chosen) }, text);
    if (!group) { field.append(option); continue; }
    let place = [...field.querySelectorAll("optgroup")].find((each) => each.label === group);
    if (!place) field.append((place = el("optgroup", { label: group })));
    place.append(option);
  }
  return el("div", { class: "field" }, el("label", { for: id }, label), field);
}

/** Arrow keys move between the linked cells of a grid, of which one is in the tab order. */
function roving(svg, columns) {
  const links = [...svg.querySelectorAll("a")];
  links.forEach((anchor, place) => {
    anchor.setAttribute("tabindex", place ? "-1" : "0");
    anchor.setAttribute("aria-label", anchor.querySelector("title")?.textContent ?? "");
    anchor.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
      const next = step && links[place + step];
      if (!next) return;
      event.preventDefault();
      links.forEach((each) => each.setAttribute("tabindex", "-1"));
      next.setAttribute("tabindex", "0");
      next.focus();
    });
  });
}

// the overview

function grid(kind, measure) {
  const values = valuesOf(measure.id), scale = colours(measure);
  const own = heads.filter((head) => head.kind === kind);
  const columns = d3.max(own, (head) => head.head), layers = new Set(own.map((head) => head.layer)).size;
  const width = Math.min(room(), 620, 60 + columns * 54);
  const cell = (width - 40) / columns;
  const svg = Plot.plot({
    width, height: layers * Math.min(cell, 40) + 40, marginLeft: 34, marginTop: 26, marginBottom: 6, marginRight: 6, style: { background: "none", fontSize: "12px" },
    x: { label: null, axis: "top", tickSize: 0, domain: d3.range(1, columns + 1), tickFormat: columns > 16 ? (n) => (n % 4 ? "" : n) : undefined },
    y: { label: null, tickSize: 0, domain: d3.range(1, layers + 1) },
    marks: [Plot.cell(own, {
      x: "head", y: "layer", inset: cell > 14 ? 1.5 : 0.5, rx: 3, fill: (head) => (values[head.index] == null ? "none" : scale(values[head.index])), stroke: css("--line"), strokeWidth: 0.5,
      href: (head) => `#${head.id}`, title: (head) => `${head.name}: ${measure.name} ${number(values[head.index], measure.share)}`,
    })],
  });
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", `${KINDS[kind]}: ${measure.name} of ${plural(own.length, "head")}, a row for each layer`);
  roving(svg, columns);
  const baseline = baselineOf(measure.id, kind);
  const [least, ...rest] = scale.domain(), most = rest.at(-1), seen = d3.extent(own, (head) => values[head.index]);
  const range = measure.share && state.model !== "difference" ? "the range of a share" : "to the greatest value";
  return el("figure", {},
    el("figcaption", {}, kinds.length > 1 || kind !== "encoder" ? KINDS[kind] : `${measure.name}, every head`),
    svg,
    el("div", { class: "legend" }, number(least, measure.share), el("i", { style: `background: linear-gradient(90deg, ${scale.range().join(",")})` }), number(most, measure.share),
      el("span", {}, `${range}; these heads: ${seen.map((value) => number(value, measure.share)).join(" to ")}`,
      baseline == null || state.model === "difference" ? null : `; ${measure.baseline}: ${number(baseline, measure.share)}`)),
    saves(`${kind}-${measure.id.replace("/", "-")}`, () => svg, () => own.map((head) => ({ kind: head.kind, layer: head.layer, head: head.head, measure: measure.id, value: values[head.index], baseline: baselineOf(measure.id, head.kind) }))));
}

function modelChoice(redraw) {
  if (!two) return null;
  const options = [...data.models.map((model, place) => [place, model.name]), ["difference", `${data.models[1].name} − ${data.models[0].name}`]];
  return select("Model", options, state.model, (value) => { state.model = value; redraw(); });
}

/** What heads do: the functions that some head has, and for one of them all heads by score. */
function doing() {
  const model = state.model === "difference" ? "0" : state.model;
  const found = d3.groups(data.models[+model].functions, (each) => each[1]);
  const box = el("section", { "aria-labelledby": "doing" }, el("h2", { id: "doing" }, "Which heads do what"));
  if (!found.length) {
    box.append(el("p", { class: "empty" }, "No head stands out in any of the functions that were looked for. An untrained model looks like this."));
  }
  const options = [["", "All functions"], ...data.measures.filter((measure) => (measure.group === "Where it attends" || measure.group === "Syntax") && measured(measure.id, model)).map((measure) => [measure.id, measure.name, measure.group])];
  box.append(el("div", { class: "bar" }, select("Show heads that attend to", options, state.does, (value) => { state.does = value; draw(); })));
  if (!state.does) {
    const rows = found.map(([id, each]) => {
      const values = valuesOf(id, model), best = d3.greatest(each, (one) => values[one[0]]);
      return { id, does: best[2], count: each.length, head: heads[best[0]], value: values[best[0]], baseline: baselineOf(id, heads[best[0]].kind) };
    }).sort((a, b) => b.value - b.baseline - a.value + a.baseline);
    if (!rows.length) return box;
    const body = d3.groups(rows, (row) => measures.get(row.id).group).flatMap(([group, own]) => [
      el("tr", {}, el("td", { class: "group", colspan: 5 }, group)),
      ...own.map((row) => el("tr", {},
        el("th", { scope: "row" }, el("a", { href: `#overview?does=${encodeURIComponent(row.id)}` }, row.does)),
        el("td", { class: "number" }, row.count), el("td", { class: "head" }, link(row.head)), el("td", { class: "number" }, number(row.value)), el("td", { class: "number" }, number(row.baseline))))]);
    box.append(el("div", { class: "table" }, el("table", {}, el("thead", {}, el("tr", {}, ["A head that", "Heads", "Best head", "Score", "Baseline"].map((name, place) => el("th", { scope: "col", class: place === 1 || place > 2 ? "number" : null }, name)))),
      el("tbody", {}, body))),
    saves("functions", null, () => rows.map(({ does, count, head, value, baseline }) => ({ does, heads: count, best: head.name, score: value, baseline }))),
    el("p", { class: "says" }, "A score counts as a function if it reaches a published threshold and lies 10 points above its baseline: uniform attention, or for syntax the best fixed offset. Many heads do several things, and some do none of these."));
    return box;
  }
  const values = valuesOf(state.does, model), having = new Set(data.models[+model].functions.filter((each) => each[1] === state.does).map((each) => each[0]));
  const order = heads.filter((head) => values[head.index] != null).sort((a, b) => values[b.index] - values[a.index]);
  box.append(el("p", { class: "says" }, measures.get(state.does).says),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All heads by score" }, el("table", {}, el("thead", {}, el("tr", {}, ["Head", "Score", "", "Function"].map((name, place) => el(name ? "th" : "td", { scope: name ? "col" : null, class: place === 1 ? "number" : null }, name)))),
      el("tbody", {}, order.map((head) => el("tr", {}, el("th", { scope: "row" }, link(head)), el("td", { class: "number" }, number(values[head.index])), el("td", {}, meter(values[head.index], baselineOf(state.does, head.kind))), el("td", {}, having.has(head.index) ? "yes" : "")))))),
    saves(`heads-${state.does.replace("/", "-")}`, null, () => order.map((head) => ({ head: head.name, score: values[head.index], baseline: baselineOf(state.does, head.kind), function: having.has(head.index) }))));
  return box;
}

function meter(value, baseline) {
  const at = (share) => `${Math.max(0, Math.min(1, share)) * 100}%`;
  return el("span", { class: "meter", "aria-hidden": "true" }, el("i", { style: `width: ${at(value)}` }), baseline == null ? null : el("b", { style: `left: ${at(baseline)}`, title: `baseline ${number(baseline)}` }));
}

function overview() {
  const measure = measures.get(state.measure);
  const left = el("section", { "aria-labelledby": "all" }, el("h2", { id: "all", tabindex: "-1" }, "Every head at a glance"),
    el("div", { class: "bar" },
      select("Colour by", data.measures.map((each) => [each.id, each.name, each.group]), state.measure, (value) => { state.measure = value; remember(); draw(); }),
      modelChoice(draw)),
    el("p", { class: "says" }, measure.says),
    measured(measure.id, state.model) ? null : el("p", { class: "empty" }, "Not measured."),
    kinds.filter((kind) => heads.some((head) => head.kind === kind && valuesOf(measure.id)[head.index] != null)).map((kind) => grid(kind, measure)),
    el("p", { class: "says" }, "Each square is a head, in a row for its layer. Select one to see its maps and all that was measured of it."));
  main.replaceChildren(el("div", { class: "columns" }, left, doing()));
}

// maps

const unpacked = new Map();
/** The map of a head: rows of numbers, from bytes. */
function mapOf(model, text, view, head) {
  const packed = data.models[model].maps[text]?.[view]?.[`${head.kind}-${head.layer}`];
  if (!packed) return null;
  if (!unpacked.has(packed)) unpacked.set(packed, Uint8Array.from(atob(packed.bytes), (character) => character.charCodeAt(0)));
  const bytes = unpacked.get(packed), sides = data.texts[text].sides[head.kind];
  const queries = sides.queries.tokens.length, keys = sides.keys.tokens.length, start = (head.head - 1) * queries * keys;
  return d3.range(queries).map((query) => d3.range(keys).map((key) => (bytes[start + query * keys + key] - (packed.signed ? 128 : 0)) * packed.scale[head.head - 1]));
}

/** Groups of tokens: each alone, or those of a word together; special tokens stand alone. */
function units(side, level) {
  const groups = [];
  side.tokens.forEach((token, place) => {
    const word = side.words[place], last = groups.at(-1);
    if (level === "word" && word >= 0 && last?.word === word) { last.places.push(place); last.name += token.replace(/^##/, ""); }
    else groups.push({ word, places: [place], name: level === "word" ? token.replace(/^##/, "") : token });
  });
  return groups;
}

/** From a word: the mean over its tokens; to a word: the sum (Clark et al. 2019, section 4.1). */
function atLevel(rows, sides) {
  const from = units(sides.queries, state.level), to = units(sides.keys, state.level);
  const values = from.map((query) => to.map((key) => d3.mean(query.places, (q) => d3.sum(key.places, (k) => rows[q][k]))));
  return { from: from.map((each) => each.name), to: to.map((each) => each.name), values };
}

function matrix(map, scale, name, width) {
  const cells = map.values.flatMap((row, query) => row.map((value, key) => ({ query, key, value })));
  const label = (names) => (place) => (names[place].length > 14 ? `${names[place].slice(0, 13)}…` : names[place]);
  const left = Math.min(110, 16 + 7 * d3.max(map.from, (each) => Math.min(each.length, 14)));
  const cell = Math.min(28, (width - left - 6) / map.to.length), top = Math.min(110, 16 + 6.2 * d3.max(map.to, (each) => Math.min(each.length, 14)));
  const svg = Plot.plot({
    width: left + 6 + cell * map.to.length, height: top + 6 + cell * map.from.length, marginLeft: left, marginTop: top, marginRight: 6, marginBottom: 6, style: { background: "none", fontSize: cell < 12 ? "9px" : "12px" },
    x: { axis: "top", tickSize: 0, label: null, tickRotate: -55, domain: d3.range(map.to.length), tickFormat: label(map.to) },
    y: { tickSize: 0, label: null, domain: d3.range(map.from.length), tickFormat: label(map.from) },
    marks: [Plot.cell(cells, { x: "key", y: "query", inset: 0.5, fill: (each) => scale(each.value), title: (each) => `${map.from[each.query]} → ${map.to[each.key]}: ${number(each.value)}` })],
  });
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${name} as a matrix; the CSV has its numbers`);
  return svg;
}

function lines(map, scale, name, width) {
  const height = 22, most = d3.max(map.values, (row) => d3.max(row, Math.abs)) || 1;
  const tall = Math.max(map.from.length, map.to.length) * height + 30, left = width * 0.33, right = width * 0.67;
  const svg = d3.create("svg").attr("viewBox", [0, 0, width, tall]).attr("width", width).attr("height", tall).attr("class", "lines").attr("role", "img").attr("aria-label", `${name} as lines from each word to what it attends to`).attr("font-size", 13).attr("font-family", "sans-serif");
  const y = (place) => 38 + place * height;
  const short = (text) => (text.length > 16 ? `${text.slice(0, 15)}…` : text);
  svg.append("text").attr("x", left - 8).attr("y", 14).attr("text-anchor", "end").attr("fill", css("--muted")).attr("font-size", 11).text("from");
  svg.append("text").attr("x", right + 8).attr("y", 14).attr("fill", css("--muted")).attr("font-size", 11).text("to");
  const drawn = svg.append("g").attr("fill", "none").selectAll("path").data(map.values.flatMap((row, from) => row.map((value, to) => ({ from, to, value }))).filter((each) => Math.abs(each.value) > most * 0.02)).join("path")
    .attr("d", (each) => `M${left},${y(each.from) - 4}C${width / 2},${y(each.from) - 4} ${width / 2},${y(each.to) - 4} ${right},${y(each.to) - 4}`)
    .attr("stroke", (each) => (each.value < 0 ? css("--minus") : css("--high"))).attr("stroke-width", (each) => 0.5 + 2.5 * Math.abs(each.value) / most).attr("stroke-opacity", (each) => Math.min(1, Math.abs(each.value) / most));
  drawn.append("title").text((each) => `${map.from[each.from]} → ${map.to[each.to]}: ${number(each.value)}`);
  for (const [side, names, x, anchor] of [["from", map.from, left - 8, "end"], ["to", map.to, right + 8, "start"]]) {
    svg.append("g").attr("fill", "currentColor").attr("text-anchor", anchor).selectAll("text").data(names).join("text").attr("x", x).attr("y", (_, place) => y(place)).text(short)
      .on("pointerenter", (event, text) => { const place = event.currentTarget.parentNode.childNodes; const at = [...place].indexOf(event.currentTarget); drawn.attr("visibility", (each) => (each[side] === at ? null : "hidden")); })
      .on("pointerleave", () => drawn.attr("visibility", null));
  }
  return svg.node();
}

/** A head's map of the chosen sentence, as matrix and as lines. */
function maps(model, head, narrow) {
  const rows = mapOf(model, state.text, state.view, head);
  const title = `${head.name}${two ? ` of ${data.models[model].name}` : ""}`;
  if (!rows) return el("p", { class: "empty" }, `There is no ${VIEWS[state.view].toLowerCase()} map of ${title}.`);
  const map = atLevel(rows, data.texts[state.text].sides[head.kind]);
  const signed = rows.some((row) => row.some((value) => value < 0)), most = d3.max(map.values, (row) => d3.max(row, Math.abs)) || 1;
  const scale = signed ? d3.scaleLinear([-most, 0, most], [css("--minus"), css("--low"), css("--high")]).interpolate(d3.interpolateLab) : sequential(0, state.view === "weights" ? 1 : most);
  const width = Math.min(narrow || room() > 960 ? (room() - 40) / (room() > 960 ? 2 : 1) : room(), 560);
  const csv = () => map.values.flatMap((row, from) => row.map((value, to) => ({ from: map.from[from], to: map.to[to], from_place: from + 1, to_place: to + 1, value })));
  const name = `${head.id}-text-${state.text + 1}-${state.view}`, said = `${VIEWS[state.view]} of ${title}`;
  const drawn = matrix(map, scale, said, width), links = lines(map, scale, said, Math.min(width, 460));
  return el("div", { class: narrow ? "" : "maps" },
    el("figure", {}, el("figcaption", {}, narrow ? title : "As a matrix: rows attend to columns"), drawn, saves(`${name}-matrix`, () => drawn, csv)),
    el("figure", {}, el("figcaption", {}, narrow ? "As lines" : "As lines: from the left to the right"), links, saves(`${name}-lines`, () => links, csv)));
}

function mapControls(shown) {
  const clip = (text) => (text.length > 70 ? `${text.slice(0, 69)}…` : text);
  const views = Object.keys(VIEWS).filter((view) => shown.some((head) => data.models.some((model) => model.maps[state.text]?.[view]?.[`${head.kind}-${head.layer}`])));
  if (!views.includes(state.view)) state.view = views[0];
  const change = (key) => (value) => { state[key] = key === "text" ? +value : value; remember(); draw(); };
  return el("div", { class: "bar" },
    select("Sentence", data.texts.map((text, place) => [place, clip(text.text)]), state.text, change("text")),
    select("Show", views.map((view) => [view, VIEWS[view]]), state.view, change("view")),
    select("Between", [["word", "words"], ["token", "subword tokens"]], state.level, change("level")));
}

// a head

const rankOf = (values, index) => 1 + values.filter((value) => value != null && value > values[index]).length;

/** Where a head lies among all others: a tick for each. */
function strip(values, index) {
  const all = values.filter((value) => value != null), [least, most] = d3.extent(all);
  const x = d3.scaleLinear([least, most > least ? most : least + 1], [4, 176]);
  const svg = d3.create("svg").attr("viewBox", [0, 0, 180, 18]).attr("width", 180).attr("height", 18).attr("aria-hidden", "true");
  svg.append("g").selectAll("line").data(all).join("line").attr("x1", x).attr("x2", x).attr("y1", 5).attr("y2", 13).attr("stroke", css("--edge")).attr("stroke-opacity", 0.45);
  svg.append("circle").attr("cx", x(values[index])).attr("cy", 9).attr("r", 4.5).attr("fill", css("--accent"));
  return svg.node();
}

function measureTable(shown, title, groups) {
  const columns = shown.flatMap((head) => data.models.map((model, place) => ({ head, model: place, name: [shown.length > 1 ? head.name : two ? "" : "Value", two ? el("span", { class: "model" }, model.name) : ""] })));
  const rows = data.measures.filter((measure) => groups.includes(measure.group)).map((measure) => ({ measure, cells: columns.map((column) => ({ ...column, values: valuesOf(measure.id, String(column.model)) })) })).filter((row) => row.cells.some((cell) => cell.values[cell.head.index] != null) || !data.models.some((_, model) => measured(row.measure.id, model)));
  if (!rows.length) return null;
  const alone = columns.length === 1, body = [];
  for (const [group, own] of d3.groups(rows, (row) => row.measure.group)) {
    if (groups.length > 1) body.push(el("tr", {}, el("td", { class: "group", colspan: 4 + columns.length }, group)));
    for (const { measure, cells } of own) {
      const baseline = baselineOf(measure.id, shown[0].kind), [cell] = cells, count = cell.values.filter((value) => value != null).length;
      body.push(el("tr", {}, el("th", { scope: "row", title: measure.says }, el("a", { href: `#overview?measure=${encodeURIComponent(measure.id)}` }, measure.name)),
        cells.map((each) => el("td", { class: "number" }, measured(measure.id, each.model) ? number(each.values[each.head.index], measure.share) : "not measured")),
        el("td", { class: "number" }, number(baseline, measure.share)),
        alone ? el("td", { class: "number" }, cell.values[cell.head.index] == null ? "" : `${rankOf(cell.values, cell.head.index)} of ${count}`) : null,
        alone ? el("td", { class: "strip" }, cell.values[cell.head.index] == null ? "" : strip(cell.values, cell.head.index)) : null));
    }
  }
  const id = title.toLowerCase();
  return el("section", { "aria-labelledby": id }, el("h3", { id }, title),
    el("div", { class: "table" }, el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Measure"), columns.map((column) => el("th", { scope: "col", class: "number" }, ...column.name)), el("th", { scope: "col", class: "number" }, "Baseline"),
      alone ? el("th", { scope: "col", class: "number" }, "Rank") : null, alone ? el("th", { scope: "col", class: "strip" }, "Among all heads") : null)), el("tbody", {}, body))),
    saves(`${shown.map((head) => head.id).join("-and-")}-${id}`, null, () => rows.flatMap(({ measure, cells }) => cells.map((cell) => ({ head: cell.head.name, model: data.models[cell.model].name, measure: measure.id, value: cell.values[cell.head.index], baseline: baselineOf(measure.id, cell.head.kind), rank: rankOf(cell.values, cell.head.index) })))));
}

function whatItDoes(head) {
  const lists = data.models.map((model) => {
    const own = model.functions.filter((each) => each[0] === head.index);
    const items = own.map(([, id, does]) => el("li", {}, `${does[0].toUpperCase()}${does.slice(1)} `,
      el("span", { class: "says" }, `(${number(model.values[id][head.index])}; ${measures.get(id).baseline} ${number(baselineOf(id, head.kind))})`)));
    return [two ? el("h3", {}, model.name) : null, items.length ? el("ul", { class: "does" }, items) : el("p", { class: "says" }, "It stands out in none of the functions that were looked for.")];
  });
  return el("div", { class: two ? "pair" : "" }, two ? lists.map((list) => el("div", {}, list)) : lists.flat());
}

function nearest(head) {
  const row = data.models[0].distances[head.index];
  const near = heads.filter((other) => other !== head && row[other.index] != null).sort((a, b) => row[a.index] - row[b.index]).slice(0, 6);
  if (!near.length) return null;
  return el("section", { "aria-labelledby": "near" }, el("h3", { id: "near" }, "Heads that attend most alike"),
    el("p", { class: "says" }, "Jensen-Shannon divergence of their attention, from 0 (the same) to 0.69. Select one to compare."),
    el("ul", { class: "near" }, near.map((other) => el("li", {}, el("a", { href: `#${head.id}~${other.id}` }, other.name), ` ${number(row[other.index])}`))),
    saves(`${head.id}-distances`, null, () => heads.filter((other) => row[other.index] != null).map((other) => ({ head: other.name, distance: row[other.index] }))));
}

function headView(head, other) {
  const shown = other ? [head, other] : [head];
  const before = heads[head.index - 1], after = heads[head.index + 1];
  const same = heads.filter((each) => each.kind === head.kind && each !== head);
  const title = el("h2", { tabindex: "-1" }, other ? `${head.name} and ${other.name}` : head.name[0].toUpperCase() + head.name.slice(1));
  const controls = mapControls(shown);
  const drawn = other || two
    ? el("div", { class: "pair" }, shown.flatMap((each) => data.models.map((_, model) => maps(model, each, true))))
    : maps(0, head, false);
  main.replaceChildren(...[
    el("nav", { class: "trail", "aria-label": "Heads" }, el("a", { href: "#overview" }, "All heads"), before ? link(before, `← ${before.name}`) : null, after ? link(after, `${after.name} →`) : null),
    title,
    other ? el("div", { class: "pair" }, shown.map((each) => el("div", {}, el("h3", {}, link(each)), whatItDoes(each)))) : whatItDoes(head),
    el("section", { "aria-labelledby": "maps" }, el("h3", { id: "maps" }, "In a sentence"), controls, drawn),
    other ? null : nearest(head),
    el("div", { class: "bar" }, select("Compare with", [["", "choose a head"], ...same.map((each) => [each.id, each.name])], other?.id ?? "", (value) => { if (value) location.hash = `${head.id}~${value}`; })),
    el("div", { class: "columns even" }, ...[measureTable(shown, "Measures", data.groups.filter((group) => group !== "Syntax")), measureTable(shown, "Syntax", ["Syntax"])].filter(Boolean)),
  ].filter(Boolean));
}

// addresses

let placed = "";
function address() {
  const [place, query] = decodeURI(location.hash.slice(1)).split("?");
  return { place: place || "overview", query: new URLSearchParams(query ?? "") };
}
/** Put the choices into the address, so that it can be sent to a colleague. */
function remember() {
  const { place } = address();
  const query = new URLSearchParams(place === "overview" ? { measure: state.measure } : { text: state.text + 1, view: state.view, level: state.level });
  history.replaceState(null, "", `#${place}?${query}`);
}
function draw() {
  const { place } = address(), [first, second] = place.split("~").map((id) => byId.get(id));
  if (first) headView(first, second);
  else overview();
}
function arrive() {
  const { place, query } = address();
  if (place === "content") { main.focus(); return; }
  if (measures.has(query.get("measure"))) state.measure = query.get("measure");
  if (place === "overview") state.does = measures.has(query.get("does")) ? query.get("does") : "";
  if (query.get("text") && data.texts[query.get("text") - 1]) state.text = query.get("text") - 1;
  if (query.get("view") in VIEWS) state.view = query.get("view");
  if (["word", "token"].includes(query.get("level"))) state.level = query.get("level");
  draw();
  if (placed && place !== placed) { scrollTo(0, 0); main.querySelector("h2")?.focus({ preventScroll: true }); }
  placed = place;
}

const shapes = kinds.map((kind) => {
  const own = heads.filter((head) => head.kind === kind), layers = new Set(own.map((head) => head.layer)).size;
  return `${plural(own.length, "head")} in ${plural(layers, "layer")} of ${KINDS[kind].toLowerCase().split(" (")[0]}`;
});
document.getElementById("lead").textContent = `What each attention head of ${two ? "two models" : "this model"} does: ${shapes.join(", ")} (${[...new Set(data.models.map((model) => model.class))].join(", ")}), measured on ${data.sentences.toLocaleString("en")} sentences of ${data.title}.`;
addEventListener("hashchange", arrive);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
// paper is white: colours of figures are those of a light page while it is printed
for (const [event, printing] of [["beforeprint", true], ["afterprint", false]]) {
  addEventListener(event, () => { document.documentElement.classList.toggle("printing", printing); draw(); });
}
let wide = innerWidth;
addEventListener("resize", () => { if (innerWidth !== wide) { wide = innerWidth; draw(); } });
arrive();
})();
