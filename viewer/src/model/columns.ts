// Tables of typed columns behind a JSON header, as docs/internals/view.md lays them out. Nulls are
// told apart once, here: whoever reads a column sees -1.
import { plainText } from "./text";

export type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;
type NumberType = "u8" | "u16" | "u32" | "f64";

interface StoredColumn {
  type: NumberType | "u64";
  offset: number;
  bytes: number;
  null?: number | "nan";
  text?: boolean;
  choices?: string[];
  delta?: boolean;
  planes?: boolean;
}
interface WrittenColumn {
  values: (number | string | boolean | null)[];
}
interface TableHeader {
  rows: number;
  columns: Record<string, StoredColumn | WrittenColumn>;
}
export interface ColumnsHeader {
  answer: string;
  from?: number;
  to?: number;
  complete?: boolean;
  left_out?: LeftOut[];
  strings: string[];
  shapes?: ShapeHeader[];
  tables: Record<string, TableHeader>;
}
export interface LeftOut {
  what: string;
  count: number | null;
  how: string;
}
export interface Leaf {
  name: string;
  offset: number;
  size: number;
  kind: string;
  signed?: boolean;
  float?: boolean;
  char?: boolean;
  bit_offset?: number;
  bit_size?: number;
  points_to?: string;
}
export interface ShapeHeader {
  type: string;
  size: number;
  leaves: Leaf[];
  repeats?: number;
}

const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array };
const WIDTHS = { u8: 1, u16: 2, u32: 4, u64: 8, f64: 8 };
const MAGIC = 0x31435348; // "HSC1"

/** Where the arrays of an answer begin. Columns are copied out of it, so that it can go. */
interface Buffers {
  data: ArrayBuffer;
  base: number;
}

/** One answer: a header and the tables it describes. */
export class Columns {
  readonly header: ColumnsHeader;
  private readonly buffers: Buffers;

  constructor(data: ArrayBuffer) {
    const view = new DataView(data);
    if (data.byteLength < 8 || view.getUint32(0, true) !== MAGIC) {
      throw new Error("the data of this page is damaged");
    }
    const length = view.getUint32(4, true);
    this.header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 8, length)));
    this.buffers = { data, base: 8 + length };
  }

  table(name: string): Table {
    const header = this.header.tables[name];
    if (!header) throw new Error(`this page has no table ${name}`);
    return new Table(name, header, this.buffers, this.header.strings);
  }

  has(name: string): boolean {
    return name in this.header.tables;
  }
}

export class Table {
  readonly rows: number;

  constructor(
    private readonly name: string,
    private readonly header: TableHeader,
    private readonly buffers: Buffers,
    private readonly strings: string[],
  ) {
    this.rows = header.rows;
  }

  /** Numbers and flags; null is -1. */
  numbers(column: string): Numbers {
    const found = this.column(column);
    if ("values" in found) {
      return Float64Array.from(found.values, (value) => (value === null ? -1 : Number(value)));
    }
    if (found.type === "u64") throw new Error(`${this.name}.${column} holds words`);
    return withoutNulls(plain(found, found.type, this.buffers, this.rows), found.null);
  }

  /** Words of any 64 bits. */
  words(column: string): BigUint64Array {
    const found = this.column(column);
    if ("values" in found) {
      return BigUint64Array.from(found.values, (value) => BigInt(value as string));
    }
    if (found.delta || found.planes) return decodedWords(found, this.buffers, this.rows);
    return new BigUint64Array(copied(found, this.buffers, this.rows));
  }

  /** Texts to be shown; null where there is none. */
  texts(column: string): (row: number) => string | null {
    const raw = this.rawTexts(column);
    return (row) => {
      const text = raw(row);
      return text === null ? null : plainText(text);
    };
  }

  /** Texts as they are, to ask by: paths. */
  rawTexts(column: string): (row: number) => string | null {
    const found = this.column(column);
    if ("values" in found) return (row) => (found.values[row] as string | null) ?? null;
    const numbers = this.numbers(column);
    const { strings } = this; // a closure over the table would keep all of the answer
    return (row) => strings[numbers[row] as number] ?? null;
  }

  /** One of a few words, such as a state. */
  choices<Word extends string>(column: string): (row: number) => Word {
    const found = this.column(column);
    if ("values" in found) return (row) => found.values[row] as Word;
    const numbers = this.numbers(column);
    const words = found.choices ?? [];
    return (row) => words[numbers[row] as number] as Word;
  }

  private column(name: string): StoredColumn | WrittenColumn {
    const found = this.header.columns[name];
    if (!found) throw new Error(`this page has no column ${this.name}.${name}`);
    return found;
  }
}

function plain(
  column: StoredColumn,
  type: NumberType,
  buffers: Buffers,
  rows: number,
): Uint8Array | Uint16Array | Uint32Array | Float64Array {
  const { buffer } = column.planes
    ? joined(column, buffers, rows)
    : { buffer: copied(column, buffers, rows) };
  const numbers = new ARRAYS[type](buffer);
  return column.delta ? summed(numbers) : numbers;
}

/** The bytes of a column that is stored as it is. */
function copied(column: StoredColumn, { data, base }: Buffers, rows: number): ArrayBuffer {
  const begin = base + column.offset;
  return data.slice(begin, begin + rows * WIDTHS[column.type]);
}

/** The bytes of numbers that were stored plane by plane: all lowest bytes first. */
function joined(column: StoredColumn, buffers: Buffers, rows: number): Uint8Array<ArrayBuffer> {
  const width = WIDTHS[column.type];
  const planes = new Uint8Array(buffers.data, buffers.base + column.offset, rows * width);
  const bytes = new Uint8Array(rows * width);
  for (let plane = 0; plane < width; plane++) {
    for (let row = 0; row < rows; row++) {
      bytes[row * width + plane] = planes[plane * rows + row] as number;
    }
  }
  return bytes;
}

/** Differences added up in place; the array's own width wraps them around. */
function summed<Array extends Numbers>(numbers: Array): Array {
  for (let row = 1; row < numbers.length; row++) {
    numbers[row] = (numbers[row] as number) + (numbers[row - 1] as number);
  }
  return numbers;
}

function decodedWords(column: StoredColumn, buffers: Buffers, rows: number): BigUint64Array {
  const words = column.planes
    ? new BigUint64Array(joined(column, buffers, rows).buffer)
    : new BigUint64Array(copied(column, buffers, rows));
  for (let row = 1; column.delta && row < rows; row++) {
    words[row] = (words[row] as bigint) + (words[row - 1] as bigint);
  }
  return words;
}

function withoutNulls(
  numbers: Uint8Array | Uint16Array | Uint32Array | Float64Array,
  none: number | "nan" | undefined,
): Numbers {
  if (none === undefined) return numbers;
  if (none === "nan")
    return (numbers as Float64Array).map((value) => (value !== value ? -1 : value));
  // All ones is -1 to a signed array of the same width, for which ids and timestamps are too small
  // to be taken for a negative number.
  if (numbers instanceof Uint32Array) {
    return new Int32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  }
  return Int32Array.from(numbers as Uint8Array, (value) => (value === none ? -1 : value));
}
