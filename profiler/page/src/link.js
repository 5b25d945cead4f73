// The address's fragment, which has the view and its state: #flame?tree=cpu&thread=main&from=200&to=900&frame=3.17&search=x.
// A copied address therefore opens the same view. Unknown parameters are ignored.

function parse() {
    const [view, query] = location.hash.slice(1).split("?");
    return { view, values: new URLSearchParams(query || "") };
}

let parsed = parse();
export const linkedView = () => parsed.view;
export const linked = (name) => parsed.values.get(name) || "";

/** The fragment of another view with the same threads, times and analysis. */
export function linkTo(view) {
    const values = new URLSearchParams();
    for (const name of ["tree", "thread", "from", "to", "own"]) if (linked(name)) values.set(name, linked(name));
    const query = String(values);
    return `#${view}${query ? `?${query}` : ""}`;
}

/** Changes parameters of the shown view ("" removes one), without an entry in the browser's history. */
export function putLink(changes) {
    for (const [name, text] of Object.entries(changes)) {
        if (text === "") parsed.values.delete(name);
        else parsed.values.set(name, text);
    }
    const query = String(parsed.values), fragment = `#${parsed.view}${query ? `?${query}` : ""}`;
    if (location.hash !== fragment) history.replaceState(null, "", fragment);
}

/** After the fragment has changed: reads it. `view`: the one that is shown if it names none. */
export function readLink(isView, view) {
    parsed = parse();
    if (!isView(parsed.view)) parsed.view = view;
}
