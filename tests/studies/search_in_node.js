// Runs the search of the gallery on entries: node search_in_node.js STATIC < {entries, queries}, answers as JSON.
"use strict";
const fs = require("fs");
const vm = require("vm");
const path = require("path");

const context = vm.createContext({});
context.self = context;
for (const name of ["minisearch.min.js", "find.js"]) {
  vm.runInContext(fs.readFileSync(path.join(process.argv[2], name), "utf8"), context, name);
}
context.asked = JSON.parse(fs.readFileSync(0, "utf8"));
const answers = vm.runInContext("(() => { const find = finder(asked.entries); return asked.queries.map((query) => find(query)); })()", context);
const stems = vm.runInContext("(asked.words ?? []).map(stem)", context);
process.stdout.write(JSON.stringify({ answers, stems }));
