// Mode internals: which cluster a node belongs to, and which nodes were merged into one.
import type { Columns } from "./columns";
import { lastAtMost } from "./search";

export interface Merge {
  cluster: number;
  source: number;
  target: number;
  from: number;
  until: number;
}

export class Clusters {
  readonly merges: Merge[] = [];
  private readonly spans = new Map<number, { from: number[]; cluster: number[] }>();

  constructor(columns: Columns) {
    if (columns.has("clusters")) this.readSpans(columns);
    if (columns.has("merges")) this.readMerges(columns);
  }

  /** The cluster that a node (by id) belongs to as of T, or -1. */
  of(node: number, t: number): number {
    const span = this.spans.get(node);
    if (!span) return -1;
    return span.cluster[lastAtMost(span.from, t, 0, span.from.length)] ?? -1;
  }

  private readSpans(columns: Columns): void {
    const table = columns.table("clusters");
    const [node, from, cluster] = ["node", "from", "cluster"].map((name) => table.numbers(name));
    for (let row = 0; row < table.rows; row++) {
      const id = node?.[row] as number;
      const span = this.spans.get(id) ?? { from: [], cluster: [] };
      this.spans.set(id, span);
      span.from.push(from?.[row] as number);
      span.cluster.push(cluster?.[row] as number);
    }
  }

  private readMerges(columns: Columns): void {
    const table = columns.table("merges");
    const cluster = table.numbers("cluster");
    const [source, target] = [table.numbers("source"), table.numbers("target")];
    const [from, until] = [table.numbers("from"), table.numbers("until")];
    for (let row = 0; row < table.rows; row++) {
      this.merges.push({
        cluster: cluster[row] as number,
        source: source[row] as number,
        target: target[row] as number,
        from: from[row] as number,
        until: until[row] as number,
      });
    }
  }
}
