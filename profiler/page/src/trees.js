// Views of calling context trees: flame graph, callers, differences; and the choice of the tree, threads and times.
import { data, digits, hasOwn, isOwn, letters, methodText, percent, shortText, twoFiles, value } from "./data.js";
import { byChange, byPackage, legend } from "./colours.js";
import { el, labelled, select } from "./dom.js";
import { canFilter, filtered, notFollowed, selectedSlots, selectedThreadsText, singleThreads, threadGroups, treeOfTimes } from "./filter.js";
import { countLine, flame, list } from "./flame.js";
import { callees, callers, calledMethods, fileCount, methodsByWork, ownMatters } from "./forest.js";
import { heatMap, rangeFields } from "./heat.js";
import { linked, putLink } from "./link.js";
import { table } from "./table.js";

export const treesWithNodes = data.trees.filter((t) => t.parent.length);
export const chosenTree = () => treesWithNodes.find((t) => t.name === linked("tree")) || treesWithNodes[0];
const hasTimes = (tree) => Boolean(tree.cells && tree.cells.slotNs);
const isTime = (tree) => tree.time.some((name) => name);
/** The unit of the counts in the tree. */
export const unitOf = (tree) => (isTime(tree) ? "samples" : tree.bytesOf ? "bytes allocated" : "method entries");
export const millisText = (tree, n, file = 0) => (tree.tickNs[file] ? `${digits(Math.round((value(n) * tree.tickNs[file]) / 1e6))} ms` : "");

/**
 * Controls for what the view depends on: "stacks" on the tree, the threads and the times, "tables" on threads and times,
 * "times" on times. They reload the view. null: no choice.
 */
export function filterBar(reload, depends) {
    const tree = chosenTree(), timed = depends === "stacks" ? tree : treeOfTimes(), controls = [];
    if (depends === "stacks" && tree && treesWithNodes.length > 1)
        controls.push(labelled("Stacks of", select(treesWithNodes.map((t) => [t.name, t.name]), tree.name, (v) => { putLink({ tree: v, frame: "" }); reload(); })));
    if (canFilter && depends !== "times") {
        const e = el("select", { onchange: () => { putLink({ thread: e.value, frame: "" }); reload(); } }, el("option", { value: "" }, "all threads"));
        const group = (label, items) => items.length && e.append(el("optgroup", { label }, ...items.map(([key, text]) => el("option", { value: key, selected: key === linked("thread") }, text))));
        group("Groups", threadGroups);
        group("Threads", singleThreads);
        controls.push(labelled("Threads", e));
    }
    if (timed && hasTimes(timed)) controls.push(...rangeFields(timed, reload));
    return controls.length ? el("div", { class: "filter controls" }, ...controls) : null;
}

/** The filter in words, with `byThread` also the threads; "" if it leaves all. */
export function filterText(tree, byThread = true) {
    const slots = selectedSlots(tree), ms = slots && slots.map((s) => (s * tree.cells.slotNs) / 1e9), threads = byThread && tree.cells && selectedThreadsText();
    return [threads ? `thread ${threads}` : "", slots ? `${ms[0].toFixed(2)} s to ${ms[1].toFixed(2)} s` : ""].filter((t) => t).join(", ");
}

function treeNote(tree) {
    const kinds = tree.exact.map((e, i) => {
        const who = twoFiles ? `Profile ${letters[i]} ` : "This profile ";
        if (e === null) return `${who}has no calls.`;
        if (tree.time[i]) return `${who}has samples of time (${tree.time[i]}), one for ${tree.tickNs[i] / 1e6} ms.`;
        if (tree.bytesOf) return `${who}has samples of allocation, one for each ${digits(tree.bytesOf)} bytes of a thread.`;
        return e ? `${who}has them exactly, from call-tree.`
            : `${who}has them approximated from call edges, taking each execution of a method to make the same calls; call-tree counts them.`;
    });
    const left = value(tree.left) ? ` ${digits(tree.left)} smaller nodes are left out; frames are as wide as with them.` : "";
    const only = filterText(tree), all = filtered(tree).total[0];
    return el("p", { class: "note" }, `A frame is a method, stacked on its caller, as wide as the ${unitOf(tree)} in it and below it. ${kinds.join(" ")} Recursion is folded.${left}`
        + (only ? ` Shown: ${only}, ${digits(all)} of ${digits(tree.total[0])} ${unitOf(tree)}; percentages are of these.` : "")
        + (hasTimes(tree) || !notFollowed() ? "" : ` These are counts${notFollowed()}.`));
}

