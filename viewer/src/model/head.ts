// What the page knows before any table: the program, how it ended, findings, marks.
import type { LeftOut } from "./columns";

export interface Place {
  file: string | null;
  path: string | null;
  line: number | null;
  function: string | null;
}
export interface Mark {
  ts: number;
  kind: string;
  name: string;
  site: number | null;
  thread: number | null;
}
export interface Finding {
  source: string;
  kind: string;
  title: string;
  text: string;
  ts: number | null;
  node: number | null;
  offset: number | null;
  nodes: number[];
  place: Place | null;
  site: number | null;
  constraint: string | null;
  cpoint: number | null;
}
export interface Head {
  serve: boolean;
  heapstory: string;
  trace: string;
  path: string;
  program: string[];
  mode: string;
  stream: boolean;
  last: number;
  nodes: number;
  complete: boolean;
  damage: string | null;
  exit: { code: number | null; signal: string | number | null } | null;
  at: number;
  node: number | null;
  first: number;
  to: number;
  start: number[];
  threads: number[];
  marks: Mark[];
  scans: number[];
  lost: Record<string, number[]>;
  findings: Finding[];
  slice: { statements: Place[] } | null;
  summary: { type: string | null; site: number | null; nodes: number; bytes: number }[];
  sources: string[];
  left_out: LeftOut[];
}
