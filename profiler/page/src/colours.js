// The colours of frames: by package, or by the difference of two profiles.
import { data, isOwn, isPseudo, value } from "./data.js";

const OTHERS = "other packages", VM = "the VM", NO_PACKAGE = "(no package)";
const PALETTE = 10;  // --p0 to --p9 of page.css
const packages = new Map();  // by method

const shade = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The package of a method in three parts, of the class library in two. */
function packageOf(index) {
    if (index < 0 || isPseudo(index)) return VM;
    if (!packages.has(index)) {
        const parts = data.methods[index][0].split(".").slice(0, -1);
        packages.set(index, parts.slice(0, isOwn(index) ? 3 : 2).join(".") || NO_PACKAGE);
    }
    return packages.get(index);
}

// The packages with the most work have a colour each: most of all trees, so that a filter changes no colour.
const workOf = new Map();
for (const tree of data.trees)
    tree.method.forEach((m, i) => {
        const all = Math.max(1, value(tree.total[0] || 0)), name = packageOf(m);
        workOf.set(name, (workOf.get(name) || 0) + value(tree.count[0][i] || 0) / all + 1e-9);
    });
workOf.delete(VM);
const coloured = new Map([...workOf].sort((a, b) => b[1] - a[1]).slice(0, PALETTE).map(([name], i) => [name, `--p${i}`]));

const variableOf = (name) => (name === VM ? "--vm" : coloured.get(name) || "--other");

/** [colour, text] of the packages of the nodes, for a legend: those of the most work first. */
export function legend(methods) {
    const names = new Set(methods.map(packageOf));
    const list = [...coloured].filter(([name]) => names.has(name)).map(([name, variable]) => [variable, name]);
    if ([...names].some((name) => name !== VM && !coloured.has(name))) list.push(["--other", OTHERS]);
    if (names.has(VM)) list.push(["--vm", VM]);
    return list;
}

export const byPackage = (n) => `var(${variableOf(packageOf(n.index))})`;

function mix(from, to, part) {
    const numbers = (c) => (c.length === 4 ? [...c.slice(1)].map((x) => parseInt(x + x, 16)) : [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16)));
    const a = numbers(from), b = numbers(to);
    return `rgb(${a.map((x, i) => Math.round(x + (b[i] - x) * part)).join(", ")})`;
}

/** Red where B has more than A, blue where it has less: by share of the total or by count. */
export function byChange(shares, totals) {
    return (n) => {
        const [a, b] = shares ? n.inclusive.map((x, file) => (totals[file] ? x / totals[file] : 0)) : n.inclusive;
        const part = a + b ? (b - a) / Math.max(a, b) : 0;
        return mix(shade("--same"), shade(part > 0 ? "--more" : "--less"), Math.sqrt(Math.abs(part)));
    };
}