const noCalls = () => el("p", {}, "This profile has no calls: record it with cpu, call-tree or call-edge.");

function describe(tree, n) {
    const parts = fileCount === 2
        ? [0, 1].map((i) => `${letters[i]}: ${digits(n.inclusive[i])} (${percent(n.inclusive[i], tree.total[i], 2)} %)`)
        : [`${digits(n.inclusive[0])} ${unitOf(tree)} in it and below (${[millisText(tree, n.inclusive[0]), `${percent(n.inclusive[0], tree.total[0], 2)} %`].filter((t) => t).join(", ")}), ${digits(n.count[0])} of it itself`];
    return `${n.name} — ${parts.join("; ")}`;
}

const legendOf = (items) => el("p", { class: "key note" }, ...items.map(([colour, text]) => {
    const box = el("span", { class: "box", "aria-hidden": "true" });
    box.style.background = `var(${colour})`;
    return el("span", {}, box, text);
}));

/** Graph, controls and list of a tree. make(own): creates the graph's nodes; options: changes: colours show differences; whole; icicle. */
function treeView(tree, title, make, options = {}) {
    const own = !options.whole && (linked("own") ? linked("own") === "1" : ownMatters(tree) && !isTime(tree));
    const state = { own, icicle: Boolean(options.icicle) || linked("icicle") === "1", file: twoFiles ? 1 : 0, shares: true };
    const holder = el("div"), all = tree.total.map(value), input = el("input", { type: "search", autocomplete: "off", spellcheck: "false", value: options.whole ? "" : linked("search") });
    let graph = null;
    input.addEventListener("input", () => {
        graph.search(input.value);
        if (!options.whole) putLink({ search: input.value.trim() });
    });

    function draw(path) {
        const root = make(state.own), width = (n) => n.inclusive[state.file];
        graph = flame(root, { title, inverted: state.icicle, value: width, all: all[state.file], path,
            colour: options.changes ? byChange(state.shares, all) : byPackage, describe: (n) => describe(tree, n),
            zoomed: (to) => { if (!options.whole) putLink({ frame: to }); } });
        const line = options.changes ? (n) => `${digits(n.inclusive[0])} → ${digits(n.inclusive[1])}` : countLine(all[state.file], state.file);
        holder.replaceChildren(graph.element, options.below || "", el("h3", {}, "The same as a list"), list(root, { title, value: width, line }));
        if (input.value) graph.search(input.value);
    }

    function box(text, name) {
        const e = el("input", { type: "checkbox", onchange: () => { state[name] = e.checked; putLink({ [name]: e.checked ? "1" : "0", frame: "" }); draw(""); } });
        e.checked = state[name];
        return labelled(text, e, true);
    }

    const controls = el("div", { class: "controls" }, labelled("Search frames", input),
        el("button", { type: "button", onclick: () => { input.value = ""; putLink({ search: "" }); graph.search(""); graph.reset(); } }, "Reset zoom and search"),
        hasOwn && !options.whole ? box("Only the program's methods", "own") : null,
        options.icicle === undefined ? box("From the top (icicle)", "icicle") : null,
        twoFiles ? labelled("As wide as in", select([["0", "A"], ["1", "B"]], String(state.file), (v) => { state.file = Number(v); draw(""); })) : null,
        options.changes ? labelled("Colours by", select([["shares", "shares of the whole"], ["counts", "counts"]], "shares", (v) => { state.shares = v === "shares"; draw(""); })) : null);
    draw(options.whole ? "" : linked("frame"));
    return el("div", {}, controls, legendOf(options.changes ? [["--more", "more in B"], ["--same", "the same"], ["--less", "less in B"]] : legend(tree.method)), holder);
}

export function flameView(reload) {
    const tree = chosenTree();
    if (!tree) return el("div", {}, el("h2", {}, "Flame graph"), noCalls());
    const left = filtered(tree);
    const below = el("div", {}, treeNote(tree), !twoFiles && hasTimes(tree) ? heatMap(tree, reload) : null);
    return el("div", {}, el("h2", {}, "Flame graph"), treeView(left, "Flame graph", (own) => callees(left, own), { below }));
}

export function changesView() {
    const tree = chosenTree();
    return tree ? el("div", {}, treeNote(tree), treeView(tree, "Flame graph of differences", (own) => callees(tree, own), { changes: true })) : noCalls();
}

// ---- callers -----------------------------------------------------------------------------------

