// Asks the worker for a layout, and reads Graphviz' answer.
import { during } from "../model/work";
import { toDot, type Union } from "./dot";

export interface Point {
  x: number;
  y: number;
}
export interface Layout {
  width: number;
  height: number;
  /** Top left corner of every box. */
  boxes: Map<string, Point>;
  /** Bézier paths of the links that Graphviz drew. */
  paths: Map<string, string>;
}

interface Drawn {
  bb: string;
  objects?: { name: string; pos: string; width: string; height: string }[];
  edges?: { id: string; pos: string }[];
}
interface Answer {
  number: number;
  answer?: string;
  error?: string;
}

export class LayoutWorker {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private last = 0;

  constructor(program: string) {
    // Read once before any worker does: a process of Firefox (153) makes its source of jitter for
    // clocks at the first reading, and stands still for good if its two threads read at once.
    Date.now();
    // From a file on disk a worker can only be started out of a blob.
    const url = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
    this.worker = new Worker(url);
    URL.revokeObjectURL(url);
    this.worker.onmessage = (event: MessageEvent<Answer>) => {
      this.waiting.get(event.data.number)?.(event.data);
      this.waiting.delete(event.data.number);
    };
  }

  async layout(union: Union): Promise<Layout> {
    if (union.boxes.length === 0)
      return { width: 0, height: 0, boxes: new Map(), paths: new Map() };
    const number = ++this.last;
    const answer = await during(
      new Promise<Answer>((resolve) => {
        this.waiting.set(number, resolve);
        this.worker.postMessage({ number, dot: toDot(union) });
      }),
    );
    if (answer.answer === undefined) throw new Error(answer.error ?? "no layout");
    return read(JSON.parse(answer.answer) as Drawn);
  }
}

function read(drawn: Drawn): Layout {
  const [, , width, height] = numbers(drawn.bb) as [number, number, number, number];
  const boxes = new Map<string, Point>();
  for (const box of drawn.objects ?? []) {
    const [x, y] = numbers(box.pos) as [number, number];
    boxes.set(box.name, {
      x: x - Number(box.width) * 36,
      y: height - y - Number(box.height) * 36,
    });
  }
  const paths = new Map<string, string>();
  for (const edge of drawn.edges ?? []) paths.set(edge.id, path(edge.pos, height));
  return { width, height, boxes, paths };
}

/** A spline of Graphviz ("e,x,y" and "s,x,y" are its ends) as an SVG path. */
function path(spline: string, height: number): string {
  const parts = spline.split(" ");
  const ends: Record<string, string> = {};
  const points: string[] = [];
  for (const part of parts) {
    const [first, ...rest] = part.split(",");
    if (first === "e" || first === "s") ends[first] = flipped(rest, height);
    else points.push(flipped(part.split(","), height));
  }
  const [start, ...curve] = points;
  const head = ends["s"] ? `M${ends["s"]}L${start}` : `M${start}`;
  const tail = ends["e"] ? `L${ends["e"]}` : "";
  return `${head}C${curve.join(" ")}${tail}`;
}

function flipped(pair: string[], height: number): string {
  const [x, y] = pair.map(Number) as [number, number];
  return `${round(x)},${round(height - y)}`;
}

function numbers(text: string): number[] {
  return text.split(",").map(Number);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
