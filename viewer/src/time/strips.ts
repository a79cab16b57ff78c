// The strips below the chart, on one canvas: marks, findings, a lane per thread, and the moment.
import type { Head } from "../model/head";
import { colour } from "./chart";

export const STRIP = 12;

export interface Strips {
  head: Head;
  lanes: { times: Float64Array; lanes: Map<number, Float64Array> } | null;
}

export function stripsHeight({ head }: Strips): number {
  return STRIP * (2 + Math.min(head.threads.length, 6)) + 4;
}

export function drawStrips(
  canvas: HTMLCanvasElement,
  strips: Strips,
  shown: [number, number],
): void {
  const { width, height } = sized(canvas);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.clearRect(0, 0, width, height);
  const [first, last] = shown;
  const x = (t: number) => ((t - first) / Math.max(last - first, 1e-9)) * width;
  drawLanes(context, strips, x, width);
  context.fillStyle = colour("--dim");
  for (const mark of strips.head.marks) context.fillRect(Math.round(x(mark.ts)), 2, 1.5, STRIP - 4);
  context.fillStyle = colour("--bad");
  for (const { ts, cpoint } of strips.head.findings) {
    if (ts !== null) diamond(context, x(ts), STRIP * 1.5);
    if (cpoint !== null) context.fillRect(x(cpoint) - 1, 1, 2, STRIP - 2);
  }
}

function sized(canvas: HTMLCanvasElement): { width: number; height: number } {
  const { width, height } = canvas.getBoundingClientRect();
  const scale = devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext("2d")?.setTransform(scale, 0, 0, scale, 0, 0);
  return { width, height };
}

function drawLanes(
  context: CanvasRenderingContext2D,
  { head, lanes }: Strips,
  x: (t: number) => number,
  width: number,
): void {
  if (!lanes) return;
  context.fillStyle = colour("--lane");
  head.threads.slice(0, 6).forEach((thread, index) => {
    const lane = lanes.lanes.get(thread);
    if (!lane) return;
    const most = lane.reduce((a, b) => Math.max(a, b), 1);
    const y = STRIP * (2 + index) + 2;
    lane.forEach((changes, bucket) => {
      if (changes === 0) return;
      const from = x(bucket === 0 ? 0 : (lanes.times[bucket - 1] as number));
      const to = x(lanes.times[bucket] as number);
      if (to < 0 || from > width) return;
      context.globalAlpha = 0.25 + 0.75 * Math.sqrt(changes / most);
      context.fillRect(from, y, Math.max(to - from, 1), STRIP - 4);
    });
  });
  context.globalAlpha = 1;
}

function diamond(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.beginPath();
  context.moveTo(x, y - 5);
  context.lineTo(x + 4.5, y);
  context.lineTo(x, y + 5);
  context.lineTo(x - 4.5, y);
  context.fill();
}
