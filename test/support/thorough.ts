/** `KILLS=all`: every case of what tests otherwise take a sample of. */
export const isThorough = process.env['KILLS'] === 'all'

/** How often a law is tried: a third of all runs, unless all are wanted. Each time with other values. */
export const runs = (all: number): number => (isThorough ? all : Math.ceil(all / 3))

/** Every so many-th case; all of them, when they are wanted. */
export const stride = (of: number): number => (isThorough ? 1 : of)
