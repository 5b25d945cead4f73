// Calling context trees: the part that belongs to the program, the callers of a method, methods by their work. A tree is
// one of data.trees, or what a filter leaves of it.
import { data, isOwn, isPseudo, methodText, value } from "./data.js";

export const fileCount = data.files.length;
const rootName = "all";

/** A node of a graph, with sums by file. `index`: the method, -1 for the root; `up`: the node above. */
function newNode(name, index, up) {
    return { name, index, up, count: [0, 0], inclusive: [0, 0], children: [] };
}

function addCounts(tree, to, i, what) {
    for (let file = 0; file < fileCount; file++) to[what][file] += value(tree[what][file][i]);
}

function childOf(to, index) {
    to.byMethod = to.byMethod || new Map();
    let child = to.byMethod.get(index);
    if (!child) {
        child = newNode(methodText(index), index, to);
        to.byMethod.set(index, child);
        to.children.push(child);
    }
    return child;
}

/**
 * From callers to callees. ownOnly: without the class library, whose work counts for its caller in the program. A tree of
 * allocations keeps the classes of the objects.
 */
export function callees(tree, ownOnly) {
    const { parent, method } = tree, root = newNode(rootName, -1, null), nodes = [];
    for (let i = 0; i < parent.length; i++) {
        const above = parent[i] < 0 ? root : nodes[parent[i]];
        const allocated = tree.bytesOf && isPseudo(method[i]) && above !== root;
        if (ownOnly && !isOwn(method[i]) && !allocated) {
            nodes.push(above);
            if (above !== root) addCounts(tree, above, i, "count");
            continue;
        }
        const n = childOf(above, method[i]);
        nodes.push(n);
        addCounts(tree, n, i, "count");
        addCounts(tree, n, i, "inclusive");  // contexts that differ only in left-out nodes are merged
    }
    for (let file = 0; file < fileCount; file++) {
        const shown = root.children.reduce((sum, child) => sum + child.inclusive[file], 0);
        root.inclusive[file] = ownOnly ? shown : Math.max(shown, value(tree.total[file]));  // a cut tree
    }
    return root;
}

/** The tree of a method's callers: its callers, then their callers. Of recursive calls the outermost counts. */
export function callers(tree, wanted) {
    const { parent, method } = tree, root = newNode(methodText(wanted), wanted, null), inside = [];
    for (let i = 0; i < parent.length; i++) {
        const above = parent[i];
        inside.push(method[i] === wanted || (above >= 0 && inside[above]));
        if (method[i] !== wanted || (above >= 0 && inside[above])) continue;
        addCounts(tree, root, i, "inclusive");
        addCounts(tree, root, i, "count");
        for (let up = above, at = root; up >= 0; up = parent[up]) {
            at = childOf(at, method[up]);
            addCounts(tree, at, i, "inclusive");
        }
    }
    return root;
}

/**
 * Of each method {method, self, total}: the counts on it, and those on it and below its outermost calls. An allocation
 * counts on the method that allocates.
 */
export function methodsByWork(tree) {
    const { parent, method, count, inclusive } = tree, found = new Map();
    const most = (numbers, i) => Math.max(...numbers.map((n) => (n.length ? value(n[i]) : 0)));
    for (let i = 0; i < parent.length; i++) {
        if (tree.bytesOf && isPseudo(method[i]) && parent[i] >= 0) {
            found.get(method[parent[i]]).self += most(count, i);
            continue;
        }
        if (!found.has(method[i])) found.set(method[i], { method: method[i], self: 0, total: 0 });
        const m = found.get(method[i]);
        let up = parent[i];
        while (up >= 0 && method[up] !== method[i]) up = parent[up];
        m.self += most(count, i);
        if (up < 0) m.total += most(inclusive, i);
    }
    return [...found.values()].filter((m) => m.total && !isPseudo(m.method)).sort((a, b) => b.total - a.total);
}

/** Methods that another method calls. */
export const calledMethods = ({ parent, method }) => new Set(method.filter((m, i) => parent[i] >= 0 && method[parent[i]] !== m));

/** Does the program have more than a hundredth of the tree's total? */
export function ownMatters({ parent, method, inclusive }) {
    let own = 0, all = 0;
    const covered = [];
    for (let i = 0; i < parent.length; i++) {
        const n = value(inclusive[0][i]) + (fileCount === 2 ? value(inclusive[1][i]) : 0);
        const above = parent[i] >= 0 && covered[parent[i]];
        covered.push(above || isOwn(method[i]));
        if (parent[i] < 0) all += n;
        if (!above && isOwn(method[i])) own += n;
    }
    return own > all / 100;
}
