// Bundles the page that heapstory view writes: page.js, with the layout worker and its WebAssembly
// inside it as text, and page.css. src/heapstory/viewing puts them into one file with the data.
//
//   node build.mjs [FOLDER]
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, "../src/heapstory/viewing/page");

async function bundle(entry, plugins = []) {
  const { outputFiles } = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "warning",
    plugins,
  });
  return outputFiles[0].text;
}

// import program from "heapstory:worker" gives the bundled worker as a string.
const worker = await bundle("src/layout/worker.ts");
const workerText = {
  name: "worker",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^heapstory:worker$/ }, ({ path }) => ({ path, namespace: "worker" }));
    onLoad({ filter: /.*/, namespace: "worker" }, () => ({ contents: worker, loader: "text" }));
  },
};

await mkdir(folder, { recursive: true });
await writeFile(join(folder, "page.js"), await bundle("src/main.tsx", [workerText]));
await writeFile(join(folder, "page.css"), await bundle("src/style.css"));
