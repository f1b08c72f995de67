import * as z from 'zod/mini'
import type { MachineFailure } from '../lib/errors/machine-failure.ts'
import type { LandedObject } from '../lib/landed-object.ts'

const partNumber = z.int().check(z.positive())

/** `versionId`: of an older version than the event's own, which is imported first. */
export const partsToMove = z.object({
  from: partNumber,
  to: partNumber,
  versionId: z.nullish(z.string()),
})

export type PartsToMove = z.infer<typeof partsToMove>

/** What landed, which execution asks, and what for: to import (no more fields), to move parts, or to clean up. */
export interface StartImportEvent {
  event: LandedObject
  execution: string
  /** When the execution began. Default: now. */
  since?: Date
  failure?: MachineFailure
  /** Parts of an object that several functions move. */
  move?: PartsToMove
}
