// Builds page.html, one file with its styles and scripts, and a policy that allows no other script: node build.mjs
// OUTPUT
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const bundle = async (entry) => {
    const result = await build({
        entryPoints: [entry], bundle: true, minify: true, write: false, format: "iife", target: "es2020",
        keepNames: true,  // d3-flame-graph reads the name of a class
        legalComments: "inline", charset: "ascii",
        loader: { ".css": "empty" },  // page.css has the styles that the page needs
    });
    return result.outputFiles[0].text;
};

const script = await bundle("src/main.js");
const style = readFileSync("src/page.css", "utf8");
if (/<\/(script|style)/i.test(script + style) || script.includes("<!--")) throw new Error("the bundle would end its element");
const hash = createHash("sha256").update(script).digest("base64");
const page = readFileSync("src/page.html", "utf8")
    .replace("SCRIPT-HASH", () => `sha256-${hash}`)
    .replace("/*STYLE*/", () => style)
    .replace("/*SCRIPT*/", () => script);
writeFileSync(process.argv[2], page);
