// Whether the page waits for something: a layout, an answer, data to unpack, a pause that it makes.
// While it does, what is shown may be about to be replaced.
let running = 0;
let tell: (isBusy: boolean) => void = () => {};

/** Who is told when the page begins to wait, and when nothing is left to wait for. */
export function watchWork(listener: (isBusy: boolean) => void): void {
  tell = listener;
}

/** Something to wait for begins; the answer is to be called when it is over. */
export function beginWork(): () => void {
  let isOver = false;
  if (running++ === 0) tell(true);
  return () => {
    if (isOver) return;
    isOver = true;
    if (--running === 0) tell(false);
  };
}

export async function during<Result>(work: Promise<Result>): Promise<Result> {
  const end = beginWork();
  try {
    return await work;
  } finally {
    end();
  }
}
