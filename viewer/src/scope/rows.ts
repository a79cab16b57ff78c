// The rows of a box: fields by name, characters of an array as one string, words without a type by
// their offset.
import type { Leaf } from "../model/columns";
import { hex, isKnown, leafText, leavesIn } from "../model/values";
import { BROKEN_STATES, POINTER_STATES, type Window } from "../model/window";

export interface Row {
  name: string;
  offset: number;
  /** The words it is read from; a pointer has one. */
  fields: number[];
  /** Empty: a word without a type. */
  leaves: Leaf[];
}

/** All rows of a node, by offset. */
export function rowsOf(window: Window, node: number): Row[] {
  const rows: Row[] = [];
  const shape = window.shape(node);
  for (let field = window.firstField(node); field < window.endField(node); field++) {
    const offset = window.fields.offset[field] as number;
    const leaves = leavesIn(shape, offset, window.fields.size[field] as number);
    if (leaves.length === 0) {
      if (!continuesLeaf(rows, offset)) rows.push(plainRow(window, node, field));
    }
    for (const leaf of leaves) addLeaf(rows, leaf, field);
  }
  return rows;
}

function plainRow(window: Window, node: number, field: number): Row {
  const offset = window.fields.offset[field] as number;
  const isVariable = window.nodes.kind(node) !== "heap" && offset === 0;
  return { name: isVariable ? "*" : `+${offset}`, offset, fields: [field], leaves: [] };
}

/** Whether a leaf that began in an earlier word (a long double, say) covers this one. */
function continuesLeaf(rows: Row[], offset: number): boolean {
  const last = rows.at(-1)?.leaves.at(-1);
  return last !== undefined && offset < last.offset + last.size;
}

function addLeaf(rows: Row[], leaf: Leaf, field: number): void {
  const name = leaf.name || "*";
  const text = leaf.char ? /^(.*)\[\d+\]$/.exec(name)?.[1] : undefined;
  const last = rows.at(-1);
  if (text !== undefined && last?.name === text && last.leaves[0]?.char) {
    last.leaves.push(leaf);
    if (last.fields.at(-1) !== field) last.fields.push(field);
    return;
  }
  rows.push({ name: text ?? name, offset: leaf.offset, fields: [field], leaves: [leaf] });
}

/** Whether a row led somewhere, or should have, at some moment from `first` to `last`. */
export function isPointerRow(window: Window, row: Row, first: number, last: number): boolean {
  if (row.leaves.some((leaf) => leaf.kind === "pointer")) return true;
  if (row.leaves.length > 0) return false;
  const [begin, end] = window.versionsWithin(row.fields[0] as number, first, last);
  for (let version = begin; version < end; version++) {
    if (POINTER_STATES.has(window.versions.state(version))) return true;
  }
  return false;
}

/** Whether a row holds a pointer at T that leads where nothing is. */
export function isBroken(window: Window, row: Row, t: number): boolean {
  const version = window.version(row.fields[0] as number, t);
  return version >= 0 && BROKEN_STATES.has(window.versions.state(version));
}

/** What a row holds as of T, as text; null: nothing was written by then. */
export function rowText(window: Window, row: Row, t: number): string | null {
  if (row.leaves.length > 1) return stringText(window, row, t);
  const field = row.fields[0] as number;
  const version = window.version(field, t);
  return version < 0 ? null : versionText(window, row, version);
}

/** The same for one version of its word. */
export function versionText(window: Window, row: Row, version: number): string | null {
  const { versions } = window;
  switch (versions.state(version)) {
    case "null":
      return "NULL";
    case "live":
    case "dangling":
    case "aliased":
    case "stale":
      return targetText(window, version);
    default:
      return dataText(window, row, version);
  }
}

function targetText(window: Window, version: number): string {
  const target = window.versions.target[version] as number;
  const offset = window.versions.targetOffset[version] as number;
  const node = window.row(target);
  const name = node < 0 ? null : (window.nodes.label(node) ?? window.nodes.name(node));
  return `→ ${name ?? `#${target}`}${offset > 0 ? `+${offset}` : ""}`;
}

function dataText(window: Window, row: Row, version: number): string | null {
  const word = window.versions.value[version] as bigint;
  const known = window.versions.known[version] as number;
  const leaf = row.leaves[0];
  if (!leaf) return known === 0 ? null : hex(word);
  const offset = window.fields.offset[row.fields[0] as number] as number;
  if (leaf.offset + leaf.size > offset + 8) return hex(word); // longer than a word
  return isKnown(leaf, offset, known) ? leafText(leaf, offset, word) : null;
}

function stringText(window: Window, row: Row, t: number): string | null {
  let text = "";
  for (const field of row.fields) {
    const version = window.version(field, t);
    const offset = window.fields.offset[field] as number;
    const end = offset + (window.fields.size[field] as number);
    for (const leaf of row.leaves) {
      if (leaf.offset < offset || leaf.offset >= end) continue;
      if (version < 0 || !isKnown(leaf, offset, window.versions.known[version] as number)) {
        return text ? `"${text}…` : null;
      }
      const word = window.versions.value[version] as bigint;
      const code = Number(BigInt.asUintN(8, word >> BigInt(8 * (leaf.offset - offset))));
      if (code === 0) return `"${text}"`;
      text +=
        code < 32 || code > 126
          ? `\\x${code.toString(16).padStart(2, "0")}`
          : String.fromCharCode(code);
    }
  }
  return `"${text}…`;
}
