// The picture as a file: SVG as it is seen, DOT for Graphviz.
import { POINTER_STATES } from "../model/window";
import { headerText } from "../scope/picture";
import { rowText } from "../scope/rows";
import type { Controller } from "./controller";

export function downloadSvg(controller: Controller): void {
  save(`${name(controller)}.svg`, "image/svg+xml", toSvg(controller));
}

export function downloadDot(controller: Controller): void {
  save(`${name(controller)}.dot`, "text/vnd.graphviz", toDot(controller));
}

function name({ story, state }: Controller): string {
  return `${story.head.trace.replace(/\.story$/, "")}-${state.t}`;
}

function save(file: string, type: string, content: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const COPIED = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "opacity",
];

/** The scene with its computed styles written into it, so that it looks alike without the page. */
export function toSvg({ state }: Controller): string {
  const scene = document.querySelector("#graph .scene");
  if (!scene || !state.picture) return "";
  const copy = scene.cloneNode(true) as SVGGElement;
  const [from, to] = [scene.querySelectorAll("*"), copy.querySelectorAll("*")];
  from.forEach((element, index) => {
    const styles = getComputedStyle(element);
    const target = to[index] as SVGElement;
    if (styles.display === "none") target.setAttribute("display", "none");
    for (const property of COPIED) target.setAttribute(property, styles.getPropertyValue(property));
  });
  const { width, height } = state.picture.layout;
  const background = getComputedStyle(document.querySelector(".graph") as Element).backgroundColor;
  const body = new XMLSerializer().serializeToString(copy);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 -16 ${width + 24} ${height + 32}"><rect x="-12" y="-16" width="100%" height="100%" fill="${background}"/>${body}</svg>\n`;
}

export function toDot({ state }: Controller): string {
  const { picture, t } = state;
  if (!picture) return "";
  const { window } = picture;
  const lines = ["digraph heap {", "  rankdir=LR;", "  node [shape=plain];"];
  for (const { node, rows } of picture.boxes) {
    if (!window.isThere(node, t)) continue;
    const { title, detail } = headerText(window, node);
    const cells = rows.map((row, index) => {
      const held = `${escaped(row.name)}: ${escaped(rowText(window, row, t) ?? "")}`;
      return `<tr><td port="r${index}" align="left">${held}</td></tr>`;
    });
    const heading = `<tr><td port="h"><b>${escaped(title)}</b> ${escaped(detail)}</td></tr>`;
    lines.push(
      `  n${node} [label=<<table border="0" cellborder="1" cellspacing="0">${heading}${cells.join("")}</table>>];`,
    );
  }
  for (const arrow of picture.arrows) {
    if (!window.isThere(arrow.from, t) || arrow.to !== `n${arrow.target}`) continue;
    const version = window.version(arrow.field, t);
    if (version < 0 || !POINTER_STATES.has(window.versions.state(version))) continue;
    if (window.versions.target[version] !== window.nodes.id[arrow.target]) continue;
    const style =
      window.versions.state(version) === "live" ? "" : ' [color="#b00020", style=dashed]';
    const isDrawn = window.isThere(arrow.target, t);
    if (!isDrawn)
      lines.push(
        `  n${arrow.target} [shape=box, style=dashed, label="#${window.nodes.id[arrow.target]} freed"];`,
      );
    lines.push(`  n${arrow.from}:r${arrow.row} -> n${arrow.target}${isDrawn ? ":h" : ""}${style};`);
  }
  return `${lines.join("\n")}\n}\n`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
