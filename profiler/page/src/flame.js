// Flame graphs and icicles, by d3-flame-graph, and the same tree as lists for screen readers.
import flamegraph from "d3-flame-graph";
import { select as pick } from "d3-selection";
import { digits, isOwn, isPseudo, percent } from "./data.js";
import { el } from "./dom.js";

const HIGH = 20, LEAST_WIDTH = 320, OPEN = 20;
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function mix(from, to, part) {
    const numbers = (c) => (c.length === 4 ? [...c.slice(1)].map((x) => parseInt(x + x, 16)) : [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16)));
    const a = numbers(from), b = numbers(to);
    return `rgb(${a.map((x, i) => Math.round(x + (b[i] - x) * part)).join(", ")})`;
}

/** A frame's colour by the owner of its method: the program, the class library, the VM. */
export function byOwner(n) {
    if (n.index < 0 || isPseudo(n.index)) return style("--vm");
    return style(isOwn(n.index) ? "--own" : "--library");
}

/** Red where B has more than A, blue where it has less: by share of the total or by count. */
export function byChange(shares, totals) {
    return (n) => {
        const [a, b] = shares ? n.inclusive.map((x, file) => (totals[file] ? x / totals[file] : 0)) : n.inclusive;
        const part = a + b ? (b - a) / Math.max(a, b) : 0;
        return mix(style("--same"), style(part > 0 ? "--more" : "--less"), Math.sqrt(Math.abs(part)));
    };
}

/**
 * A graph of `root`. options: inverted (an icicle), value(n), colour(n), describe(n), pickMethod(index). Returns an element and
 * `search(text)`, `reset()`, `redraw()`.
 */
export function flame(root, options) {
    const box = el("div", { class: "flame" }), details = el("div", { class: "details", role: "status" });
    const idle = "Move over a frame or touch it to read it; a click goes into it, and a click on “all” comes back.";
    const total = options.value(root);
    const say = (n, more = "") => {
        details.textContent = n ? `${options.describe(n)}${more}` : idle;
    };
    let words = "", chart = null;

    function draw() {
        box.replaceChildren();
        const width = Math.max(LEAST_WIDTH, box.clientWidth || 960);
        chart = flamegraph().width(width).cellHeight(HIGH).minFrameSize(1).inverted(Boolean(options.inverted)).selfValue(false)
            .transitionDuration(0).sort((a, b) => options.value(b.data) - options.value(a.data));
        chart.getName((d) => d.data.name);
        chart.getValue((d) => options.value(d.data || d));
        chart.getChildren((d) => d.children);
        chart.setLabelHandler((d) => options.describe(d.data));
        chart.setColorMapper((d) => (d.highlight ? style("--found") : options.colour(d.data)));
        chart.onClick((d) => {
            say(d.data);
            if (options.onZoom) options.onZoom(d.data);
        });
        chart.setDetailsHandler(() => {});
        chart.onHover((d) => say(d.data));
        chart.setSearchMatch((d, term) => d.data.name.toLowerCase().includes(term));
        chart.setSearchHandler((found, sum) => {
            details.textContent = found.length ? `${found.length} frames with “${words}”: ${percent(sum, total)} %` : `No frame with “${words}”`;
        });
        pick(box).datum(root).call(chart);
        const svg = box.querySelector("svg");
        svg.setAttribute("role", "img");
        svg.setAttribute("aria-label", `${options.title}. The list below it has the same frames.`);
        box.scrollTop = options.inverted ? 0 : box.scrollHeight;  // the widest frames
    }

    let drawnAt = 0;
    new ResizeObserver(() => {
        if (box.clientWidth === drawnAt || !box.clientWidth) return;
        drawnAt = box.clientWidth;
        draw();
        if (words) chart.search(words);
    }).observe(box);
    say(null);
    return {
        element: el("div", {}, details, box),
        search(text) {
            words = text.trim().toLowerCase();
            if (!chart) return;
            if (words) chart.search(words);
            else chart.clear(), say(null);
        },
        reset() {
            if (chart) chart.resetZoom();
            say(null);
        },
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
        button.setAttribute("aria-label", `Calls below ${n.name}`);
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
