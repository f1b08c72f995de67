import type { SweepServices } from './services.ts'

/** What one page of a sweep came to. */
export interface SweptPage {
  /** Things removed. */
  swept: number
  /** Where the next page begins. Left out when this was the last one. */
  next?: string | undefined
}

/** Sweeps one page. `after` is `next` of the page before, maybe of an earlier invocation. Left out: from the start. */
export type SweepPage = (services: SweepServices, after?: string) => Promise<SweptPage>
