// A heat map of samples over time (Gregg's FlameScope): a column is a piece of the run, a cell of it a fraction. Cells of
// many samples are dark, or bright on a dark page. A range of time is chosen by dragging, or in two fields.
import { data, digits } from "./data.js";
import { el, labelled } from "./dom.js";
import { heatCounts, selectedSlots } from "./filter.js";
import { linked, putLink } from "./link.js";

const WIDEST = 24, MAP_HEIGHT = 150, MOST_COLUMNS = 2000, ROW_CHOICES = [50, 25, 10, 5], FEW_COLUMNS = 10;  // pixels; of a map

/** Rows of a column such that a short run has several columns, and the longest has not too many. */
function rowsFor(slots) {
    const rows = ROW_CHOICES.find((n) => slots / n >= FEW_COLUMNS) || ROW_CHOICES[ROW_CHOICES.length - 1];
    return Math.max(rows, Math.ceil(slots / MOST_COLUMNS));
}

const heatSlots = (tree, counts) => Math.max(counts.length, Math.ceil(Number(data.files[0].header["duration-ns"] || 0) / tree.cells.heatNs), 1);

/** Sets the range, in milliseconds, to the pieces of the tree that it touches; without a range: the whole run. */
function chooseRange(tree, a, b) {
    const step = tree.cells.slotNs / 1e6, none = { from: "", to: "", frame: "" };
    putLink(b > a ? { from: String(+(Math.floor(a / step + 1e-6) * step).toFixed(3)), to: String(+(Math.ceil(b / step - 1e-6) * step).toFixed(3)), frame: "" } : none);
}

/** Fields for the range of a tree with times. */
export function rangeFields(tree, changed) {
    const chosen = selectedSlots(tree), step = tree.cells.slotNs / 1e9, end = (heatSlots(tree, heatCounts(tree)) * tree.cells.heatNs) / 1e9;
    const field = (name, at) => {
        const e = el("input", { type: "number", min: 0, step: "any", value: +at.toFixed(3), class: "time" });
        e.addEventListener("change", () => { chooseRange(tree, Number(first.value) * 1000, Number(last.value) * 1000); changed(); });
        return [labelled(name, e), e];
    };
    const [firstLabel, first] = field("From second", chosen ? chosen[0] * step : 0), [lastLabel, last] = field("to second", chosen ? chosen[1] * step : end);
    const whole = el("button", { type: "button", onclick: () => { chooseRange(tree, 0, 0); changed(); } }, "Whole run");
    whole.disabled = !chosen;
    return [firstLabel, lastLabel, whole];
}

/** The heat map of a tree with times. changed(): called after the range has changed. */
export function heatMap(tree, changed) {
    const counts = heatCounts(tree), slotMs = tree.cells.heatNs / 1e6, slots = heatSlots(tree, counts);
    const rows = rowsFor(slots), columns = Math.ceil(slots / rows), most = counts.reduce((a, b) => Math.max(a, b || 0), 1);
    const canvas = el("canvas", { class: "heat", width: columns, height: rows, role: "img",
        "aria-label": `Samples over time: ${columns} columns of ${rows} cells of ${slotMs} ms. The fields “From second” and “to second” choose a range, too.` });
    const marks = el("canvas", { class: "marks", width: columns, height: rows, "aria-hidden": "true" });
    const note = el("p", { class: "note", role: "status" }), chosen = selectedSlots(tree), step = tree.cells.slotNs / 1e6;
    let from = null, to = null;  // slots of the heat map while dragging

    const millis = (slot) => +(slot * slotMs).toFixed(3);
    const text = (a, b) => `${(a / 1000).toFixed(2)} s to ${(b / 1000).toFixed(2)} s`;

    const pauses = [];  // milliseconds of collections, by slot of the heat map
    for (const [start, ms] of data.files[0].collections) {
        for (let slot = Math.floor(start / slotMs), left = ms; left > 0 && slot < slots; slot++) {
            const here = Math.min(left, (slot + 1) * slotMs - Math.max(start, slot * slotMs));
            pauses[slot] = (pauses[slot] || 0) + here;
            left -= here;
        }
    }

    function paint() {
        const style = getComputedStyle(document.documentElement), pen = canvas.getContext("2d"), heat = style.getPropertyValue("--heat"), pause = style.getPropertyValue("--pause");
        pen.clearRect(0, 0, columns, rows);
        counts.forEach((n, slot) => {
            pen.fillStyle = `rgba(${heat}, ${(0.12 + 0.88 * Math.sqrt(n / most)).toFixed(3)})`;
            pen.fillRect(Math.floor(slot / rows), rows - 1 - (slot % rows), 1, 1);
        });
        pauses.forEach((ms, slot) => {
            const cell = [Math.floor(slot / rows), rows - 1 - (slot % rows), 1, 1];
            pen.clearRect(...cell);
            pen.fillStyle = `rgba(${pause}, ${(0.3 + 0.7 * Math.min(1, ms / slotMs)).toFixed(3)})`;
            pen.fillRect(...cell);
        });
    }

    function mark(first, last) {
        const pen = marks.getContext("2d");
        pen.clearRect(0, 0, columns, rows);
        pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--chosen").trim();
        for (let slot = first; slot < last && slot < slots; slot++) pen.fillRect(Math.floor(slot / rows), rows - 1 - (slot % rows), 1, 1);
    }

    const slotAt = (e) => {
        const r = canvas.getBoundingClientRect();
        const x = Math.min(columns - 1, Math.max(0, Math.floor(((e.clientX - r.left) / r.width) * columns)));
        const y = Math.min(rows - 1, Math.max(0, Math.floor(((e.clientY - r.top) / r.height) * rows)));
        return x * rows + (rows - 1 - y);
    };
    const edges = () => [Math.min(from, to), Math.max(from, to) + 1];
    canvas.addEventListener("pointerdown", (e) => { from = to = slotAt(e); canvas.setPointerCapture(e.pointerId); mark(...edges()); });
    canvas.addEventListener("pointermove", (e) => {
        const slot = slotAt(e);
        if (from !== null) to = slot, mark(...edges());
        note.textContent = from === null ? `${text(millis(slot), millis(slot + 1))}: ${digits(counts[slot] || 0)} samples${pauses[slot] ? `, ${+pauses[slot].toFixed(1)} ms of collections` : ""}` : text(...edges().map(millis));
    });
    canvas.addEventListener("pointerup", () => {
        if (from === null) return;
        const [a, b] = edges().map(millis);
        from = null;
        chooseRange(tree, a, b);
        changed();
    });

    paint();
    if (chosen) mark(Math.round((chosen[0] * step) / slotMs), Math.round((chosen[1] * step) / slotMs));
    note.textContent = chosen ? `Chosen: ${text(chosen[0] * step, chosen[1] * step)}` : "The whole run. Drag over the map to choose a range.";
    const holder = el("div", { class: "heatbox" }, canvas, marks);
    holder.style.width = `max(${columns}px, min(100%, ${columns * WIDEST}px))`;
    holder.style.height = `${MAP_HEIGHT}px`;
    return el("figure", { class: "heatmap" }, el("h3", {}, "Samples over time"),
        el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Heat map of samples over time" }, holder),
        el("figcaption", {}, `A column is ${+((rows * slotMs) / 1000).toFixed(3)} s of the run, a cell ${slotMs} ms; time goes up and to the right.${pauses.length ? " Blue cells have collections of the heap." : ""} Ranges consist of pieces of ${+step.toFixed(3)} ms.`), note);
}
