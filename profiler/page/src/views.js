// The views of one profile: tables, sources, threads.
import { data, digits, fieldText, hasOwn, isOwn, letters, methodText, percent, rowIsOwn, twoFiles, value } from "./data.js";
import { el, labelled, select } from "./dom.js";
import { filteredRows, notFollowed, REST, samplesOfThreads, selectedNs, selectedThreadsText } from "./filter.js";
import { histogram, series } from "./plot.js";
import { table } from "./table.js";
import { filterText, treesWithNodes, workTable } from "./trees.js";

// ---- tables ------------------------------------------------------------------------------------

function place(columns, row, c) {
    const site = (name) => {
        for (let k = c + 1; k < columns.length && columns[k].kind === "signed"; k++) if (columns[k].name === name) return row[k];
        return -1;
    };
    return (site("line") >= 0 ? `:${site("line")}` : "") + (site("bci") >= 0 ? ` @${site("bci")}` : "");
}

/** The keys of a row as text, in the words of the report. */
export function rowText(columns, row) {
    const parts = [];
    for (let c = 0; c < columns.length; c++) {
        const kind = columns[c].kind;
        if (kind === "method") {
            parts.push(methodText(row[c]) + place(columns, row, c));
            while (c + 1 < columns.length && columns[c + 1].kind === "signed") c++;
        } else if (kind === "field") parts.push(fieldText(row[c]));
        else if (kind === "word") parts.push(data.strings[row[c]]);
        else parts.push(`${columns[c].name} ${row[c]}`);
    }
    return parts.join(" → ");
}

function cellColumns(analysis) {
    const { columns } = analysis, made = [];
    for (let c = 0; c < columns.length; c++) {
        const kind = columns[c].kind, at = c;
        if (kind === "method") {
            const text = (row) => methodText(row[at]) + place(columns, row, at);
            made.push({ title: columns[c].name, text, sort: text });
            while (c + 1 < columns.length && columns[c + 1].kind === "signed") c++;
        } else if (kind === "field") made.push({ title: columns[c].name, text: (row) => fieldText(row[at]), sort: (row) => fieldText(row[at]) });
        else if (kind === "word") made.push({ title: columns[c].name, text: (row) => data.strings[row[at]], sort: (row) => data.strings[row[at]] });
        else made.push({ title: columns[c].name, text: (row) => String(row[at]), sort: (row) => value(row[at]) });
    }
    return made;
}

export function analysisTable(whole, short = false) {
    const a = filteredRows(whole), count = (row) => value(row[row.length - 1]), total = value(a.total), most = Math.max(1, ...a.rows.map(count));
    const left = value(a.rowCount) - whole.rows.length, threads = a === whole ? "" : ` (counts of thread ${selectedThreadsText()}, percentages of all threads)`;
    if (!whole.rows.length) return el("p", { class: "note" }, value(a.rowCount) ? `${a.name} is a tree of ${digits(a.rowCount)} rows: it is in the flame graph; \`cabernet-prof report\` prints it.` : "Nothing was recorded.");
    return table([
        { title: "count", number: true, text: (row) => digits(row[row.length - 1]), sort: count },
        { title: "% of all", number: true, text: (row) => percent(count(row), total, 2), sort: count, bar: (row) => count(row) / most },
        ...cellColumns(a),
    ], short ? a.rows.filter((r) => rowIsOwn(a.columns, r)).sort((x, y) => count(y) - count(x)).slice(0, 10) : a.rows, {
        filter: !short, quiet: short,
        caption: `${a.name}: ${digits(a.total)} ${a.event} in ${digits(a.rowCount)} rows${threads}${notFollowed(a === whole)}`,
        check: hasOwn && !short ? { text: "Only the program", on: a.rows.some((r) => rowIsOwn(a.columns, r)), keep: (row) => rowIsOwn(a.columns, row) } : null,
        rest: left > 0 ? `${digits(left)} rows with smaller counts are not in the page.` : "",
    });
}

/** Methods with their inclusive counts; `short`: only the first few, without controls. */
export function methodTable(calls, short = false) {
    const total = value(calls.total), most = Math.max(1, ...calls.methods.map((m) => value(m[2])));
    const name = (m) => methodText(m[0]);
    return table([
        { title: `entries while it ran${calls.exact ? "" : " (estimated)"}`, number: true, text: (m) => digits(m[2]), sort: (m) => value(m[2]) },
        { title: "% of all", number: true, text: (m) => percent(value(m[2]), total, 2), sort: (m) => value(m[2]), bar: (m) => value(m[2]) / most },
        { title: "entered", number: true, text: (m) => digits(m[1]), sort: (m) => value(m[1]) },
        { title: "method", text: name, sort: name },
    ], short ? calls.methods.filter((m) => isOwn(m[0])).sort((a, b) => value(b[2]) - value(a[2])).slice(0, 10) : calls.methods, {
        filter: !short, quiet: short,
        caption: `Methods, with all that they called: of ${digits(calls.total)} method entries${notFollowed(true)}`,
        check: hasOwn && !short ? { text: "Only the program", on: calls.methods.some((m) => isOwn(m[0])), keep: (m) => isOwn(m[0]) } : null,
    });
}

