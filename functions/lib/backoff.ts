/** How long to wait after so many failures in a row: `first`, then twice as long each time, up to `longest`. */
export const backoff = (failures: number, { first, longest }: { first: number; longest: number }): number =>
  Math.min(first * 2 ** failures, longest)
