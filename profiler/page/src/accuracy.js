// The accuracy of a sample, and the differences between two profiles.
import { data, digits, letters, percent, rowIsOwn, twoFiles, value } from "./data.js";
import { el } from "./dom.js";
import { intervals, overlaps, scatter } from "./plot.js";
import { table } from "./table.js";
import { changesView } from "./trees.js";
import { rowText } from "./views.js";

const TOP = 15;

/** Wilson's 95 % confidence interval of a share, in percent, from n independent draws. */
function wilson(share, n) {
    const z = 1.96, centre = (share + (z * z) / (2 * n)) / (1 + (z * z) / n);
    const half = (z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n);
    return [Math.max(0, 100 * (centre - half)), Math.min(100, 100 * (centre + half))];
}

function independent(file, events) {
    const burst = Number(file.header.burst || 1), samples = Number(file.header.samples || 0);
    return burst > 1 && samples ? Math.min(events, Math.ceil(samples / burst)) : events;
}

function sampleOf(file) {
    return file.analyses.filter((a) => a.rows.length && value(a.total)).map((a) => {
        const total = value(a.total), n = independent(file, total);
        const rows = [...a.rows].sort((x, y) => value(y[y.length - 1]) - value(x[x.length - 1])).slice(0, TOP);
        return intervals(`Shares of ${a.name} with 95 % intervals`,
            `${a.name}: the largest shares with 95 % intervals, taking its ${digits(n)} ${n < total ? "bursts" : "events"} for independent draws. Only an exact profile says whether they are.`,
            rows.map((row) => {
                const share = value(row[row.length - 1]) / total, [low, high] = wilson(share, n);
                return { name: rowText(a.columns, row), share: 100 * share, low, high };
            }));
    });
}

export const hasSample = data.files.some((f) => !f.exact);

export function sampleView() {
    return el("div", {}, el("h2", {}, "How good the sample is"), ...data.files.flatMap((f, i) => (f.exact ? [] : [
        twoFiles ? el("h3", {}, `Profile ${letters[i]}`) : null, ...sampleOf(f)])),
    twoFiles ? null : el("p", { class: "note" }, "cabernet-prof html EXACT SAMPLED compares with an exact profile of the same program."));
}

// ---- two profiles ------------------------------------------------------------------------------

function points(name) {
    const [a, b] = data.files.map((f) => f.analyses.find((x) => x.name === name));
    if (!a || !b) return [];
    const key = (row) => row.slice(0, -1).join();
    const other = new Map(b.rows.map((r) => [key(r), r]));
    const share = (row, of) => (row ? (100 * value(row[row.length - 1])) / Math.max(1, value(of.total)) : 0);
    const found = a.rows.map((r) => ({ name: rowText(a.columns, r), x: share(r, a), y: share(other.get(key(r)), b) }));
    return found.sort((p, q) => q.x - p.x).slice(0, 400);
}

function differences(o) {
    const size = (d) => Math.abs(d.shareB - d.shareA);
    return table([
        { title: "B − A, points", number: true, text: (d) => (d.shareB - d.shareA).toFixed(3), sort: size },
        { title: "A %", number: true, text: (d) => d.shareA.toFixed(3), sort: (d) => d.shareA },
        { title: "B %", number: true, text: (d) => d.shareB.toFixed(3), sort: (d) => d.shareB },
        { title: "A", number: true, text: (d) => digits(d.a), sort: (d) => d.a },
        { title: "B", number: true, text: (d) => digits(d.b), sort: (d) => d.b },
        { title: "row", text: (d) => d.item, sort: (d) => d.item },
    ], o.differences, { caption: `${o.name}: the largest differences of shares; A has ${digits(o.totalA)} ${o.event}, B ${digits(o.totalB)}`,
        rest: `${digits(o.rows)} rows in all; ${digits(o.onlyInA)} only in A, ${digits(o.onlyInB)} only in B.` });
}

export function compareView() {
    const bars = data.overlap.map((o) => ({ name: o.name, overlap: o.overlap, ideal: o.ideal }));
    return el("div", {}, el("h2", {}, "Differences"), changesView(),
        el("h3", {}, "How alike they are"),
        bars.length ? overlaps("Overlap of each analysis", "Overlap: the sum over all rows of the smaller of a row's two shares. The line below a bar is what 95 % of ideal samples of as many events would reach, the mark in it what is to be expected.", bars)
            : el("p", {}, "They have no analysis in common."),
        ...data.overlap.flatMap((o) => [el("h3", {}, o.name),
            el("p", {}, `Overlap ${o.overlap.toFixed(2)} %; ${o.overlapTop90.toFixed(2)} % over the ${digits(o.top90Rows)} rows that make up 90 %.`
                + (o.ideal ? ` An ideal sample would reach ${o.ideal.expected.toFixed(2)} %.` : "")),
            points(o.name).length ? scatter(`Shares of ${o.name} in A and B`, `${o.name}: each point is a row; on the line both profiles agree.`, points(o.name), "A", "B") : null,
            o.differences.length ? differences(o) : el("p", { class: "note" }, "No shares differ.")]));
}
