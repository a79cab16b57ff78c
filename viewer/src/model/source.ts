// Where the page's data comes from: the file it stands in, or the server that sent it.
import { Columns } from "./columns";
import type { Head } from "./head";
import { plainText } from "./text";
import { during } from "./work";

export interface WindowQuery {
  first?: number;
  last?: number;
  nodes?: number[];
  start?: number[];
  name?: string;
  type?: string;
  site?: number;
  depth?: number;
  limit?: number;
  /** What stands then comes first. */
  at?: number;
  /** So many more nodes behind a node, by its id. */
  opened?: ReadonlyMap<number, number>;
  /** Words that are to be there: nodes and offsets. */
  words?: [number, number][];
}

export interface BandsQuery {
  first?: number;
  last?: number;
  buckets?: number;
}

export interface ChangesQuery {
  site: number;
  first?: number;
  last?: number;
  limit?: number;
}

export interface PointingQuery {
  node: number;
  first?: number;
  last?: number;
}

export interface Source {
  readonly head: Head;
  /** What is shown first, where it is smaller than the window. */
  opening(): Promise<Columns | null>;
  window(query: WindowQuery): Promise<Columns>;
  bands(query: BandsQuery): Promise<Columns>;
  /** Nodes by id, address, type, site or name; null: look in the window. */
  find(text: string): Promise<Columns | null>;
  /** What a statement changed, in order, and who points to a node; null: look in the window. */
  changes(query: ChangesQuery): Promise<Columns | null>;
  pointing(query: PointingQuery): Promise<Columns | null>;
  text(path: string): Promise<string | null>;
}

/** The source of this document. */
export function documentSource(page: Document): Source {
  const head = JSON.parse(block(page, "head") ?? "null", readable) as Head | null;
  if (!head) throw new Error("this page was written without data (heapstory view TRACE)");
  return head.serve ? new ServerSource(head) : new FileSource(head, page);
}

/** Everything said in the head is shown, but paths, which are asked for by. */
function readable(this: unknown, key: string, value: unknown): unknown {
  const isShown = key !== "path" && !Array.isArray(this);
  return typeof value === "string" && isShown ? plainText(value) : value;
}

class FileSource implements Source {
  private texts: Record<string, string> | null = null;

  constructor(
    readonly head: Head,
    private readonly page: Document,
  ) {}

  async opening(): Promise<Columns | null> {
    return this.columns("opening");
  }

  async window(): Promise<Columns> {
    const found = await this.columns("window");
    if (!found) throw new Error("this page was written without a window");
    return found;
  }

  async bands(): Promise<Columns> {
    const found = await this.columns("bands");
    if (!found) throw new Error("this page was written without bands");
    return found;
  }

  async find(): Promise<null> {
    return null;
  }

  async changes(): Promise<null> {
    return null;
  }

  async pointing(): Promise<null> {
    return null;
  }

  async text(path: string): Promise<string | null> {
    this.texts ??= JSON.parse(block(this.page, "sources") ?? "{}") as Record<string, string>;
    return Object.hasOwn(this.texts, path) ? (this.texts[path] as string) : null;
  }

  private async columns(id: string): Promise<Columns | null> {
    const packed = block(this.page, id);
    this.page.getElementById(id)?.remove(); // asked for once, and large
    return packed === null ? null : new Columns(await during(unpacked(packed)));
  }
}

class ServerSource implements Source {
  constructor(readonly head: Head) {}

  async opening(): Promise<null> {
    return null;
  }

  window(query: WindowQuery): Promise<Columns> {
    return this.columns("window", query);
  }

  bands(query: BandsQuery): Promise<Columns> {
    return this.columns("bands", query);
  }

  find(text: string): Promise<Columns> {
    return this.columns("find", { text });
  }

  changes(query: ChangesQuery): Promise<Columns> {
    return this.columns("changes", query);
  }

  pointing(query: PointingQuery): Promise<Columns> {
    return this.columns("pointing", query);
  }

  async text(path: string): Promise<string | null> {
    const asking = fetch(`source?${new URLSearchParams({ path })}`);
    return during(asking.then((answer) => (answer.ok ? answer.text() : null)));
  }

  private columns(name: string, query: object): Promise<Columns> {
    return during(this.answer(name, query));
  }

  private async answer(name: string, query: object): Promise<Columns> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const answer = await fetch(
      `${name}?${new URLSearchParams(given.map(([k, v]) => [k, asked(v)]))}`,
    );
    if (!answer.ok) {
      const said = (await answer.json()) as { error?: string };
      throw new Error(said.error ?? `the server answered ${answer.status}`);
    }
    return new Columns(await answer.arrayBuffer());
  }
}

/** Numbers with commas between them, pairs of numbers as 12:40. */
function asked(value: unknown): string {
  const isList = Array.isArray(value) || value instanceof Map;
  return isList ? Array.from(value, (each) => [each].flat().join(":")).join(",") : `${value}`;
}

function block(page: Document, id: string): string | null {
  return page.getElementById(id)?.textContent ?? null;
}

/** The browser's own way where it has one: a block may have tens of megabytes. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const own = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (own.fromBase64) return own.fromBase64(text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = characters.charCodeAt(index);
  return bytes;
}

async function unpacked(text: string): Promise<ArrayBuffer> {
  const stream = new Blob([fromBase64(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
