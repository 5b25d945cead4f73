// The calling context tree of the page: its nodes, the part that belongs to the program, and the callers of a method.
import { data, isOwn, isPseudo, methodText, value } from "./data.js";

const { parent, method, count, inclusive } = data.tree;
export const files = data.files.length;

/** A tree for a flame graph, with sums by file. `left`: nodes below it are not in the page. */
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

/** From callers to callees. ownOnly: without the class library, whose work counts for its caller in the program. */
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
        // childOf may return an existing node: contexts that differ only in left-out nodes are merged.
        add(n, i, "inclusive");
    }
    for (let file = 0; file < files; file++) {
        const shown = root.children.reduce((sum, child) => sum + child.inclusive[file], 0);
        root.inclusive[file] = ownOnly ? shown : Math.max(shown, value(data.tree.total[file]));  // a cut tree
    }
    return root;
}

/** The tree of a method's callers: its callers, then their callers. Of recursive calls the outermost counts. */
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

/** The methods of the tree by the inclusive counts of their outermost calls, largest first. */
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

/** Methods that another method calls. */
export const calledMethods = () => new Set(method.filter((m, i) => parent[i] >= 0 && method[parent[i]] !== m));

export const isEmpty = parent.length === 0;
/** Does the program have more than a hundredth of the tree's total? */
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
