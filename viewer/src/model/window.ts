// Some nodes from one timestamp to another: every version of every word of them. The graph as of a
// timestamp is selected by binary search; nothing is worked out here that the core did not say.
import { Clusters } from "./clusters";
import type { Columns, Numbers, ShapeHeader } from "./columns";
import { lastAtMost } from "./search";
import { plainText } from "./text";

export type Kind = "heap" | "global" | "root";
export type State = "live" | "dangling" | "aliased" | "stale" | "null" | "wild" | "data";
export type VersionKind = "initial" | "zeroed" | "store" | "copy" | "fill" | "syscall" | "meaning";

export const POINTER_STATES: ReadonlySet<State> = new Set(["live", "dangling", "aliased", "stale"]);
export const BROKEN_STATES: ReadonlySet<State> = new Set(["dangling", "aliased", "stale", "wild"]);

export class Window {
  readonly from: number;
  readonly to: number;
  readonly shapes: ShapeHeader[];
  readonly nodes: Nodes;
  readonly fields: Fields;
  readonly versions: Versions;
  readonly clusters: Clusters;
  private readonly rows = new Map<number, number>();

  constructor(columns: Columns) {
    const header = columns.header;
    this.from = header.from ?? 0;
    this.to = header.to ?? 0;
    this.shapes = (header.shapes ?? []).map(readable);
    this.nodes = readNodes(columns);
    this.fields = readFields(columns);
    this.versions = readVersions(columns);
    this.clusters = new Clusters(columns);
    for (let row = 0; row < this.nodes.count; row++) {
      this.rows.set(this.nodes.id[row] as number, row);
    }
  }

  /** The row of a node by its id, or -1. */
  row(id: number): number {
    return this.rows.get(id) ?? -1;
  }

  /** Whether it knows what was there at T. */
  covers(t: number): boolean {
    return this.from <= t && t <= this.to;
  }

  isThere(row: number, t: number): boolean {
    const freed = this.nodes.freed[row] as number;
    return (this.nodes.born[row] as number) <= t && (freed < 0 || t < freed);
  }

  /** Whether a node lived at some moment from `first` to `last`. */
  livesWithin(row: number, first: number, last: number): boolean {
    const freed = this.nodes.freed[row] as number;
    return (this.nodes.born[row] as number) <= last && (freed < 0 || freed > first);
  }

  firstField(row: number): number {
    return this.nodes.firstField[row] as number;
  }

  endField(row: number): number {
    return this.nodes.firstField[row + 1] as number;
  }

  firstVersion(field: number): number {
    return this.fields.firstVersion[field] as number;
  }

  endVersion(field: number): number {
    return this.fields.firstVersion[field + 1] as number;
  }

  /** The version of a field as of T, or -1: nothing was written by then. */
  version(field: number, t: number): number {
    const first = this.firstVersion(field);
    const found = lastAtMost(this.versions.from, t, first, this.endVersion(field));
    return found < first ? -1 : found;
  }

  /** The versions that a field had at some moment from `first` to `last`: rows, end excluded. */
  versionsWithin(field: number, first: number, last: number): [number, number] {
    const begin = Math.max(this.version(field, first), this.firstVersion(field));
    return [begin, this.version(field, last) + 1];
  }

  /** The field of a node at an offset, or -1. */
  field(row: number, offset: number): number {
    const first = this.firstField(row);
    const found = lastAtMost(this.fields.offset, offset, first, this.endField(row));
    if (found < first) return -1;
    const end = (this.fields.offset[found] as number) + (this.fields.size[found] as number);
    return offset < end ? found : -1;
  }

  shape(row: number): ShapeHeader | null {
    return this.shapes[this.nodes.shape[row] as number] ?? null;
  }

  /** Data of a module without names: only its pointers into the heap are of interest. */
  isSection(row: number): boolean {
    return this.nodes.kind(row) === "global" && (this.nodes.shape[row] as number) < 0;
  }

  typeName(row: number): string | null {
    return this.shape(row)?.type ?? null;
  }

  title(row: number): string {
    return this.nodes.label(row) ?? this.nodes.name(row) ?? `node ${this.nodes.id[row]}`;
  }
}

function readable(shape: ShapeHeader): ShapeHeader {
  const leaves = shape.leaves.map((leaf) => ({ ...leaf, name: plainText(leaf.name) }));
  return { ...shape, type: plainText(shape.type), leaves };
}

export interface Nodes {
  count: number;
  id: Numbers;
  kind: (row: number) => Kind;
  address: BigUint64Array;
  size: Numbers;
  shape: Numbers;
  name: (row: number) => string | null;
  label: (row: number) => string | null;
  born: Numbers;
  freed: Numbers;
  bornSite: Numbers;
  freedSite: Numbers;
  source: Numbers;
  more: Numbers;
  wordsLeftOut: Numbers;
  firstField: Numbers;
}

export interface Fields {
  count: number;
  node: Numbers;
  offset: Numbers;
  size: Numbers;
  firstVersion: Numbers;
}

export interface Versions {
  count: number;
  from: Numbers;
  stored: Numbers;
  kind: (row: number) => VersionKind;
  silent: Numbers;
  value: BigUint64Array;
  known: Numbers;
  state: (row: number) => State;
  target: Numbers;
  targetOffset: Numbers;
  by: Numbers;
  site: Numbers;
  thread: Numbers;
}

function readNodes(columns: Columns): Nodes {
  const table = columns.table("nodes");
  return {
    count: table.rows,
    id: table.numbers("id"),
    kind: table.choices<Kind>("kind"),
    address: table.words("address"),
    size: table.numbers("size"),
    shape: table.numbers("shape"),
    name: table.texts("name"),
    label: table.texts("label"),
    born: table.numbers("born"),
    freed: table.numbers("freed"),
    bornSite: table.numbers("born_site"),
    freedSite: table.numbers("freed_site"),
    source: table.numbers("source"),
    more: table.numbers("more"),
    wordsLeftOut: table.numbers("words_left_out"),
    firstField: columns.table("node_fields").numbers("first"),
  };
}

function readFields(columns: Columns): Fields {
  const table = columns.table("fields");
  return {
    count: table.rows,
    node: table.numbers("node"),
    offset: table.numbers("offset"),
    size: table.numbers("size"),
    firstVersion: columns.table("field_versions").numbers("first"),
  };
}

function readVersions(columns: Columns): Versions {
  const table = columns.table("versions");
  return {
    count: table.rows,
    from: table.numbers("from"),
    stored: table.numbers("stored"),
    kind: table.choices<VersionKind>("kind"),
    silent: table.numbers("silent"),
    value: table.words("value"),
    known: table.numbers("known"),
    state: table.choices<State>("state"),
    target: table.numbers("target"),
    targetOffset: table.numbers("target_offset"),
    by: table.numbers("by"),
    site: table.numbers("site"),
    thread: table.numbers("thread"),
  };
}
