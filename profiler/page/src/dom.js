// Creation of elements. Texts are never parsed as markup.

/** An element with attributes (on...: a listener; null: none) and children (elements or texts). */
export function el(name, attributes = {}, ...children) {
    return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(e, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
        else e.setAttribute(key, value === true ? "" : String(value));
    }
    e.append(...children.filter((c) => c !== null && c !== undefined));
    return e;
}

let ids = 0;

/** A control with its label, for an element of class `controls`. */
export function labelled(text, control, check = false) {
    control.id = control.id || `control-${++ids}`;
    const label = el("label", { for: control.id, class: check ? "check" : null });
    label.append(...(check ? [control, text] : [text, control]));
    return label;
}

export function select(choices, chosen, change) {
    const e = el("select", { onchange: () => change(e.value) });
    for (const [value, text] of choices) e.append(el("option", { value, selected: value === chosen }, text));
    return e;
}
