// The page: its views. The address's fragment selects the one that is shown.
import { compareView, hasSample, sampleView } from "./accuracy.js";
import { data, twoFiles } from "./data.js";
import { el } from "./dom.js";
import { overview } from "./overview.js";
import { callersView, flameView, sourceView, tablesView, threadsView } from "./views.js";

const views = [
    ["overview", "Overview", overview],
    ...(twoFiles ? [["differences", "Differences", compareView]] : []),
    ["flame", "Flame graph", flameView],
    ["callers", "Callers", callersView],
    ["tables", "Tables", tablesView],
    ["source", "Sources", sourceView],
    ["threads", "Threads", threadsView],
    ...(hasSample ? [["sample", "Accuracy", sampleView]] : []),
];

const made = new Map(), main = document.getElementById("main"), nav = document.getElementById("views");

/** A view is created when it is first shown, and keeps its state. */
function show() {
    const wanted = views.find(([id]) => `#${id}` === location.hash) || views[0];
    for (const link of nav.children) {
        if (link.hash === `#${wanted[0]}`) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
    if (!made.has(wanted[0])) made.set(wanted[0], wanted[2]());
    main.replaceChildren(made.get(wanted[0]));
}

const title = data.files.map((f) => f.header.command || f.path).join(" — ").slice(0, 300);
document.title = `cabernet profile: ${title.slice(0, 80)}`;
document.getElementById("title").textContent = title;
nav.append(...views.map(([id, name]) => el("a", { href: `#${id}` }, name)));
window.addEventListener("hashchange", () => {
    show();
    main.focus({ preventScroll: true });
    window.scrollTo(0, 0);
});
show();
