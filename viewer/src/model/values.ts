// Bytes of a word as a C programmer would write them.
import type { Leaf, ShapeHeader } from "./columns";

/** The leaves of a node that begin in a word of it, with their offsets in the node. */
export function leavesIn(shape: ShapeHeader | null, offset: number, size: number): Leaf[] {
  if (!shape) return [];
  const within = (leaf: Leaf, base: number) =>
    leaf.offset + base >= offset && leaf.offset + base < offset + size;
  if (!shape.repeats) return shape.leaves.filter((leaf) => within(leaf, 0));
  const found: Leaf[] = [];
  for (let index = Math.floor(offset / shape.repeats); ; index++) {
    const base = index * shape.repeats;
    if (base >= offset + size) return found;
    for (const leaf of shape.leaves) {
      if (!within(leaf, base)) continue;
      const name = leaf.name ? `[${index}].${leaf.name}` : `[${index}]`;
      found.push({ ...leaf, name, offset: leaf.offset + base });
    }
  }
}

/** Whether all bytes of a leaf are known, by the bits of its word. */
export function isKnown(leaf: Leaf, wordOffset: number, known: number): boolean {
  const bits = ((1 << leaf.size) - 1) << (leaf.offset - wordOffset);
  return (known & bits) === bits;
}

export function leafText(leaf: Leaf, wordOffset: number, word: bigint): string {
  const bits = leaf.size * 8;
  const shifted = BigInt.asUintN(bits, word >> BigInt(8 * (leaf.offset - wordOffset)));
  if (leaf.float) return floatText(shifted, leaf.size);
  if (leaf.kind === "pointer") return shifted === 0n ? "NULL" : hex(shifted);
  if (leaf.bit_size) {
    return String(BigInt.asUintN(leaf.bit_size, shifted >> BigInt(leaf.bit_offset ?? 0)));
  }
  if (leaf.char && shifted >= 32n && shifted < 127n) {
    return `'${String.fromCharCode(Number(shifted))}'`;
  }
  return String(leaf.signed ? BigInt.asIntN(bits, shifted) : shifted);
}

export function hex(word: bigint): string {
  return `0x${word.toString(16)}`;
}

function floatText(bits: bigint, size: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits, true);
  if (size === 4) return String(Number(view.getFloat32(0, true).toPrecision(7)));
  return size === 8 ? String(view.getFloat64(0, true)) : hex(bits);
}
