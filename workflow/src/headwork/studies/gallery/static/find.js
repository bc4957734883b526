// What the search page finds, and in which order; it knows nothing of the page.
"use strict";

const FIELDS = { name: 6, sentence: 2, rest: 1 };
const NUMBER = /^\d+$/; // a number is that number: 7 is not the beginning of 78
const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/** The stem of an English word, of any spelling: specialised, specialize and specialization have the same. */
function stem(word) {
  let cut = word.replace(/([iy])s(?=e|ing|at|is)/, "$1z").replace("our", "or");
  for (const ending of [/(?<!s)s$/, /(?:ing|ed|er|or|ly|e)$/, /(?:ation|ion|at|it[iy]|al|i|y)$/, /(?<=([bdfgklmnprt]))\1$/]) {
    const shorter = cut.replace(ending, "");
    if (shorter.length >= 3) cut = shorter;
  }
  return cut;
}

/**
 * A search over entries: {name, sentence, rest, item}, where `name` are all names of an entry ("Voita et al. 2019, figure 7",
 * "voita2019_figure7") and `item` says whether it is a table or figure, not a claim. It gives {ids, near, unknown}: places of
 * the entries that have all words, best first, and if none has, what else may have been meant and which words stand nowhere.
 */
function finder(entries) {
  const spelled = new Map(); // a term or stem -> a word that has it
  const index = new MiniSearch({
    fields: Object.keys(FIELDS),
    tokenize: wordsOf,
    processTerm: (word) => {
      const terms = [...new Set([word, stem(word)])];
      terms.forEach((term) => spelled.has(term) || spelled.set(term, word));
      return terms;
    },
    searchOptions: { boost: FIELDS, processTerm: (term) => term, tokenize: (text) => [text], combineWith: "OR" },
  });
  index.addAll(entries.map((entry, id) => ({ id, ...entry, name: entry.names.join(" ") })));
  const exact = entries.map((entry) => new Set(entry.names.map((name) => wordsOf(name).join(" "))));

  /** All words, each as it is, as the beginning of a word, or by its stem. */
  const all = (words) => ({
    combineWith: "AND",
    queries: words.map((word) => ({ combineWith: "OR", queries: [{ queries: [word], prefix: !NUMBER.test(word) }, { queries: [stem(word)], boostTerm: () => 0.5 }] })),
  });

  return (text) => {
    const words = wordsOf(text), asked = words.join(" ");
    const boostDocument = (id) => (exact[id].has(asked) ? 100 : 1) * (entries[id].item ? 2 : 1);
    const ids = words.length ? index.search(all(words), { boostDocument }).map((hit) => hit.id) : [];
    if (ids.length) return { ids, near: [], unknown: [] };
    const has = (word) => index.search(all([word])).length > 0;
    const unknown = words.filter((word) => !has(word));
    const like = (word) => index.search({ queries: [word], fuzzy: 0.3 }).flatMap((hit) => hit.terms).slice(0, 1).map((term) => spelled.get(term))[0];
    const meant = words.map((word) => (unknown.includes(word) ? like(word) : word));
    const near = unknown.length && meant.every(Boolean) && index.search(all(meant)).length ? [meant.join(" ")] : [];
    return { ids, near, unknown };
  };
}
