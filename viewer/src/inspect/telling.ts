// Changes and versions in words.
import type { Story } from "../app/story";
import type { Change } from "../model/timeline";
import type { Window } from "../model/window";
import { rowsOf, versionText, type Row } from "../scope/rows";

export function nodeText(window: Window, row: number): string {
  const type = window.typeName(row);
  const name = window.nodes.label(row) ?? window.nodes.name(row);
  return name ?? (type ? `${type} #${window.nodes.id[row]}` : `node #${window.nodes.id[row]}`);
}

export function siteText(story: Story, site: number): string {
  return story.site(site)?.text ?? "an unknown place";
}

/** The row of a field, as the inspector names it. */
export function rowOfField(window: Window, field: number): Row | null {
  const node = window.fields.node[field] as number;
  return rowsOf(window, node).find((row) => row.fields.includes(field)) ?? null;
}

export function changeText(story: Story, change: Change): string {
  const { window } = story;
  const node = nodeText(window, change.node);
  const where = change.site >= 0 ? `  ${siteText(story, change.site)}` : "";
  switch (change.what) {
    case "born":
      return `${node} allocated${where}`;
    case "freed":
      return `${node} freed${where}`;
    case "written":
    case "meaning": {
      const row = rowOfField(window, change.field);
      const value = row ? versionText(window, row, change.version) : null;
      const isText = row !== null && row.leaves.length > 1;
      const held =
        change.what === "meaning"
          ? ` is ${window.versions.state(change.version)} now`
          : isText
            ? " written"
            : ` = ${value ?? "?"}`;
      return `${node}.${row?.name ?? `+${window.fields.offset[change.field]}`}${held}${where}`;
    }
  }
}
