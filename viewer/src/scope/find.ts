// Nodes of a window by what a person would type.
import type { Sites } from "../model/sites";
import { hex } from "../model/values";
import type { Window } from "../model/window";
import { rowsOf, rowText } from "./rows";

export interface Found {
  row: number;
  /** Where a value was found: the offset of its word. */
  offset: number | null;
  why: string;
}

/** Nodes by number, name, address (inside counts), type or site; then fields that hold a number or
 * a string. */
export function findNodes(
  window: Window,
  sites: Sites,
  words: string,
  t: number,
  most: number,
): Found[] {
  const found: Found[] = [];
  const lower = words.toLowerCase();
  const number = /^#?(\d+)$/.exec(words)?.[1];
  const address = /^0x[0-9a-f]+$/.test(lower) ? BigInt(lower) : null;
  const { nodes } = window;
  for (let row = 0; row < nodes.count && found.length < most; row++) {
    const why =
      number !== undefined && nodes.id[row] === Number(number)
        ? hex(nodes.address[row] as bigint)
        : (byAddress(window, row, address) ?? byText(window, sites, row, lower));
    if (why !== null) found.push({ row, offset: null, why });
  }
  const value = address ?? (/^-?\d+$/.test(words) ? BigInt.asUintN(64, BigInt(words)) : null);
  if (value !== null) found.push(...byValue(window, value, t, most - found.length));
  else found.push(...byString(window, lower, t, most - found.length));
  const isThere = (each: Found) => Number(window.isThere(each.row, t));
  return found.sort((a, b) => isThere(b) - isThere(a));
}

function byAddress(window: Window, row: number, address: bigint | null): string | null {
  const start = window.nodes.address[row] as bigint;
  const size = BigInt(Math.max(1, window.nodes.size[row] as number));
  return address !== null && address >= start && address < start + size
    ? `${hex(start)}+${address - start}`
    : null;
}

function byText(window: Window, sites: Sites, row: number, lower: string): string | null {
  const site = sites.get(window.nodes.bornSite[row] as number)?.text ?? null;
  for (const text of [
    window.nodes.name(row),
    window.nodes.label(row),
    window.typeName(row),
    site,
  ]) {
    if (text?.toLowerCase().includes(lower))
      return site ? `allocated at ${site}` : window.nodes.kind(row);
  }
  return null;
}

function byValue(window: Window, value: bigint, t: number, most: number): Found[] {
  const found: Found[] = [];
  const { fields, versions } = window;
  for (let field = 0; field < fields.count && found.length < most; field++) {
    const row = fields.node[field] as number;
    const version = window.isThere(row, t) ? window.version(field, t) : -1;
    if (version < 0) continue;
    const word = versions.value[version] as bigint;
    const offset = fields.offset[field] as number;
    if (word === value) found.push({ row, offset, why: `+${offset} holds it` });
    else if (value <= 0xffffffffn && value > 0n) {
      if (BigInt.asUintN(32, word) === value)
        found.push({ row, offset, why: `+${offset} holds it` });
      else if (word >> 32n === value)
        found.push({ row, offset: offset + 4, why: `+${offset + 4} holds it` });
    }
  }
  return found;
}

function byString(window: Window, lower: string, t: number, most: number): Found[] {
  const found: Found[] = [];
  for (let node = 0; node < window.nodes.count && found.length < most; node++) {
    if (!window.isThere(node, t) || !window.shape(node)?.leaves.some((leaf) => leaf.char)) continue;
    for (const row of rowsOf(window, node)) {
      const text = row.leaves.length > 1 ? rowText(window, row, t) : null;
      if (text?.toLowerCase().includes(lower)) {
        found.push({ row: node, offset: row.offset, why: `${row.name} = ${text}` });
      }
    }
  }
  return found;
}
