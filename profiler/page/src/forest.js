// The calling context tree of the page: its nodes, the program's part of them, and what leads to a method.
import { data, isOwn, isPseudo, methodText, value } from "./data.js";

const { parent, method, count, inclusive } = data.tree;
export const files = data.files.length;

/** A tree for a flame graph; sums by file. `left`: there is more below it than the page has. */
function node(name, index) {
    return { name, index, count: [0, 0], inclusive: [0, 0], children: [] };
}

function add(to, i, what) {
    for (let file = 0; file < files; file++) to[what][file] += value(data.tree[what][file][i]);
}

function childOf(to, index) {
    to.byMethod = to.byMethod || new Map();
    let child = to.byMethod.get(index);
    if (!child) {
        child = node(methodText(index), index);
        to.byMethod.set(index, child);
        to.children.push(child);
    }
    return child;
}

export const rootName = "all";

/** From callers to callees. ownOnly: without the class library, whose work is the program's method's below which it happens. */
export function callees(ownOnly) {
    const root = node(rootName, -1), nodes = [];
    for (let i = 0; i < parent.length; i++) {
        const above = parent[i] < 0 ? root : nodes[parent[i]];
        if (ownOnly && !isOwn(method[i])) {
            nodes.push(above);
            if (above === root) continue;
            add(above, i, "count");
            continue;
        }
        const n = childOf(above, method[i]);
        nodes.push(n);
        add(n, i, "count");
        // A node may have come up above already, where what it leaves out lies between.
        add(n, i, "inclusive");
    }
    for (let file = 0; file < files; file++) {
        const shown = root.children.reduce((sum, child) => sum + child.inclusive[file], 0);
        root.inclusive[file] = ownOnly ? shown : Math.max(shown, value(data.tree.total[file]));  // nodes may be left out
    }
    return root;
}

/** The root of all of a method's callers: who is above it, then who is above these. Of a recursion the outermost counts. */
export function callers(wanted) {
    const root = node(methodText(wanted), wanted), inside = [];
    for (let i = 0; i < parent.length; i++) {
        const above = parent[i];
        inside.push(method[i] === wanted || (above >= 0 && inside[above]));
        if (method[i] !== wanted || (above >= 0 && inside[above])) continue;
        add(root, i, "inclusive");
        add(root, i, "count");
        for (let up = above, at = root; up >= 0; up = parent[up]) {
            at = childOf(at, method[up]);
            add(at, i, "inclusive");
        }
    }
    return root;
}

/** Methods of the tree by what their outermost calls lead to, the largest first. */
export function methodsByWork() {
    const work = new Map(), way = [];
    for (let i = 0; i < parent.length; i++) {
        let up = parent[i];
        while (up >= 0 && method[up] !== method[i]) up = parent[up];
        way.push(up);
        if (up < 0) work.set(method[i], (work.get(method[i]) || 0) + Math.max(...inclusive.map((n) => (n.length ? value(n[i]) : 0))));
    }
    return [...work.entries()].filter(([m]) => !isPseudo(m)).sort((a, b) => b[1] - a[1]).map(([m]) => m);
}

/** Methods that another one calls. */
export const calledMethods = () => new Set(method.filter((m, i) => parent[i] >= 0 && method[parent[i]] !== m));

export const isEmpty = parent.length === 0;
/** Does the program have more than a hundredth of the tree? */
export const ownMatters = (() => {
    let own = 0, all = 0;
    const covered = [];
    for (let i = 0; i < parent.length; i++) {
        const n = files === 2 ? value(inclusive[1][i]) + value(inclusive[0][i]) : value(inclusive[0][i]);
        const above = parent[i] >= 0 && covered[parent[i]];
        covered.push(above || isOwn(method[i]));
        if (parent[i] < 0) all += n;
        if (!above && isOwn(method[i])) own += n;
    }
    return own > all / 100;
})();