export function tablesView() {
    const file = { index: 0 }, holder = el("div"), controls = el("div", { class: "controls" });
    function draw() {
        const f = data.files[file.index];
        const timed = twoFiles ? [] : treesWithNodes.filter((t) => t.tickNs[0]);
        holder.replaceChildren(...timed.flatMap((t) => [el("h3", {}, `methods by ${t.name}`), workTable(t, false)]), ...(f.calls ? [el("h3", {}, "methods"), methodTable(f.calls)] : []),
            ...f.analyses.flatMap((a) => [el("h3", {}, a.name), analysisTable(a)]));
    }
    if (twoFiles) controls.append(labelled("Profile", select([["0", "A"], ["1", "B"]], "0", (v) => { file.index = Number(v); draw(); })));
    draw();
    return el("div", {}, el("h2", {}, "Tables"), el("p", { class: "note" }, "A click on a column's head sorts by it."), controls, holder);
}

// ---- sources -----------------------------------------------------------------------------------

function sourceTable(source) {
    const names = [...new Set(source.counts.map((c) => c[1]))], byLine = new Map(), most = {};
    for (const [line, name, count] of source.counts) {
        if (!byLine.has(line)) byLine.set(line, {});
        byLine.get(line)[name] = count;
        most[name] = Math.max(most[name] || 1, value(count));
    }
    const lines = source.text ? source.text.map((_, i) => i + 1) : [];
    for (const line of byLine.keys()) if (line > lines.length || !source.text) lines.push(line);
    const rows = [...new Set(lines)].sort((a, b) => a - b).map((line) => {
        const counts = byLine.get(line) || {}, heat = Math.max(0, ...names.map((n) => (counts[n] ? value(counts[n]) / most[n] : 0)));
        const tr = el("tr", {}, ...names.map((n) => el("td", { class: "number" }, counts[n] ? digits(counts[n]) : "")),
            el("td", { class: "at" }, String(line)), el("td", { class: "code" }, source.text && source.text[line - 1] !== undefined ? source.text[line - 1] : ""));
        if (heat) tr.style.background = `rgba(var(--heat), ${(0.06 + 0.3 * Math.sqrt(heat)).toFixed(2)})`;
        return tr;
    });
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": source.path }, el("table", { class: "source" },
        el("caption", {}, (source.text ? source.path : `${source.path}: ${source.why}; the lines that have counts`) + notFollowed(true)),
        el("thead", {}, el("tr", {}, ...names.map((n) => el("th", { scope: "col", class: "number" }, n)), el("th", { scope: "col" }, "line"), el("th", { scope: "col" }, "source"))),
        el("tbody", {}, ...rows)));
}

export function sourceView() {
    const all = data.files.flatMap((f, i) => f.sources.files.map((s) => [i, s])), holder = el("div");
    const left = data.files.reduce((sum, f) => sum + value(f.sources.left), 0);
    if (!all.length) return el("div", {}, el("h2", {}, "Sources"), el("p", {}, "No analysis of this profile knows lines of the program: record call-edge, call-tree, branch, field-site or receiver."));
    const draw = (i) => holder.replaceChildren(sourceTable(all[i][1]));
    draw(0);
    return el("div", {}, el("h2", {}, "Sources"), el("p", { class: "note" },
        `The program's sources with the counts of each line, those with the largest counts first.${left ? ` ${digits(left)} more files are not in the page.` : ""} `
        + "cabernet-prof html --source DIR finds their text."),
    el("div", { class: "controls" }, labelled("File", select(all.map(([file, s], i) => [String(i), `${twoFiles ? `${letters[file]}: ` : ""}${s.path}`]), "0", (v) => draw(Number(v))))), holder);
}

// ---- threads and sections ----------------------------------------------------------------------

const secondsText = (range) => range.map((ns) => `${(ns / 1e9).toFixed(2)} s`).join(" to ");
const ms = (ns) => `${(value(ns) / 1e6).toFixed(3)} ms`;

