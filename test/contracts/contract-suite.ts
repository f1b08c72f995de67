/** What a suite found, or why it could not run here. What differs and is listed with the documentation's word counts apart. */
export type SuiteResult = { passed: number; failed: number; differing?: number } | { skipped: string }

/** Something that nobody here wrote, and what of ours runs on it. */
export interface ContractSuite {
  name: string
  run: () => Promise<SuiteResult>
}
