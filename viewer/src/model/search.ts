/** The last index in [first, end) whose value is at most `limit`, or first - 1. */
export function lastAtMost(
  values: { readonly [index: number]: number },
  limit: number,
  first: number,
  end: number,
): number {
  let low = first;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
