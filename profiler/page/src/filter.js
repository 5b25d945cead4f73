// The threads and the range of time that the views are restricted to, and the counts that remain. prof_cells.h describes
// the data. Pages of two profiles have no filter.
import { data, twoFiles, value } from "./data.js";
import { linked } from "./link.js";

export const REST = -1;  // the threads with the smallest counts
const [profile] = data.files;

const withCells = data.trees.filter((t) => t.cells), withTimes = withCells.filter((t) => t.cells.slotNs);
const tablesByThread = twoFiles ? [] : profile.analyses.filter((a) => a.byThread);
const threadIndexes = [...new Set([...withCells.flatMap((t) => t.cells.threads), ...tablesByThread.flatMap((a) => a.byThread)].map((t) => t[0]))].sort((a, b) => a - b);
const nameOf = (index) => (index === REST || !profile.threads[index] ? "other threads" : profile.threads[index].name);
const groupOf = (index) => nameOf(index).replace(/\d+/g, "#");

/** Choices of the selector, [value, text]: groups of threads whose names differ in numbers only. */
export const threadGroups = [...threadIndexes.reduce((map, i) => map.set(groupOf(i), (map.get(groupOf(i)) || 0) + 1), new Map())]
    .filter(([, n]) => n > 1).map(([name, n]) => [`group:${name}`, `${name} (${n} threads)`]);
export const singleThreads = threadIndexes.map((i) => [`thread:${i === REST ? "rest" : profile.threads[i] ? profile.threads[i].id : i}`, nameOf(i), i]);
export const canFilter = threadIndexes.length > 1;

/** The selected threads: a function of the index, or null for all. */
export function selectedThreads() {
    const wanted = linked("thread");
    const one = singleThreads.find(([key]) => key === wanted);
    if (one) return (index) => index === one[2];
    if (threadGroups.some(([key]) => key === wanted)) return (index) => `group:${groupOf(index)}` === wanted;
    return null;
}

export function selectedThreadsText() {
    const wanted = linked("thread"), found = singleThreads.find(([key]) => key === wanted) || threadGroups.find(([key]) => key === wanted);
    return found ? found[1] : "";
}

/** The selected range in milliseconds, or null for the whole run. */
function selectedRange() {
    const from = Number(linked("from")), to = Number(linked("to"));
    return to > from && from >= 0 ? [from, to] : null;
}

/** The selected slots of the tree: [first, one after the last], or null for the whole run. */
export function selectedSlots(tree) {
    const range = selectedRange();
    if (!range || !withTimes.includes(tree)) return null;
    const [from, to] = range, slot = tree.cells.slotNs / 1e6;
    return [Math.floor(from / slot + 1e-6), Math.ceil(to / slot - 1e-6)];
}

/** The tree by whose slots a view without a tree of its own is restricted; undefined: nothing has times. */
export const treeOfTimes = () => withTimes.find((t) => t.name === linked("tree")) || withTimes[0];

/** The selected range of the slots of treeOfTimes in nanoseconds, or null for the whole run. */
export function selectedNs() {
    const tree = treeOfTimes(), slots = tree && selectedSlots(tree);
    return slots && slots.map((slot) => slot * tree.cells.slotNs);
}

/** For the head of a table that does not follow the selected times, nor with `threads` the selected threads; "" if none are. */
export function notFollowed(threads) {
    const parts = [selectedNs() ? "the whole run, because these counts have no times" : "", threads && selectedThreads() ? "all threads" : ""].filter((t) => t);
    return parts.length ? `, of ${parts.join(", and of ")}` : "";
}

const filteredTrees = new Map();  // by tree: the last filter and its result

/** The tree with the counts that the filter leaves; the tree itself if it leaves all. */
export function filtered(tree) {
    const threads = tree.cells && selectedThreads(), slots = selectedSlots(tree);
    if (!threads && !slots) return tree;
    const key = `${linked("thread")} ${slots}`, known = filteredTrees.get(tree);
    if (known && known.key === key) return known.result;
    const n = tree.parent.length, count = new Array(n).fill(0), inclusive = new Array(n).fill(0);
    let total = 0;
    for (const [thread, ...perSlot] of tree.cells.threads) {
        if (threads && !threads(thread)) continue;
        let at = 0;
        for (const [later, ...cells] of perSlot) {
            at += later;
            if (slots && (at < slots[0] || at >= slots[1])) continue;
            for (let i = 0, place = 0; i < cells.length; i += 2) {
                const samples = value(cells[i + 1]), node = ((place += cells[i]) >> 1) - 1;
                total += samples;
                if (node < 0) continue;
                inclusive[node] += samples;
                if (!(place & 1)) count[node] += samples;
            }
        }
    }
    for (let i = n - 1; i >= 0; i--) if (tree.parent[i] >= 0) inclusive[tree.parent[i]] += inclusive[i];
    const result = { ...tree, count: [count, []], inclusive: [inclusive, []], total: [total] };
    filteredTrees.set(tree, { key, result });
    return result;
}

/** The analysis with the rows and counts of the selected threads. */
export function filteredRows(analysis) {
    const threads = analysis.byThread && selectedThreads();
    if (!threads) return analysis;
    const counts = new Map();
    for (const [thread, ...cells] of analysis.byThread) {
        if (!threads(thread)) continue;
        for (let i = 0; i < cells.length; i += 2) counts.set(cells[i], (counts.get(cells[i]) || 0) + value(cells[i + 1]));
    }
    return { ...analysis, rows: analysis.rows.map((row, i) => [...row.slice(0, -1), counts.get(i) || 0]).filter((row) => row[row.length - 1]) };
}

/** The samples of the tree in the selected times, of each of its threads: a map by index, with REST for the others. */
export function samplesOfThreads(tree) {
    const slots = selectedSlots(tree), sums = new Map();
    for (const [thread, ...perSlot] of tree.cells.threads) {
        let at = 0, sum = 0;
        for (const [later, ...cells] of perSlot) {
            at += later;
            if (slots && (at < slots[0] || at >= slots[1])) continue;
            for (let i = 1; i < cells.length; i += 2) sum += value(cells[i]);
        }
        sums.set(thread, sum);
    }
    return sums;
}

/** A tree's samples by slot of the heat map, of the selected threads. */
export function heatCounts(tree) {
    const threads = selectedThreads(), counts = [];
    for (const [thread, ...cells] of tree.cells.heat) {
        if (threads && !threads(thread)) continue;
        for (let i = 0, at = 0; i < cells.length; i += 2) {
            at += cells[i];
            counts[at] = (counts[at] || 0) + value(cells[i + 1]);
        }
    }
    return counts;
}
