/** One measured figure, printed as one line of JSON. `ratio` is `value / baseline`, both taken in the same run. */
export interface Figure {
  bench: string
  value: number
  unit: string
  baseline: number | null
  ratio: number | null
}

export const figure = (bench: string, unit: string, value: number, baseline?: number): Figure => ({
  bench,
  value: rounded(value),
  unit,
  baseline: baseline === undefined ? null : rounded(baseline),
  ratio: baseline === undefined ? null : rounded(value / baseline),
})

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle]
  const lower = sorted[sorted.length % 2 === 1 ? middle : middle - 1]
  if (upper === undefined || lower === undefined) throw new Error('There is no median of nothing')
  return (upper + lower) / 2
}

const rounded = (value: number): number => Number(value.toPrecision(4))
