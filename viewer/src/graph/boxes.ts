// A box of the picture: built once, then told the moment.
import { BROKEN_STATES, type State, type Window } from "../model/window";
import { CHARACTER, HEADER, headerText, ROW, type NodeBox } from "../scope/picture";
import { rowText, type Row } from "../scope/rows";
import { shortened, shortenedFront, svg, text } from "./svg";

export interface Moment {
  t: number;
  against: number | null;
  /** Ids of nodes that freed pointers lead to, and of nodes that nothing led to when roots were scanned. */
  held: ReadonlySet<number>;
  lost: ReadonlySet<number>;
}

const LEAST_VALUE = 10; // characters that a long name leaves to what its field holds
const UNKNOWN = -2; // no version: nothing is shown yet

const GLYPHS: Partial<Record<State, string>> = {
  dangling: "⊘ ",
  stale: "⊘ ",
  aliased: "⇄ ",
  wild: "? ",
};

export class BoxView {
  readonly element: SVGGElement;
  private readonly rows: RowView[];
  private readonly status: SVGTextElement;
  private shown = "";

  constructor(
    private readonly window: Window,
    readonly box: NodeBox,
    x: number,
    y: number,
  ) {
    const { node, width, height } = box;
    const id = window.nodes.id[node] as number;
    const { title, detail } = headerText(window, node);
    const kind = window.nodes.kind(node);
    const most = Math.floor((width - 18) / CHARACTER);
    this.status = text({ x: width / 2, y: -4, class: "status" }, "");
    this.rows = box.rows.map((row, index) => new RowView(window, row, width, HEADER + index * ROW));
    this.element = svg(
      "g",
      {
        class: "box hidden",
        transform: `translate(${x},${y})`,
        "data-node": id,
        "data-kind": kind,
      },
      svg("rect", { class: "back", width, height, rx: 4 }),
      svg("path", { class: "head", d: roundedTop(width, HEADER, 4) }),
      text({ x: 9, y: 14, class: "title" }, shortened(title, most - detail.length - 1)),
      text({ x: width - 9, y: 14, class: "detail" }, shortened(detail, most - 1)),
      ...this.rows.map((row) => row.element),
    );
    if (box.rowsLeftOut > 0) {
      const words = `${box.rowsLeftOut.toLocaleString("en")} more fields`;
      const y = HEADER + (box.rows.length + 1) * ROW - 5;
      this.element.append(text({ x: 9, y, class: "left-out" }, words));
    }
    if (box.beyond > 0) this.element.append(beyondLine(id, box));
    this.element.append(svg("rect", { class: "frame", width, height, rx: 4 }), this.status);
  }

  /** Shows the box as of a moment; only what differs from before is touched. */
  update(moment: Moment): void {
    const classes = this.classes(moment);
    if (classes !== this.shown) {
      this.element.setAttribute("class", `box ${classes}`);
      this.shown = classes;
    }
    const status = this.statusText(classes, moment.t);
    if (status !== this.status.textContent) this.status.textContent = status;
    if (classes !== "hidden") for (const row of this.rows) row.update(moment);
  }

  get isShown(): boolean {
    return this.shown !== "hidden";
  }

  /** What is special about it, in a word above the box. */
  private statusText(classes: string, t: number): string {
    const word = classes.split(" ")[1];
    if (word) return word;
    const cluster = this.window.clusters.of(this.window.nodes.id[this.box.node] as number, t);
    return cluster < 0 ? "" : `cluster ${cluster}`;
  }

  private classes({ t, against, held, lost }: Moment): string {
    const { node } = this.box;
    const id = this.window.nodes.id[node] as number;
    const isThere = this.window.isThere(node, t);
    const was = against !== null && this.window.isThere(node, against);
    const freed = this.window.nodes.freed[node] as number;
    if (isThere) {
      if (against !== null && !was) return "there new";
      return lost.has(id) ? "there lost" : "there";
    }
    if (was) return "ghost gone";
    return freed >= 0 && freed <= t && held.has(id) ? "ghost freed" : "hidden";
  }
}

/** The last line of a box that leads to nodes which are not in the window; a click asks for some. */
function beyondLine(id: number, { width, height, beyond }: NodeBox): SVGGElement {
  const title = svg("title");
  title.textContent = "nodes that are not loaded: click for some of them";
  return svg(
    "g",
    { class: "beyond", "data-fold": id, transform: `translate(0,${height - ROW})` },
    title,
    svg("rect", { class: "cell", width, height: ROW }),
    text({ x: width - 9, y: 12, class: "value" }, moreText(beyond, true)),
  );
}

/** How many nodes are folded; roughly, where some are not loaded: those of other moments are counted
 * with them, and what they lead to is not. */
export function moreText(count: number, isRough: boolean): string {
  return `${isRough ? "~" : ""}${count.toLocaleString("en")} more`;
}

class RowView {
  readonly element: SVGGElement;
  private readonly value: SVGTextElement;
  private readonly title: SVGTitleElement;
  private readonly most: number;
  /** What is shown: versions of its words, whether one is of this very moment, what with. */
  private readonly versions: number[];
  private isNow = false;
  private against: number | null = null;

  constructor(
    private readonly window: Window,
    private readonly row: Row,
    width: number,
    y: number,
  ) {
    const room = Math.floor((width - 18) / CHARACTER);
    const name = shortenedFront(row.name, Math.max(room - LEAST_VALUE, Math.floor(room / 2)));
    this.most = room - name.length - 1;
    this.versions = row.fields.map(() => UNKNOWN);
    this.value = text({ x: width - 9, y: 12, class: "value" }, "");
    this.title = svg("title");
    this.element = svg(
      "g",
      { class: "row", transform: `translate(0,${y})`, "data-offset": row.offset },
      this.title,
      svg("rect", { class: "cell", width, height: ROW }),
      text({ x: 9, y: 12, class: "name" }, name),
      this.value,
    );
  }

  update({ t, against }: Moment): void {
    const { window, row } = this;
    if (!this.turnTo(t, against)) return;
    const version = this.versions[0] as number;
    const state = version < 0 ? "unwritten" : window.versions.state(version);
    const content = rowText(window, row, t) ?? "–";
    const old = against === null ? content : (rowText(window, row, against) ?? "–");
    const differs = old === content ? "" : " changed";
    const glyph = GLYPHS[state as State] ?? "";
    this.value.textContent = shortened(glyph + content, this.most);
    this.element.setAttribute("class", `row ${state}${this.isNow ? " now" : ""}${differs}`);
    const told = BROKEN_STATES.has(state as State) ? ` (${state})` : "";
    this.title.textContent = `${row.name}: ${content}${told}${differs ? `, was ${old}` : ""}`;
  }

  /** Whether something else is to be shown. Most rows hold what they held a step ago: found out by
   * a search per word, and no more. */
  private turnTo(t: number, against: number | null): boolean {
    const { versions, row, window } = this;
    let differs = against !== this.against;
    let isNow = false;
    for (let index = 0; index < versions.length; index++) {
      const version = window.version(row.fields[index] as number, t);
      if (version !== versions[index]) differs = true;
      versions[index] = version;
      if (version >= 0 && t > 0 && window.versions.from[version] === t) isNow = true;
    }
    differs ||= isNow !== this.isNow;
    this.isNow = isNow;
    this.against = against;
    return differs;
  }
}

function roundedTop(width: number, height: number, radius: number): string {
  const arc = `a${radius} ${radius} 0 0 1`;
  return `M0 ${height}V${radius}${arc} ${radius} ${-radius}H${width - radius}${arc} ${radius} ${radius}V${height}Z`;
}
