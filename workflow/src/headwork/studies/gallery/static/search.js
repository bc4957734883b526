// Search and filters of the page of claims and items. What is found is a selection of the entries that stand on the page.
"use strict";

const form = document.getElementById("filters");
const list = document.getElementById("entries");
const found = document.getElementById("found");
const hint = document.getElementById("hint");
const entries = [...list.children];
const textOf = (entry, choice) => [...entry.querySelectorAll(choice)].map((part) => part.textContent).join(" ");
const find = finder(entries.map((entry) => ({
  names: [textOf(entry, ".kicker > a"), entry.dataset.rule].filter(Boolean),
  sentence: textOf(entry, ".sentence"),
  rest: textOf(entry, ".verdicts, .muted, .control"),
  item: entry.dataset.kind === "item",
})));

// A verdict counts for the chosen scale only: "does not hold" at one scale says nothing of another.
function judged(entry, scale, verdict) {
  return entry.dataset.verdicts.split("|").filter(Boolean).some((found) => {
    const cut = found.indexOf(":");
    return (!scale || found.slice(0, cut) === scale) && (!verdict || found.slice(cut + 1) === verdict);
  });
}

const chosen = (entry, wanted) =>
  (!wanted.kind || entry.dataset.kind === wanted.kind) &&
  (!wanted.study || entry.dataset.study === wanted.study) &&
  (!(wanted.scale || wanted.verdict) || judged(entry, wanted.scale, wanted.verdict));

/** What to try if nothing is shown. */
function advise(words, hits, near, unknown) {
  hint.replaceChildren();
  if (hits.length) {
    hint.append(`${hits.length} ${hits.length === 1 ? "entry has" : "entries have"} these words, but not what is chosen beside them.`);
  } else if (words) {
    const missing = unknown.length ? `No entry has “${unknown.join("”, “")}”. ` : "No entry has all of these words. ";
    hint.append(missing);
    for (const text of near) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      button.addEventListener("click", () => { form.elements.namedItem("q").value = text; show(); });
      hint.append("Did you mean ", button, "? ");
    }
    hint.append("Words are looked for in the names, titles and authors of studies, in claims and their notes, and in items: try “Voita et al. 2019, figure 7”, “entropy” or “pruning”.");
  }
}

function show() {
  const wanted = Object.fromEntries(new FormData(form)), words = wanted.q.trim();
  const { ids, near, unknown } = words ? find(words) : { ids: [...entries.keys()], near: [], unknown: [] };
  const shown = ids.map((id) => entries[id]).filter((entry) => chosen(entry, wanted));
  entries.forEach((entry) => { entry.hidden = true; });
  shown.forEach((entry) => { entry.hidden = false; });
  list.append(...shown);
  found.textContent = `${shown.length} of ${entries.length} entries`;
  hint.hidden = shown.length > 0;
  if (!shown.length) advise(words, ids, near, unknown);
}

const asked = new URLSearchParams(location.search);
for (const [name, value] of asked) {
  const field = form.elements.namedItem(name);
  if (field) field.value = value;
}
form.addEventListener("input", show);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  show();
});
form.addEventListener("reset", () => setTimeout(show));
show();
