export interface PreviewLimits {
  requests: number
  seconds: number
  /** Of all answers together, and of each. */
  bytes: number
  /** Of each body that is shown, and of all together. */
  shownBodyBytes: number
  shownBytes: number
  /** Characters of all cells together, and of each. */
  shownCellsLength: number
  shownCellLength: number
  logLines: number
}

/** Within what a request has the time for, and what its reply may hold (docs/reference/storage-api.md#limits). */
export const PREVIEW_LIMITS: PreviewLimits = {
  requests: 50,
  seconds: 15,
  bytes: 10_000_000,
  shownBodyBytes: 16_384,
  shownBytes: 400_000,
  shownCellsLength: 400_000,
  shownCellLength: 1_000,
  logLines: 200,
}
