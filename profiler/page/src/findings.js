// Findings: the answers that a profile gives, before all tables.
import { data, hasOwn, letters, rowIsOwn, twoFiles, value } from "./data.js";
import { el } from "./dom.js";
import { notFollowed } from "./filter.js";
import { warnings } from "./overview.js";
import { treesWithNodes, workTable } from "./trees.js";
import { analysisTable, methodTable } from "./views.js";

const WHAT = { cpu: "Where the processor's time goes", wall: "Where the time goes, waits included", "call-tree": "What the methods do", "alloc-tree": "Where memory is allocated" };
const DETAILS = ["method-count", "call-edge"];  // methodTable says the same

function tablesOf(file) {
    return file.analyses.filter((a) => !DETAILS.includes(a.name) && a.rows.some((r) => rowIsOwn(a.columns, r) && value(r[r.length - 1])))
        .flatMap((a) => [el("h3", {}, a.name), analysisTable(a, true)]);
}

function findingsOf(file, title) {
    const times = twoFiles ? [] : treesWithNodes.filter((t) => t.tickNs[0]);
    return el("section", {}, title ? el("h3", {}, title) : null, ...warnings(file),
        file.findings.length ? el("div", {}, el("h3", {}, `What threads waited for${notFollowed(true)}`), el("ul", { class: "findings" }, ...file.findings.map((f) => el("li", {}, f.trim())))) : null,
        ...times.flatMap((t) => [el("h3", {}, WHAT[t.name] || t.name), workTable(t, true)]),
        hasOwn && file.calls && !times.length ? el("div", {}, el("h3", {}, "What the program did"), methodTable(file.calls, true)) : null,
        ...tablesOf(file));
}

export function findingsView() {
    return el("div", {}, el("h2", {}, "Findings"),
        el("p", { class: "note" }, "The largest rows of the program in each analysis; Tables has all rows."),
        ...data.files.map((f, i) => findingsOf(f, twoFiles ? `Profile ${letters[i]}` : null)));
}
