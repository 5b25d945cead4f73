// About the run: what ran, how it was recorded, what was left out, how good the sample is.
import { data, digits, letters, percent, twoFiles } from "./data.js";
import { el } from "./dom.js";

function pairs(rows) {
    return el("dl", {}, ...rows.filter((r) => r && r[1]).flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));
}

function howRecorded(file) {
    const h = file.header;
    if (file.exact) return "exact: every event was recorded";
    if (h.where === "shadow") return `every event of ${h.shadows || "?"} shadows, which are copies of the process`;
    if (h.transport === "word" || h.consume === "none" || h.consume === "discard") return "none of the events: the run measured what passing them on costs";
    if (h.consume === "sampled") return `a part of the events: consumers analysed ${digits(h["words-sampled"] || 0)} of ${digits(h["words-written"] || 0)} words`;
    const every = h.sampling === "timer" ? `by a timer every ${Number(h["interval-us"] || 0) / 1000} ms${h.skip ? ` and at random up to ${digits(h.skip)} checks later` : ""}`
        : `every ${digits(h.interval || "?")} checks${h.sampling === "jitter" ? `, give or take ${digits(h.jitter || 0)} at random` : ""}`;
    return `sampled ${every}, ${digits(h.burst || 1)} in a row; dup=${h.dup || "?"}`;
}

function goodness(file) {
    const h = file.header, lines = [];
    if (h.samples !== undefined && !file.exact) {
        const share = Number(h.checks) ? ` (${percent(Number(h.samples), Number(h.checks), 3)} %)` : "";
        lines.push(`${digits(h.samples)} of ${digits(h.checks || 0)} checks recorded${share}; ${digits(h.truncated || 0)} samples were cut short`);
    }
    if (h["threads-unsampled"]) lines.push(`${digits(h["threads-unsampled"])} of ${digits(h.threads || 0)} threads are without a sample`);
    if (file.exact) lines.push("exact: counts are numbers of events, not estimates");
    return lines.join(". ");
}

export function warnings(file) {
    const list = [];
    if (!file.complete) list.push(`The file is damaged; this is what could be read of it: ${file.problem}`);
    for (const a of file.analyses)
        if (a.lost !== 0) list.push(`${a.name}: ${digits(a.lost)} of ${digits(a.produced)} events were lost`);
    return list.map((text) => el("p", { class: "warning" }, text));
}

function analyses(file) {
    return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ...["analysis", "of", "produced", "recorded", "lost", "rows"].map((t, i) =>
            el("th", { scope: "col", class: i > 1 ? "number" : null }, t)))),
        el("tbody", {}, ...file.analyses.map((a) => el("tr", {}, el("th", { scope: "row" }, a.name), el("td", {}, a.event),
            ...[a.produced, a.recorded, a.lost, a.rowCount].map((n) => el("td", { class: "number" }, digits(n))))))));
}

function seconds(ns) {
    return ns === undefined ? null : `${(Number(ns) / 1e9).toFixed(3)} s`;
}

function one(file, title) {
    const h = file.header, service = file.threads.filter((t) => t.service).reduce((sum, t) => sum + t.threads, 0);
    const all = file.threads.reduce((sum, t) => sum + t.threads, 0);
    return el("section", {}, title ? el("h3", {}, title) : null, pairs([
        ["program", h.command], ["file", file.path], ["recorded", howRecorded(file)], ["how good", goodness(file)],
        ["ran on", `${h.vm || "?"} with JDK ${h.jdk || "?"}, ${h.execution || "?"}`],
        ["when", `${h.started || "?"}, for ${seconds(h["duration-ns"]) || "?"}, ended by ${h["ended-by"] || "?"}`],
        h.from === "main" ? ["recorded", "from the program's main on"] : null,
        h["off-ns"] && Number(h["off-ns"]) ? ["recording", `on for ${seconds(h["on-ns"])}, off for ${seconds(h["off-ns"])}`] : null,
        ["threads", `${all}, of them ${service} service threads of the VM and the class library`],
        ["outside", h.outside], h.scope ? ["scope", `methods outside scope=${h.scope} were not recorded`] : null,
        Number(h["hidden-entries"] || 0) ? ["hidden", `${digits(h["hidden-entries"])} entries of hidden methods are left out; what they called counts for the visible method below them`] : null,
    ]),
    el("h3", {}, "What was recorded"), analyses(file));
}

export function overview() {
    return el("div", {}, el("h2", {}, "About the run"), ...data.files.map((f, i) => one(f, twoFiles ? `Profile ${letters[i]}` : null)));
}
