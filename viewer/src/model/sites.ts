// The statements behind changes. A line of source may have several sites.
import type { Columns } from "./columns";

export interface Site {
  id: number;
  file: string | null;
  path: string | null;
  line: number;
  function: string | null;
  text: string;
}

/** Sites by their number, gathered from every answer that names some. */
export class Sites {
  private readonly byId = new Map<number, Site>();

  add(columns: Columns): void {
    const table = columns.table("sites");
    const ids = table.numbers("site");
    const lines = table.numbers("line");
    const [file, path] = [table.texts("file"), table.rawTexts("path")];
    const [called, text] = [table.texts("function"), table.texts("text")];
    for (let row = 0; row < table.rows; row++) {
      const id = ids[row] as number;
      if (this.byId.has(id)) continue;
      this.byId.set(id, {
        id,
        file: file(row),
        path: path(row),
        line: lines[row] as number,
        function: called(row),
        text: text(row) ?? "?",
      });
    }
  }

  get(id: number): Site | null {
    return this.byId.get(id) ?? null;
  }

  all(): Iterable<Site> {
    return this.byId.values();
  }

  /** All sites of one source line. */
  ofLine(path: string, line: number): Set<number> {
    const found = [...this.byId.values()].filter(
      (site) => site.path === path && site.line === line,
    );
    return new Set(found.map((site) => site.id));
  }
}
