// Prints what the page's model says of a page on disk, or of a window as a server answers it: for
// each timestamp asked for a line of JSON with the nodes and pointers, found as the page finds them.
//
//   node graphs.mjs PAGE.html|WINDOW TIMESTAMP...
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { Columns } from "../../viewer/src/model/columns";
import { Window } from "../../viewer/src/model/window";

const [page = "", ...moments] = process.argv.slice(2);

function block(text: string, id: string): string {
  const found = new RegExp(`<script[^>]* id="${id}"[^>]*>([^<]*)</script>`).exec(text);
  if (!found) throw new Error(`${page} has no block ${id}`);
  return found[1] as string;
}

const file = readFileSync(page);
const text = page.endsWith(".html") ? file.toString("utf-8") : null;
const packed = text === null ? file : gunzipSync(Buffer.from(block(text, "window"), "base64"));
const buffer = packed.buffer.slice(packed.byteOffset, packed.byteOffset + packed.byteLength);
const window = new Window(new Columns(buffer as ArrayBuffer));
const { nodes, fields, versions } = window;

function graph(t: number): object {
  const alive: number[] = [];
  const edges: unknown[][] = [];
  for (let row = 0; row < nodes.count; row++) {
    if (!window.isThere(row, t)) continue;
    alive.push(nodes.id[row] as number);
    for (let field = window.firstField(row); field < window.endField(row); field++) {
      const version = window.version(field, t);
      const state = version < 0 ? "data" : versions.state(version);
      if (state === "data" || state === "wild") continue;
      const isStale = ["dangling", "aliased", "stale"].includes(state);
      const target = versions.target[version] as number;
      edges.push([
        nodes.id[row],
        fields.offset[field],
        `0x${(versions.value[version] as bigint).toString(16)}`,
        target < 0 ? null : target,
        target < 0 ? null : versions.targetOffset[version],
        isStale ? "stale" : state,
        versions.stored[version],
      ]);
    }
  }
  return { at: t, nodes: alive, edges };
}

for (const moment of moments) console.log(JSON.stringify(graph(Number(moment))));
