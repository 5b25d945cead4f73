// Flame graphs and icicles, and the same tree as nested lists.
import { digits, percent, shortText } from "./data.js";
import { el } from "./dom.js";

const HIGH = 20, LEAST_WIDTH = 1, NARROW = 6.5, OPEN = 20;  // pixels of a row, a frame, a letter; initially open levels of a list
const idle = "Move over a frame or touch it to read it. A click, or Enter, goes into it; Escape comes back. Arrow keys move between frames.";

/** The path of a node below the root: indexes of methods. */
function pathOf(n) {
    const path = [];
    for (; n.up; n = n.up) path.unshift(n.index);
    return path.join(".");
}

function nodeAt(root, path) {
    let n = root;
    for (const index of path ? path.split(".") : []) {
        const below = n.children.find((c) => String(c.index) === index);
        if (!below) break;
        n = below;
    }
    return n;
}

/**
 * A graph of `root`. options: title, inverted (an icicle), value(n), colour(n), describe(n), path: of the frame that is as
 * wide as the graph, zoomed(path): called after a change of it. Returns an element, `search(text)` and `reset()`.
 */
export function flame(root, options) {
    const frames = el("div", { class: "frames", role: "group", "aria-label": `${options.title}. The list below it has the same frames.` });
    const box = el("div", { class: "flame" }, frames), details = el("div", { class: "details", role: "status" });
    const drawn = new Map();  // by node: its element
    let wide = nodeAt(root, options.path), current = wide, words = "", width = 0;
    const say = (n) => { details.textContent = n ? options.describe(n) : words ? foundText() : idle; };
    const matches = (n) => words && n.name.toLowerCase().includes(words);
    const largestFirst = (n) => n.children.filter((c) => options.value(c) > 0).sort((a, b) => options.value(b) - options.value(a));

    function foundText() {
        let number = 0, sum = 0;
        const left = [[root, false]];
        while (left.length) {
            const [n, inside] = left.pop(), is = n !== root && matches(n);
            if (is) number++;
            if (is && !inside) sum += options.value(n);
            for (const c of n.children) if (options.value(c) > 0) left.push([c, inside || is]);
        }
        return number ? `${number} frames with “${words}”: ${percent(sum, options.all)} % of all` : `No frame with “${words}”`;
    }

    function frame(n, depth, x, part) {
        const e = el("button", { type: "button", class: `frame${part === 1 && n !== wide && depth < depthOf(wide) ? " above" : ""}`, tabindex: n === current ? "0" : "-1", title: options.describe(n) }, n.index >= 0 && part * width < NARROW * n.name.length ? shortText(n.index) : n.name);
        e.style.left = `${100 * x}%`;
        e.style.width = `${100 * part}%`;
        e.dataset.depth = depth;
        e.style.background = options.colour(n);
        if (n !== root && matches(n)) e.classList.add("found");
        e.node = n;
        drawn.set(n, e);
        return e;
    }

    const depthOf = (n) => { let depth = 0; for (; n.up; n = n.up) depth++; return depth; };

    function draw() {
        const made = [], left = [];
        let deepest = 0;
        drawn.clear();
        if (!width) return;
        for (let n = wide.up; n; n = n.up) made.push(frame(n, depthOf(n), 0, 1));
        left.push([wide, depthOf(wide), 0, 1]);
        while (left.length) {
            const [n, depth, x, part] = left.pop(), all = options.value(n);
            made.push(frame(n, depth, x, part));
            deepest = Math.max(deepest, depth);
            let at = x;
            for (const c of largestFirst(n)) {
                const share = all ? (part * options.value(c)) / all : 0;
                if (share * width >= LEAST_WIDTH) left.push([c, depth + 1, at, share]);
                at += share;
            }
        }
        for (const e of made) e.style.top = `${HIGH * (options.inverted ? Number(e.dataset.depth) : deepest - Number(e.dataset.depth))}px`;
        frames.style.height = `${HIGH * (deepest + 1)}px`;
        if (!drawn.has(current)) makeCurrent(wide);
        frames.replaceChildren(...made);
        box.scrollTop = options.inverted ? 0 : box.scrollHeight;  // the widest frames
    }

    function makeCurrent(n) {
        const before = drawn.get(current), now = drawn.get(n);
        if (before) before.tabIndex = -1;
        if (now) now.tabIndex = 0;
        current = n;
    }

    function zoom(n, focus) {
        wide = current = n;
        draw();
        say(n);
        if (focus) drawn.get(n).focus({ preventScroll: true });
        if (options.zoomed) options.zoomed(pathOf(n));
    }

    /** The frame beside the current one, in the direction of a key. */
    function neighbour(keyName) {
        const outwards = options.inverted ? "ArrowDown" : "ArrowUp", inwards = options.inverted ? "ArrowUp" : "ArrowDown";
        if (keyName === "Home") return root;
        if (keyName === inwards) return current.up;
        if (keyName === outwards) return largestFirst(current).find((c) => drawn.has(c));
        if (!current.up) return null;
        const beside = largestFirst(current.up).filter((c) => drawn.has(c)), at = beside.indexOf(current);
        return keyName === "ArrowRight" ? beside[at + 1] : keyName === "ArrowLeft" ? beside[at - 1] : null;
    }

    frames.addEventListener("click", (e) => { if (e.target.node) zoom(e.target.node, true); });
    frames.addEventListener("pointerover", (e) => { if (e.target.node) say(e.target.node); });
    frames.addEventListener("focusin", (e) => { if (e.target.node) makeCurrent(e.target.node), say(e.target.node); });
    frames.addEventListener("keydown", (e) => {
        if (e.key === "Escape") return zoom(root, true);
        if (!/^(Arrow|Home)/.test(e.key)) return undefined;
        e.preventDefault();
        const to = neighbour(e.key);
        if (to && drawn.has(to)) makeCurrent(to), drawn.get(to).focus();
        return undefined;
    });
    new ResizeObserver(() => {
        if (box.clientWidth === width || !box.clientWidth) return;
        width = box.clientWidth;
        draw();
    }).observe(box);
    say(wide === root ? null : wide);
    return {
        element: el("div", {}, details, box),
        search(text) {
            words = text.trim().toLowerCase();
            for (const [n, e] of drawn) e.classList.toggle("found", Boolean(n !== root && matches(n)));
            say(null);
        },
        reset: () => zoom(root, false),
    };
}

