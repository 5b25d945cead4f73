// The page: its views, in the order in which a reader needs them. The address's fragment selects the one that is shown
// (link.js).
import { compareView, hasSample, sampleView } from "./accuracy.js";
import { data, twoFiles } from "./data.js";
import { el } from "./dom.js";
import { findingsView } from "./findings.js";
import { linkedView, linkTo, readLink } from "./link.js";
import { overview } from "./overview.js";
import { callersView, filterBar, flameView, treesWithNodes } from "./trees.js";
import { sourceView, tablesView, threadsView } from "./views.js";

// Identifier, name, function, and what its numbers depend on (filterBar).
const flameRow = ["flame", "Flame graph", flameView, "stacks"];
const views = [
    ...(twoFiles ? [["differences", "Differences", compareView, ""]] : []),
    ...(treesWithNodes.length ? [flameRow] : []),
    ["findings", "Findings", findingsView, "stacks"],
    ["tables", "Tables", tablesView, "tables"],
    ["callers", "Callers", callersView, "stacks"],
    ["source", "Sources", sourceView, ""],
    ["threads", "Threads", threadsView, "times"],
    ...(hasSample ? [["sample", "Accuracy", sampleView, ""]] : []),
    ...(treesWithNodes.length ? [] : [flameRow]),
    ["overview", "About the run", overview, ""],
];

const main = document.getElementById("main"), nav = document.getElementById("views");
const isView = (name) => views.some(([id]) => id === name);

function updateContents() {
    for (const link of nav.children) {
        link.setAttribute("href", linkTo(link.dataset.view));
        if (link.dataset.view === linkedView()) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
}

/** Makes the linked view. After a change of the filter the focus goes to the control with the same label. */
function show() {
    const [, , make, depends] = views.find(([id]) => id === linkedView());
    const label = document.activeElement && document.activeElement.labels && document.activeElement.labels[0];
    const name = label && label.textContent, bar = depends && !twoFiles ? filterBar(show, depends) : null;
    const scrolled = window.scrollY;
    main.replaceChildren(...(bar ? [bar] : []), make(show));
    window.scrollTo(0, scrolled);
    const again = name && [...main.querySelectorAll(".filter label")].find((l) => l.textContent === name);
    if (again) again.control.focus();
}

const title = data.files.map((f) => f.header.command || f.path).join(" — ").slice(0, 300);
document.title = `cabernet profile: ${title.slice(0, 80)}`;
document.getElementById("title").textContent = title;
nav.append(...views.map(([id, name]) => el("a", { href: `#${id}`, "data-view": id }, name)));
nav.addEventListener("focusin", updateContents);
nav.addEventListener("pointerover", updateContents);
window.addEventListener("hashchange", () => {
    const before = linkedView();
    readLink(isView, views[0][0]);
    updateContents();
    show();
    if (linkedView() === before) return;
    main.focus({ preventScroll: true });
    window.scrollTo(0, 0);
});
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);  // heat maps are painted
readLink(isView, views[0][0]);
updateContents();
show();
