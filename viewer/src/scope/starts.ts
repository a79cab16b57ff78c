// Where a picture begins: variables, a type, an allocation site, or one node.
import type { Head } from "../model/head";
import { POINTER_STATES, type Window } from "../model/window";
import type { Links, Stretch } from "./links";

export type Scope =
  | { kind: "roots" }
  | { kind: "type"; type: string }
  | { kind: "site"; site: number }
  | { kind: "node"; node: number };

export function sameScope(a: Scope, b: Scope): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Rows to begin with, the most wanted first. */
export function starts(links: Links, head: Head, scope: Scope): number[] {
  const { window, stretch } = links;
  switch (scope.kind) {
    case "roots":
      return rootStarts(links, head);
    case "node":
      return nodeStarts(window, scope.node, stretch);
    case "type":
      return chosen(window, stretch, (row) => window.typeName(row) === scope.type);
    case "site":
      return chosen(window, stretch, (row) => window.nodes.bornSite[row] === scope.site);
  }
}

function chosen(
  window: Window,
  { first, last, at }: Stretch,
  wanted: (row: number) => boolean,
): number[] {
  const rows: number[] = [];
  for (let row = 0; row < window.nodes.count; row++) {
    if (wanted(row) && window.livesWithin(row, first, last)) rows.push(row);
  }
  return rows.sort(
    (a, b) => Number(window.isThere(b, at)) - Number(window.isThere(a, at)) || a - b,
  );
}

/** Variables that lead to the heap, then whatever no drawn pointer leads to: it may be lost, or in
 * the hands of a stack that was not scanned. */
function rootStarts(links: Links, head: Head): number[] {
  const { window, stretch } = links;
  const given = head.start.map((id) => window.row(id)).filter((row) => row >= 0);
  const roots = chosen(window, stretch, (row) => window.nodes.kind(row) === "root");
  const wild = chosen(window, stretch, (row) => isWild(window, row, stretch));
  const isNamed = (row: number) => !window.isSection(row);
  const found = [...new Set([...given, ...roots, ...wild])];
  const first = [...found.filter(isNamed), ...found.filter((row) => !isNamed(row))];
  const reached = reach(links, first);
  const isLeft = (row: number) => window.nodes.kind(row) === "heap" && !reached.has(row);
  const rest = chosen(window, stretch, isLeft);
  const led = new Set(rest.flatMap((row) => links.targets(row).filter((target) => target !== row)));
  return [...first, ...rest.filter((row) => !led.has(row)), ...rest.filter((row) => led.has(row))];
}

/** Whether a variable led to where no node ever was. */
function isWild(window: Window, row: number, { first, last }: Stretch): boolean {
  if (window.nodes.kind(row) !== "global") return false;
  for (let field = window.firstField(row); field < window.endField(row); field++) {
    const [begin, end] = window.versionsWithin(field, first, last);
    for (let version = begin; version < end; version++) {
      if (window.versions.state(version) === "wild") return true;
    }
  }
  return false;
}

/** A node and those that lead to it. */
function nodeStarts(window: Window, node: number, { first, last }: Stretch): number[] {
  const row = window.row(node);
  if (row < 0) return [];
  const found = new Set([row]);
  const { versions, fields } = window;
  for (let field = 0; field < fields.count; field++) {
    const [begin, end] = window.versionsWithin(field, first, last);
    for (let version = begin; version < end; version++) {
      if (versions.target[version] === node && POINTER_STATES.has(versions.state(version))) {
        found.add(fields.node[field] as number);
      }
    }
  }
  return [...found];
}

function reach(links: Links, from: number[]): Set<number> {
  const seen = new Set(from);
  const front = [...from];
  for (let node = front.pop(); node !== undefined; node = front.pop()) {
    for (const target of links.targets(node)) {
      if (!seen.has(target)) front.push(target);
      seen.add(target);
    }
  }
  return seen;
}