/** The tree as nested lists that open level by level. line(n): the numbers before a name. */
export function list(root, options) {
    const byValue = (a, b) => options.value(b) - options.value(a);

    function item(n, open) {  // `open`: number of initially open levels
        const children = n.children.filter((c) => options.value(c) > 0).sort(byValue);
        const li = el("li"), text = el("span", { class: "text" }, n.name);
        const below = () => el("ul", { class: "tree" }, ...children.map((c) => item(c, children.length === 1 ? open - 1 : 0)));
        const button = children.length ? el("button", { type: "button", "aria-expanded": "false" }, "+") : el("span", { class: "leaf" });
        const toggle = () => {
            const opened = button.getAttribute("aria-expanded") !== "true";
            button.setAttribute("aria-expanded", String(opened));
            button.textContent = opened ? "−" : "+";
            if (opened) li.append(below());
            else li.lastChild.remove();
        };
        if (children.length) button.setAttribute("aria-label", `Calls below ${n.name}`);
        li.append(el("div", {}, button, el("span", { class: "number" }, options.line(n)), text));
        if (children.length) {
            button.addEventListener("click", toggle);
            if (open > 0) toggle();
        }
        return li;
    }
    return el("ul", { class: "tree", "aria-label": options.title }, item(root, OPEN));
}

export const countLine = (total, file = 0) => (n) => `${digits(n.inclusive[file])} · ${percent(n.inclusive[file], total)} %`;
