// Plots: SVG with a title and a textual description.
import { el, svg } from "./dom.js";

const HEIGHT = 60, WIDTH = 720;

function figure(title, caption, width, height, ...parts) {
    const picture = svg("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title }, ...parts);
    return el("figure", {}, picture, el("figcaption", {}, caption));
}

/** Numbers over time, in thousandths. */
export function series(title, numbers) {
    const most = Math.max(1, ...numbers), step = WIDTH / numbers.length;
    let path = `M0,${HEIGHT}`;
    numbers.forEach((n, i) => {
        const y = (HEIGHT - (n * (HEIGHT - 4)) / most).toFixed(1);
        path += `L${(i * step).toFixed(1)},${y}L${((i + 1) * step).toFixed(1)},${y}`;
    });
    return figure(title, `${title}: at most ${(most / 1000).toFixed(3)}`, WIDTH, HEIGHT, svg("path", { class: "area", d: `${path}L${WIDTH},${HEIGHT}Z` }));
}

/** A histogram's buckets, [lower bound, count], as bars of equal width on a logarithmic axis. */
export function histogram(title, buckets) {
    const width = 200, height = 26, most = Math.max(1, ...buckets.map((b) => b[1])), step = width / Math.max(1, buckets.length);
    return svg("svg", { class: "plot", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title },
        ...buckets.map((b, i) => {
            const high = 1 + ((height - 2) * b[1]) / most;
            return svg("rect", { class: "mark", x: (i * step).toFixed(2), y: (height - high).toFixed(2), width: Math.max(0.8, step - 0.4).toFixed(2), height: high.toFixed(2) });
        }));
}

/** Points {x, y, name}: shares in percent on logarithmic axes, with the line of equal shares. */
export function scatter(title, caption, points, xName, yName) {
    const size = 420, left = 56, least = -3;
    const at = (share) => Math.max(0, (Math.log10(Math.max(share, 10 ** least)) - least) / (2 - least)) * (size - left - 10);
    const x = (share) => left + at(share), y = (share) => size - left - at(share);
    const grid = [];
    for (let power = least; power <= 2; power++) {
        const share = 10 ** power, text = power === least ? `≤${share}` : String(share);
        grid.push(svg("text", { x: x(share), y: size - left + 16, "text-anchor": "middle" }, text),
            svg("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end" }, text));
    }
    return figure(title, caption, size, size - left + 40,
        svg("path", { class: "axis", d: `M${left},10V${size - left}H${size - 10}M${left},${size - left}L${x(100)},${y(100)}` }), ...grid,
        svg("text", { x: (left + size) / 2, y: size - left + 34, "text-anchor": "middle" }, `${xName}: % of all`),
        svg("text", { x: 14, y: (size - left) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(size - left) / 2})` }, `${yName}: % of all`),
        ...points.map((p) => svg("circle", { class: "mark", cx: x(p.x).toFixed(1), cy: y(p.y).toFixed(1), r: 3, "fill-opacity": 0.7 },
            svg("title", {}, `${p.name}: ${p.x.toFixed(3)} %, ${p.y.toFixed(3)} %`))));
}

/** Shares with their intervals: {name, share, low, high}, in percent. */
export function intervals(title, caption, items) {
    const left = 250, width = 720, row = 20, most = Math.max(...items.map((i) => i.high), 1e-9);
    const x = (share) => left + (share / most) * (width - left - 70);
    return figure(title, caption, width, items.length * row + 10, ...items.flatMap((item, i) => {
        const y = i * row + 14, name = item.name.length > 36 ? `…${item.name.slice(-35)}` : item.name;
        return [svg("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, name, svg("title", {}, item.name)),
            svg("path", { class: "line", d: `M${x(item.low).toFixed(1)},${y}H${x(item.high).toFixed(1)}` }),
            svg("circle", { class: "mark", cx: x(item.share).toFixed(1), cy: y, r: 4 }),
            svg("text", { x: x(item.high) + 8, y: y + 4 }, `${item.share.toFixed(2)} %`)];
    }));
}

/** Overlaps in percent, with the interval of an ideal sample: {name, overlap, ideal: {expected, low, high}}. */
export function overlaps(title, caption, items) {
    const left = 130, width = 720, row = 34, x = (share) => left + (share / 100) * (width - left - 80);
    return figure(title, caption, width, items.length * row + 24, ...items.flatMap((item, i) => {
        const y = i * row + 8, ideal = item.ideal, parts = [
            svg("text", { x: left - 8, y: y + 14, "text-anchor": "end" }, item.name),
            svg("rect", { class: "mark", x: left, y, width: Math.max(0, x(item.overlap) - left).toFixed(1), height: 18 }),
            svg("text", { x: width - 70, y: y + 14 }, `${item.overlap.toFixed(2)} %`)];
        if (ideal) {
            const low = ideal.low === undefined ? ideal.expected : ideal.low, high = ideal.high === undefined ? ideal.expected : ideal.high;
            parts.push(svg("path", { class: "ideal", d: `M${x(low).toFixed(1)},${y + 23}H${Math.max(x(high), x(low) + 2).toFixed(1)}M${x(ideal.expected).toFixed(1)},${y - 2}V${y + 27}` }));
        }
        return parts;
    }));
}
