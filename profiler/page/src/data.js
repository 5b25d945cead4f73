// The data that cabernet-prof inserted into the page: numbers, names, and which items belong to the program.

export const data = JSON.parse(document.getElementById("data").textContent);

// A method: class, name, descriptor, flags, source. Flags: 1 a pseudo-caller, 2 unknown, 4 the program's
// (store/format.h).
const [CLASS, NAME, DESC, FLAGS] = [0, 1, 2, 3];
const PSEUDO = 1, UNKNOWN = 2, OWN = 4;

/** A count as a number; counts above 2^53 are stored as texts and are rounded. */
export const value = (n) => (typeof n === "string" ? Number(n) : n);
/** All digits of a count, as text. */
export const digits = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
export const percent = (part, all, places = 1) => (all ? ((100 * part) / all).toFixed(places) : (0).toFixed(places));

const PRIMITIVES = { Z: "boolean", B: "byte", C: "char", S: "short", I: "int", J: "long", F: "float", D: "double" };

function parameters(desc) {
    const types = [];
    for (let i = 1; desc[0] === "(" && i < desc.length && desc[i] !== ")"; i++) {
        let dims = "";
        for (; desc[i] === "["; i++) dims += "[]";
        let type = PRIMITIVES[desc[i]];
        if (desc[i] === "L") {
            const end = desc.indexOf(";", i);
            if (end < 0) break;
            type = desc.slice(i + 1, end).split("/").pop();
            i = end;
        }
        if (!type) break;
        types.push(type + dims);
    }
    return `(${types.join(", ")})`;
}

const texts = new Map();

/** "pkg.Class.name(int, String[])", as reports have it. */
export function methodText(index) {
    if (!texts.has(index)) {
        const m = data.methods[index];
        texts.set(index, m[FLAGS] & (PSEUDO | UNKNOWN) ? m[NAME] : `${m[CLASS]}.${m[NAME]}${parameters(m[DESC])}`);
    }
    return texts.get(index);
}

/** "Class.name", for narrow places. */
export function shortText(index) {
    const m = data.methods[index];
    return m[FLAGS] & (PSEUDO | UNKNOWN) ? m[NAME] : `${m[CLASS].split(".").pop()}.${m[NAME]}`;
}

export const isOwn = (index) => Boolean(data.methods[index][FLAGS] & OWN);
export const isPseudo = (index) => Boolean(data.methods[index][FLAGS] & PSEUDO);
export const hasOwn = data.methods.some((m) => m[FLAGS] & OWN);

export function fieldText(index) {
    const [className, name] = data.fields[index];
    return className ? `${className}.${name}` : name;
}

/** Does the row belong to the program? It does if one of its methods does, or without methods, its field. */
export function rowIsOwn(columns, row) {
    let method = false, field = false, ownField = false;
    for (let c = 0; c < columns.length; c++) {
        if (columns[c].kind === "method") {
            if (isOwn(row[c])) return true;
            method = true;
        } else if (columns[c].kind === "field") {
            field = true;
            ownField = ownField || Boolean(data.fields[row[c]][FLAGS] & OWN);
        }
    }
    return !method && (ownField || !field);
}

export const twoFiles = data.files.length === 2;
export const letters = ["A", "B"];
