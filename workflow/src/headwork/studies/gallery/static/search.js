// Search and filters of the page of claims and items. What is found is a selection of the entries that stand on the page.
"use strict";

const form = document.getElementById("filters");
const entries = [...document.querySelectorAll("#entries > li")];
const search = new MiniSearch({ fields: ["text"], searchOptions: { prefix: true, combineWith: "AND" } });
search.addAll(entries.map((entry, id) => ({ id, text: entry.textContent })));

// A verdict counts for the chosen scale only: "does not hold" at one scale says nothing of another.
function judged(entry, scale, verdict) {
  return entry.dataset.verdicts.split("|").filter(Boolean).some((found) => {
    const cut = found.indexOf(":");
    return (!scale || found.slice(0, cut) === scale) && (!verdict || found.slice(cut + 1) === verdict);
  });
}

function show() {
  const wanted = Object.fromEntries(new FormData(form));
  const words = wanted.q.trim();
  const hits = words && new Set(search.search(words).map((hit) => hit.id));
  let count = 0;
  entries.forEach((entry, id) => {
    entry.hidden =
      (words && !hits.has(id)) ||
      (wanted.kind && entry.dataset.kind !== wanted.kind) ||
      (wanted.study && entry.dataset.study !== wanted.study) ||
      ((wanted.scale || wanted.verdict) && !judged(entry, wanted.scale, wanted.verdict));
    count += !entry.hidden;
  });
  document.getElementById("found").textContent = `${count} of ${entries.length} entries`;
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
