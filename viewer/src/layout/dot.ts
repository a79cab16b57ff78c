// The union of a window for Graphviz: boxes of known size with a port per row, so that what comes
// back is where each stands and how arrows between them run.

export interface Box {
  key: string;
  width: number;
  header: number;
  /** Heights of the rows below the header; every row has a port. */
  rows: { port: string; height: number }[];
}
export interface Link {
  key: string;
  from: string;
  port: string;
  to: string;
  /** How long it stands, from 0 to 1: what stands long is drawn straight. */
  share: number;
}
export interface Union {
  boxes: Box[];
  links: Link[];
}

/** Graphviz measures in points and inches; one point is one pixel here. */
export function toDot(union: Union): string {
  const lines = [
    "digraph {",
    "graph [rankdir=LR, nodesep=0.22, ranksep=0.5, splines=true, nslimit=2, nslimit1=2, mclimit=0.5]",
    "node [shape=plain, fontsize=1, margin=0]",
    "edge [arrowhead=none, headport=w, tailport=e]",
  ];
  for (const box of union.boxes) lines.push(`${box.key} [label=<${table(box)}>]`);
  for (const link of union.links) {
    lines.push(
      `${link.from}:${link.port}:e -> ${link.to}:h:w [id="${link.key}", weight=${1 + Math.round(link.share * 8)}]`,
    );
  }
  lines.push("}");
  return lines.join("\n");
}

function table(box: Box): string {
  const row = (port: string, height: number) =>
    `<tr><td port="${port}" fixedsize="true" width="${box.width}" height="${height}"></td></tr>`;
  const rows = box.rows.map(({ port, height }) => row(port, height)).join("");
  return `<table border="0" cellborder="0" cellspacing="0" cellpadding="0">${row("h", box.header)}${rows}</table>`;
}
