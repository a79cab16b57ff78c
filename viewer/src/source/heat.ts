// How often each line changed the heap.
import type { Columns } from "../model/columns";
import type { Sites } from "../model/sites";

/** Changes by line of one file. */
export function heatOf(bands: Columns | null, sites: Sites, path: string): Map<number, number> {
  const heat = new Map<number, number>();
  if (!bands) return heat;
  const table = bands.table("statements");
  const [ids, changes] = [table.numbers("site"), table.numbers("changes")];
  for (let row = 0; row < table.rows; row++) {
    const site = sites.get(ids[row] as number);
    if (site?.path !== path || site.line <= 0) continue;
    heat.set(site.line, (heat.get(site.line) ?? 0) + (changes[row] as number));
  }
  return heat;
}
