// What is drawn, with its sizes: boxes with rows, links between them, folds. Made once for a stretch
// of time; moving within it only shows and hides.
import type { Box, Union } from "../layout/dot";
import type { Layout } from "../layout/layout";
import type { Window } from "../model/window";
import type { Link, Links } from "./links";
import { isBroken, isPointerRow, rowsOf, rowText, type Row } from "./rows";
import { beyond, visible, type Choice, type Fold, type Visible } from "./visible";

export const HEADER = 20;
export const ROW = 16;
export const CHARACTER = 6.7;
const PADDING = 18;
const MOST_ROWS = 12;
const BROKEN = 4; // rows that are shown before those that lead somewhere
const NARROWEST = 11;
const WIDEST = 34;

export interface NodeBox {
  node: number;
  width: number;
  height: number;
  rows: Row[];
  rowsLeftOut: number;
  /** Nodes it leads to that are not in the window, where no fold tells of them. */
  beyond: number;
}

/** An arrow that stands at some moment: from a row to a node, or to the fold it is in. */
export interface Arrow {
  key: string;
  field: number;
  from: number;
  row: number;
  to: string;
  target: number;
  /** The same as an id; of a fold, all nodes in it that the field leads to at some moment. */
  targets: Set<number>;
  link: Link;
}

export interface Picture {
  window: Window;
  links: Links;
  /** Ids of the nodes that have a box, and of those among them whose changes are worth a step. */
  ids: ReadonlySet<number>;
  told: ReadonlySet<number>;
  boxes: NodeBox[];
  folds: Fold[];
  arrows: Arrow[];
  layout: Layout;
  /** Timestamps at which anything of it changes, in order. */
  moments: Float64Array;
}

export type Drawn = Omit<Picture, "layout">;

export const nodeKey = (node: number) => `n${node}`;
const arrowKey = ({ field, target }: Pick<Link, "field" | "target">) => `${field}-${target}`;
export const foldKey = (behind: number) => (behind < 0 ? "rest" : `more${behind}`);

/** Chooses what is drawn, and measures it. */
export function drawn(links: Links, choice: Choice): Drawn {
  const found = visible(links, choice);
  const boxes = Array.from(found.nodes, (node) => box(links, node, found));
  const told = boxes.filter(({ node }) => !links.window.isSection(node));
  return {
    window: links.window,
    links,
    ids: new Set(boxes.map(({ node }) => links.window.nodes.id[node] as number)),
    told: new Set(told.map(({ node }) => links.window.nodes.id[node] as number)),
    boxes,
    folds: [...found.folds.values()],
    arrows: boxes.flatMap((each) => arrows(links, each, found)),
    moments: moments(links.window, told),
  };
}

/** What Graphviz is asked to lay out: of the arrows those that say who is left of whom, which are
 * those of the moment; a node of another moment goes where it stood longest. */
export function union(picture: Drawn): Union {
  const boxes: Box[] = picture.boxes.map((box) => ({
    key: nodeKey(box.node),
    width: box.width,
    header: HEADER,
    rows: box.rows.map((_, row) => ({ port: `r${row}`, height: ROW })),
  }));
  for (const { behind } of picture.folds) {
    boxes.push({ key: foldKey(behind), width: 92, header: HEADER, rows: [] });
  }
  const ranked = [...picture.arrows].sort(
    ({ link: a }, { link: b }) => Number(b.now) - Number(a.now) || b.share - a.share,
  );
  const led = new Set<string>();
  const deciding = ranked.filter((arrow) => {
    const decides = arrow.link.now || !led.has(arrow.to);
    led.add(arrow.to);
    return decides;
  });
  const links = deciding.map((arrow) => ({
    key: arrow.key,
    from: nodeKey(arrow.from),
    port: `r${arrow.row}`,
    to: arrow.to,
    share: arrow.link.share,
  }));
  return { boxes, links };
}