/** The rows of a section: of collections those that a selected range touches. */
function sectionRows(section) {
    const range = section.name === "collections" && selectedNs();
    return range ? section.rows.filter((r) => value(r.start) < range[1] && value(r.start) + value(r.pause) >= range[0]) : section.rows;
}

const sectionHead = (section) => section.title + (section.name === "collections" ? (selectedNs() ? `, ${secondsText(selectedNs())}` : "") : notFollowed());

function sectionTable(section) {
    const names = section.rows.length ? Object.keys(section.rows[0]) : [], rows = sectionRows(section);
    const columns = names.map((name) => {
        const sample = section.rows[0][name];
        if (Array.isArray(sample)) return { title: name, text: (r) => r[name].join(" < "), sort: (r) => r[name].join() };
        if (typeof sample === "object") return { title: `${name}: number, median / 99 % / longest`, number: true, sort: (r) => value(r[name].count),
            text: (r) => `${digits(r[name].count)}: ${ms(r[name].p50)} / ${ms(r[name].p99)} / ${ms(r[name].max)}` };
        if (typeof sample === "number") return { title: name, number: true, text: (r) => digits(r[name]), sort: (r) => value(r[name]) };
        return { title: name, text: (r) => String(r[name]), sort: (r) => String(r[name]) };
    });
    return rows.length ? table(columns, rows, { caption: sectionHead(section), ordered: true }) : el("p", { class: "note" }, `${sectionHead(section)}: nothing.`);
}

/** Rows of numbers over time are drawn as timelines, since a table of them would be unreadable. */
function sectionPlots(section) {
    const plots = [];
    for (const row of section.rows.slice(0, 24)) {
        const label = Object.values(row).find((v) => typeof v === "string") || section.name;
        for (const [name, v] of Object.entries(row)) {
            if (Array.isArray(v) && v.length && v.every((n) => typeof n === "number")) plots.push(series(`${label}, ${name}`, v));
            else if (v && typeof v === "object" && v.buckets && v.buckets.length > 2)
                plots.push(el("figure", {}, histogram(`${label}, ${name}`, v.buckets), el("figcaption", {}, `${label}, ${name}: times, logarithmic`)));
        }
    }
    return plots;
}

const isTimeline = (section) => section.rows.length && Object.values(section.rows[0]).some((v) => Array.isArray(v) && v.every((n) => typeof n === "number"));

/** Columns with the time of each thread by the samples of each tree of times. */
function timeColumns(file) {
    return (twoFiles ? [] : treesWithNodes.filter((t) => t.tickNs[0] && t.cells)).map((tree) => {
        const samples = samplesOfThreads(tree), of = (t) => samples.get(file.threads.indexOf(t)), only = filterText(tree, false);
        const text = (n) => digits(Math.round((n * tree.tickNs[0]) / 1e6));
        return { title: `${tree.name} ms${only ? ` (${only})` : ""}`, number: true, text: (t) => (of(t) === undefined ? (samples.has(REST) ? "" : "0") : text(of(t))), sort: (t) => of(t) || 0 };
    });
}

function threadTable(file) {
    const most = Math.max(1, ...file.threads.map((t) => value(t.events))), total = file.threads.reduce((sum, t) => sum + value(t.events), 0);
    return table([
        { title: "events", number: true, text: (t) => digits(t.events), sort: (t) => value(t.events) },
        { title: "% of all", number: true, text: (t) => percent(value(t.events), total), sort: (t) => value(t.events), bar: (t) => value(t.events) / most },
        { title: "thread", text: (t) => t.name, sort: (t) => t.name },
        { title: "number", number: true, text: (t) => digits(t.id), sort: (t) => value(t.id) },
        { title: "threads", number: true, text: (t) => digits(t.threads), sort: (t) => value(t.threads) },
        ...timeColumns(file),
        { title: "kind", text: (t) => (t.service ? "service" : t.ended ? "ended" : "running"), sort: (t) => (t.service ? 2 : t.ended ? 1 : 0) },
    ], file.threads, { caption: `Threads, and the events of each${notFollowed()}`, rest: value(file.threadCount) > file.threads.length ? `${digits(value(file.threadCount) - file.threads.length)} more threads are not in the page.` : "" });
}

export function threadsView() {
    return el("div", {}, el("h2", {}, "Threads"), ...data.files.flatMap((file, i) => [
        twoFiles ? el("h3", {}, `Profile ${letters[i]}`) : null, threadTable(file),
        ...file.sections.flatMap((s) => [el("h3", {}, s.name), isTimeline(s) ? el("p", { class: "note" }, `${sectionHead(s)}.`) : sectionTable(s), ...sectionPlots(s)]),
    ]));
}