function callTables(file, method) {
    const { calls, exact } = file.calls || { calls: [] }, head = (caption) => caption + notFollowed(true);
    const of = (side, other, caption) => {
        const rows = calls.filter((c) => c[side] === method && value(c[4]));
        const at = (c) => (c[2] >= 0 ? `:${c[2]}` : "") + (c[1] >= 0 ? ` @${c[1]}` : "");
        return rows.length ? table([
            { title: caption, text: (c) => methodText(c[other]), sort: (c) => methodText(c[other]) },
            { title: "line", text: at, sort: (c) => c[2] },
            { title: "calls", number: true, text: (c) => digits(c[4]), sort: (c) => value(c[4]) },
            { title: `entries below${exact ? "" : " (estimated)"}`, number: true, text: (c) => digits(c[5]), sort: (c) => value(c[5]) },
        ], rows, { caption: head(caption), filter: false }) : el("p", { class: "note" }, `${caption}: none in the page.`);
    };
    return el("div", {}, of(3, 0, "is called by"), of(0, 3, "calls"));
}

export function callersView() {
    const whole = chosenTree(), tree = whole && filtered(whole), methods = tree ? methodsByWork(tree).map((m) => m.method) : [];
    if (!methods.length) return el("div", {}, el("h2", {}, "Callers"), tree ? el("p", {}, "Nothing is left of the chosen threads and times.") : noCalls());
    const names = new Map(methods.map((m) => [methodText(m), m])), holder = el("div");
    const options = el("datalist", { id: "methods" }, ...methods.map((m) => el("option", { value: methodText(m) })));
    const input = el("input", { type: "search", list: "methods", autocomplete: "off", spellcheck: "false", value: linked("method") });
    const wanted = () => {
        const words = input.value.trim().toLowerCase();
        return names.get(input.value) ?? methods.find((m) => words && methodText(m).toLowerCase().includes(words));
    };

    function draw(method) {
        holder.replaceChildren(el("h3", {}, `Callers of ${shortText(method)}`),
            treeView(tree, `Callers of ${methodText(method)}`, () => callers(tree, method), { whole: true, icicle: true }),
            ...(isTime(whole) && !data.files.some((f) => f.calls) ? [] : data.files.map((f, i) => el("section", {}, el("h3", {}, `Calls${twoFiles ? ` of ${letters[i]}` : ""}`), callTables(f, method)))));
    }
    input.addEventListener("input", () => {
        const found = wanted();
        if (found === undefined) return;
        putLink({ method: input.value });
        draw(found);
    });
    const called = calledMethods(tree);
    draw(wanted() ?? methods.find((m) => isOwn(m) && called.has(m)) ?? methods.find(isOwn) ?? methods[0]);
    return el("div", {}, el("h2", {}, "Callers"), treeNote(whole),
        el("p", { class: "note" }, "Below the method stand its callers, below these theirs: as wide as what the method's outermost calls led to."),
        el("div", { class: "controls" }, labelled("Method (a part of its name)", input), options), holder);
}

// ---- methods of a tree -------------------------------------------------------------------------

/** The methods of the tree, with what was on them and below them. `short`: the first few of the program, without controls. */
export function workTable(whole, short) {
    const tree = filtered(whole), total = value(tree.total[0]), only = filterText(whole), unit = unitOf(whole);
    const all = methodsByWork(tree), own = all.filter((m) => isOwn(m.method)), name = (m) => methodText(m.method);
    const rows = (short && own.length ? own : all).sort((a, b) => b.self - a.self || b.total - a.total).slice(0, short ? 10 : all.length);
    const most = Math.max(1, ...rows.map((m) => m.self));
    const columns = (title, key) => [
        ...(whole.tickNs[0] ? [{ title: `${title} ms`, number: true, text: (m) => digits(Math.round((m[key] * whole.tickNs[0]) / 1e6)), sort: (m) => m[key] }]
            : [{ title: `${title} ${unit}`, number: true, text: (m) => digits(m[key]), sort: (m) => m[key] }]),
        { title: `${title} % of all`, number: true, text: (m) => percent(m[key], total, 1), sort: (m) => m[key], bar: key === "self" ? (m) => m.self / most : null }];
    return table([...columns("self", "self"), ...columns("total", "total"), { title: "method", text: name, sort: name }], rows, {
        filter: !short, quiet: short, caption: `${whole.name}: ${digits(total)} ${unit}${only ? ` (${only})` : ""}, by method${short && own.length ? " of the program" : ""}`,
        check: hasOwn && !short ? { text: "Only the program", on: own.length > 0, keep: (m) => isOwn(m.method) } : null,
        rest: !short && value(whole.left) ? `${digits(whole.left)} smaller nodes of the tree are left out: self counts lack them.` : "",
    });
}
