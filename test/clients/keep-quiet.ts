import { afterEach, beforeEach, vi } from 'vitest'

/** Keeps the words of a judge about made-up failures out of the output, where they look like failures of this run. */
export const keepQuiet = (): void => {
  beforeEach(() => {
    for (const of of ['log', 'error'] as const) vi.spyOn(console, of).mockReturnValue()
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })
}
