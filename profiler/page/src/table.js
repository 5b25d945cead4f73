// Tables that can be sorted by any column and filtered by text.
import { el, labelled } from "./dom.js";

const PAGE = 200;  // rows shown at first, and added each time

function compare(column, down) {
    const sign = down ? -1 : 1;
    return (a, b) => {
        const x = column.sort(a), y = column.sort(b);
        return x < y ? -sign : x > y ? sign : 0;
    };
}

/**
 * columns: {title, text(row), sort(row), number, bar(row): 0 to 1}; rows: any kind. options: caption, filter: false,
 * check: a box that hides rows ({text, keep(row), on}), rest: a sentence on rows that are not in the page; ordered:
 * initially in the given order; quiet: does not show the number of rows.
 */
export function table(columns, rows, options = {}) {
    let by = columns.findIndex((c) => c.number), down = true, shown = PAGE, words = "", left = rows;
    if (options.ordered) by = -1;
    else if (by < 0) by = 0, down = false;
    const body = el("tbody"), head = el("tr"), status = el("p", { class: "note", role: "status" });
    const more = el("button", { type: "button", onclick: () => { shown += 5 * PAGE; draw(); } }, "Show more rows");
    const check = options.check ? el("input", { type: "checkbox", onchange: () => choose() }) : null;
    if (check) check.checked = options.check.on;
    const heads = columns.map((column, i) => {
        const button = el("button", { type: "button", onclick: () => {
            down = i === by ? !down : Boolean(column.number);
            by = i;
            choose();
        } }, column.title);
        const th = el("th", { scope: "col", class: column.number ? "number" : null }, button);
        head.append(th);
        return th;
    });

    function cell(column, row) {
        const td = el("td", { class: column.number ? "number" : "name" });
        if (column.bar) {
            const bar = el("span", { class: "share" });
            bar.style.width = `${(6 * column.bar(row)).toFixed(2)}rem`;
            td.append(bar, " ");
        }
        td.append(column.text(row));
        return td;
    }

    function draw() {
        body.replaceChildren(...left.slice(0, shown).map((row) => el("tr", {}, ...columns.map((c) => cell(c, row)))));
        heads.forEach((th, i) => th.setAttribute("aria-sort", i !== by ? "none" : down ? "descending" : "ascending"));
        more.hidden = left.length <= shown;
        status.textContent = `${Math.min(shown, left.length)} of ${left.length} rows${words ? ` with “${words}”` : ""}. ${options.rest || ""}`;
    }

    function choose() {
        const wanted = words.toLowerCase();
        left = rows.filter((row) => (!check || !check.checked || options.check.keep(row))
            && (!wanted || columns.some((c) => !c.number && c.text(row).toLowerCase().includes(wanted))));
        if (by >= 0) left.sort(compare(columns[by], down));
        draw();
    }

    const controls = el("div", { class: "controls" });
    if (options.filter !== false) {
        const input = el("input", { type: "search", autocomplete: "off", spellcheck: "false" });
        input.addEventListener("input", () => { words = input.value.trim(); shown = PAGE; choose(); });
        controls.append(labelled("Filter rows by text", input));
    }
    if (check) controls.append(labelled(options.check.text, check, true));
    choose();
    return el("div", {}, controls.childNodes.length ? controls : null,
        el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": options.caption },
            el("table", {}, el("caption", {}, options.caption), el("thead", {}, head), body)),
        options.quiet ? null : status, more);
}
