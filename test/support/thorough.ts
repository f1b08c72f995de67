/** `KILLS=all`: every case of what tests otherwise take a sample of. */
export const isThorough = process.env['KILLS'] === 'all'