function box(links: Links, node: number, found: Visible): NodeBox {
  const { window, stretch } = links;
  const all = rowsOf(window, node);
  const isSection = window.isSection(node);
  const leads = leadingFields(links, node, found);
  const wanted = isSection ? all.filter((row) => leads.has(row.fields[0] as number)) : all;
  const broken = new Set(
    wanted.filter((row) => isBroken(window, row, stretch.at)).slice(0, BROKEN),
  );
  const rows = mostWanted(wanted, (row) => {
    if (broken.has(row)) return 3;
    if (leads.has(row.fields[0] as number)) return 2;
    return isPointerRow(window, row, stretch.first, stretch.last) ? 1 : 0;
  });
  const wordsLeftOut = window.nodes.wordsLeftOut[node] as number;
  const rowsLeftOut = isSection ? 0 : all.length - rows.length + wordsLeftOut;
  const behind = found.folds.has(node) ? 0 : beyond(window, node);
  const lines = rows.length + Number(rowsLeftOut > 0) + Number(behind > 0);
  return {
    node,
    width: width(window, node, rows, stretch.at),
    height: HEADER + lines * ROW,
    rows,
    rowsLeftOut,
    beyond: behind,
  };
}

function leadingFields(links: Links, node: number, found: Visible): Set<number> {
  const leads = (target: number) => found.nodes.has(target) || found.foldOf.has(target);
  const led = links.of(node).filter((link) => leads(link.target));
  return new Set(led.map((link) => link.field));
}

/** At most so many rows, by rank, in their own order. */
function mostWanted(rows: Row[], rank: (row: Row) => number): Row[] {
  if (rows.length <= MOST_ROWS) return rows;
  const ranked = rows.map((row, index) => ({ row, index, rank: rank(row) }));
  ranked.sort((a, b) => b.rank - a.rank || a.index - b.index);
  const kept = ranked.slice(0, MOST_ROWS - 1);
  return kept.sort((a, b) => a.index - b.index).map((each) => each.row);
}

function width(window: Window, node: number, rows: Row[], at: number): number {
  const header = headerText(window, node);
  let characters = Math.max(NARROWEST, header.title.length + header.detail.length + 2);
  for (const row of rows) {
    const text = (rowText(window, row, at) ?? "").length + (isBroken(window, row, at) ? 2 : 0);
    characters = Math.max(characters, row.name.length + Math.max(5, text) + 2);
  }
  return Math.ceil(Math.min(characters, WIDEST) * CHARACTER) + PADDING;
}

/** The heading of a box: what it is, and which one. */
export function headerText(window: Window, node: number): { title: string; detail: string } {
  const type = shortType(window.typeName(node));
  const id = `#${window.nodes.id[node]}`;
  const name = window.nodes.label(node) ?? window.nodes.name(node);
  if (name !== null) return { title: name, detail: type ?? window.nodes.kind(node) };
  return { title: type ?? `${window.nodes.size[node]} bytes`, detail: id };
}

export function shortType(type: string | null): string | null {
  return type?.replace(/^(struct|class|union) /, "") ?? null;
}

/** One for each node that a field leads to, and one for all that are folded together. */
function arrows(links: Links, box: NodeBox, found: Visible): Arrow[] {
  const rows = new Map<number, number>();
  box.rows.forEach((row, index) => row.fields.forEach((field) => rows.set(field, index)));
  const made = new Map<string, Arrow>();
  for (const link of links.of(box.node)) {
    const { field, target } = link;
    const row = rows.get(field);
    const fold = found.foldOf.get(target);
    if (row === undefined || target < 0) continue;
    const to = found.nodes.has(target)
      ? nodeKey(target)
      : fold === undefined
        ? null
        : foldKey(fold);
    if (to === null) continue;
    const id = links.window.nodes.id[target] as number;
    const known = made.get(`${field} ${to}`);
    if (known) {
      known.targets.add(id);
      continue;
    }
    const key = arrowKey(link);
    const targets = new Set([id]);
    made.set(`${field} ${to}`, { key, field, from: box.node, row, to, target, targets, link });
  }
  return [...made.values()];
}

function moments(window: Window, boxes: NodeBox[]): Float64Array {
  const found = new Set<number>();
  for (const { node } of boxes) {
    for (const moment of [window.nodes.born[node], window.nodes.freed[node]] as number[]) {
      if (moment >= window.from) found.add(moment);
    }
    for (let field = window.firstField(node); field < window.endField(node); field++) {
      const end = window.endVersion(field);
      for (let version = window.firstVersion(field); version < end; version++) {
        if (!window.versions.silent[version]) found.add(window.versions.from[version] as number);
      }
    }
  }
  return Float64Array.from(found).sort();
}
